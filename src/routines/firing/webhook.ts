import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { log } from '../../log.ts';
import { readBody } from '../../request-body.ts';
import { pausedBecause, tooOften } from '../definition/routine.ts';
import type { OpenData, RoutineData } from './feature-data.ts';
import { overlapReason, timelessKey } from './firings.ts';

const maxBytes = 64 * 1024;
/** How far the clocks of the sender and of this machine may differ. */
const toleranceMs = 5 * 60_000;

/**
 * Answers `POST /hooks/ID`, which triggers a routine. The request is signed with the secret of the routine:
 * `X-Adjutant-Signature: t=SECONDS,v1=HEX` over `SECONDS.BODY`, or, as GitHub does, `X-Hub-Signature-256: sha256=HEX` over the body.
 * The signature names the firing, so that a repeated delivery fires once. GitHub's signature has no time, so it stays valid for ever:
 * the same body never fires twice, and `Firings.prune` keeps the keys of such firings.
 */
export async function serveHook(
  id: string,
  request: IncomingMessage,
  response: ServerResponse,
  address: string | undefined,
  open: OpenData,
): Promise<void> {
  try {
    const data = await open();
    const { status, message } = await receive(id, request, data);
    if (status === refused.status)
      data.recordDenied('webhook', address, 'unknown webhook, or a wrong signature');
    reply(response, status, message);
  } catch (error) {
    // The sender left during its request, so there is nobody to reply to.
    if (!request.complete) return;
    log('error', 'a webhook could not be received', error);
    reply(response, 503, 'The request could not be stored. Send it again later.');
  }
}

interface Reply {
  readonly status: number;
  readonly message: string;
}

/** Says the same for an unknown routine and a wrong signature, so that nobody can find out which routines exist. */
const refused: Reply = { status: 401, message: 'There is no such webhook, or the signature is wrong.' };

const skipped: Reply = {
  status: 409,
  message: 'Skipped, because the last run of the routine is still in progress. Send the request again later.',
};

async function receive(id: string, request: IncomingMessage, data: RoutineData): Promise<Reply> {
  if (request.method !== 'POST') return { status: 405, message: 'Use POST.' };
  const body = await readBody(request, maxBytes);
  if (body === undefined) return { status: 413, message: 'The body is longer than 64 KiB.' };
  const { definitions, firings, secrets, clock, settings } = data;
  const secret = await secrets.find(id);
  const key = verify(request, body, secret ?? '', clock());
  if (secret === undefined || key === undefined) return refused;
  const routine = (await definitions.all()).find((one) => one.id === id);
  if (routine?.trigger.kind !== 'webhook') return refused;
  // GitHub sends it when a person sets the webhook up.
  if (request.headers['x-github-event'] === 'ping') return { status: 200, message: 'OK.' };
  if (routine.status !== 'active') return { status: 409, message: 'The routine is paused.' };
  const input = body.toString('utf8');
  const due = {
    routineId: id,
    machine: routine.machine,
    key,
    dueMs: clock(),
    source: 'webhook',
    input,
  } as const;
  const isBusy = (await firings.openOf(id)).some(
    ({ status, next_ms }) => status !== 'due' || next_ms <= clock(),
  );
  const isSkipped = routine.overlap === 'skip' && isBusy && (await firings.find(id, key)) === undefined;
  // Under another key, so that the sender can send the request again when the run has ended.
  const added = await firings.add([
    isSkipped ? { ...due, key: `skipped/${key}`, reason: `missed: ${overlapReason}` } : due,
  ]);
  // A flood must not fill the database. One firing more than allowed makes the worker pause the routine.
  if ((await firings.triggeredLately(id)) > settings.maxPerHour + 1)
    await definitions.change(id, (one) => pausedBecause(one, tooOften(settings), clock()));
  if (isSkipped) return skipped;
  return { status: 202, message: added > 0 ? 'Accepted.' : 'Received before.' };
}

/** The key of the firing, or undefined if no signature is valid. */
function verify(
  { headers }: IncomingMessage,
  body: Buffer,
  secret: string,
  nowMs: number,
): string | undefined {
  const sign = (prefix: string) => createHmac('sha256', secret).update(prefix).update(body).digest();
  const own = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/i.exec(String(headers['x-adjutant-signature'] ?? ''));
  if (own !== null) {
    const isInTime = Math.abs(Number(own[1]) * 1000 - nowMs) <= toleranceMs;
    return isInTime && isSame(own[2]!, sign(`${own[1]}.`)) ? `timed/${own[2]!.toLowerCase()}` : undefined;
  }
  const hub = /^sha256=([0-9a-f]{64})$/i.exec(String(headers['x-hub-signature-256'] ?? ''));
  if (hub === null || !isSame(hub[1]!, sign('')) || isTimed(body)) return undefined;
  return `${timelessKey}${createHash('sha256').update(body).digest('hex')}`;
}

/** Whether the signature of a body could be ours for a part of it: whoever has seen a request with a time could send it for ever. */
function isTimed(body: Buffer): boolean {
  return /^\d{1,12}\./.test(body.toString('latin1', 0, 13));
}

function isSame(hex: string, expected: Buffer): boolean {
  const given = Buffer.from(hex, 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function reply(response: ServerResponse, status: number, message: string): void {
  response
    .writeHead(status, {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      ...(status === 413 && { connection: 'close' }),
    })
    .end(`${message}\n`);
}
