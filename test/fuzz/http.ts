import { connect } from 'node:net';
import { greeting, Program } from '../program.ts';
import { createRandom, noise } from './noise.ts';

export interface HttpFindings {
  readonly noise: number;
  readonly valid: number;
  /** Number of replies to noise by HTTP status. */
  readonly statuses: Readonly<Record<number, number>>;
  readonly unanswered: number;
  readonly log: string;
}

const limit = 64 * 1024;

/** Floods the built program over HTTP with random bodies, headers and raw bytes. */
export async function floodHttp(count: number, seed: number): Promise<HttpFindings> {
  const random = createRandom(seed);
  const args = ['serve', '--http', '--port', '0', '--max-message-bytes', String(limit)];
  await using program = new Program(args, { commands: greeting });
  const { url, token } = await program.listening();
  const post = (body: Buffer | string, headers: Record<string, string> = {}) =>
    fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, ...headers },
      body: body as string,
      signal: AbortSignal.timeout(20_000),
    });
  const statuses: Record<number, number> = {};
  let unanswered = 0;
  let valid = 0;
  for (let sent = 0; sent < count; sent++) {
    if (random.below(20) === 0) await sendRaw(new URL(url!), noise(random, limit));
    else {
      const response = await post(noise(random, limit), strangeHeaders(random));
      statuses[response.status] = (statuses[response.status] ?? 0) + 1;
      // A stream can stay open as long as its session.
      await response.body?.cancel();
    }
    if (sent % 8 !== 0) continue;
    valid++;
    const reply = await post(JSON.stringify({ jsonrpc: '2.0', id: sent, method: 'tools/list' }));
    if (!(await reply.text()).includes('expand_prompt')) unanswered++;
  }
  return { noise: count, valid, statuses, unanswered, log: program.stderr };
}

function strangeHeaders(random: ReturnType<typeof createRandom>): Record<string, string> {
  const values = ['2026-07-28', '2025-11-25', '1900-01-01', 'tools/call', '=?base64?!!?=', 'x', ''];
  const names = [
    'mcp-protocol-version',
    'mcp-session-id',
    'mcp-method',
    'mcp-name',
    'last-event-id',
    'accept',
  ];
  return Object.fromEntries(
    names.filter(() => random.below(4) === 0).map((name) => [name, random.pick(values)]),
  );
}

/** Sends bytes that are not HTTP. */
function sendRaw({ hostname, port }: URL, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.end(bytes));
    socket.on('error', () => {});
    socket.on('close', () => resolve());
    socket.resume();
  });
}
