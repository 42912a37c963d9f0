import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../../failure.ts';
import { singleLine } from '../../single-line.ts';
import { AddressGuard } from '../network/address-guard.ts';
import type { Channel, Outcome } from './channel.ts';
import { maskAddress, parseAddress } from './channel-address.ts';

export interface AppriseOptions {
  readonly program?: string;
  /** Hosts with private addresses that may receive messages; `*` allows all. */
  readonly privateHosts: readonly string[];
}

/** Sends messages through the program apprise, which knows Slack, Matrix, Discord, SMS and other services. */
export function createAppriseChannel({ program = 'apprise', privateHosts }: AppriseOptions): Channel {
  const guard = new AddressGuard(privateHosts, 'delivery.private_hosts');
  return {
    async deliver(message, signal) {
      const addresses = message.recipient.apprise ?? [];
      if (addresses.length === 0) return { kind: 'permanent', detail: 'the user has no address for apprise' };
      try {
        for (const address of addresses) await checkHost(address, guard);
      } catch (error) {
        if (error instanceof Failure) return { kind: 'permanent', detail: error.message };
        return {
          kind: 'temporary',
          detail: `a server of the user was not found (${(error as { code?: string }).code})`,
        };
      }
      const folder = await mkdtemp(join(tmpdir(), 'adjutant-apprise-'));
      try {
        // Addresses contain secrets, which other users could read in a list of processes.
        const file = join(folder, 'addresses.conf');
        await writeFile(file, `${addresses.join('\n')}\n`, { mode: 0o600 });
        const outcome = await run(
          program,
          ['-c', file, '-t', singleLine(message.subject)],
          message.text,
          signal,
        );
        return { ...outcome, detail: withoutAddresses(outcome.detail, addresses) };
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

/** A service with its own server is contacted only under the rules for webhooks. */
async function checkHost(address: string, guard: AddressGuard): Promise<void> {
  const host = parseAddress(address)?.host;
  if (host === undefined) return;
  guard.check(new URL(`http://${host}`));
  await new Promise<void>((resolve, reject) =>
    guard.lookup(host, { all: true }, (error) => (error ? reject(error) : resolve())),
  );
}

async function run(
  program: string,
  args: readonly string[],
  body: string,
  signal: AbortSignal,
): Promise<Outcome> {
  const { spawn } = await import('node:child_process');
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], signal });
    let output = '';
    // Without free file handles, the process has no streams, and the error below is the outcome.
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output = `${output}${text}`.slice(-2000);
      });
    child.once('error', (error: NodeJS.ErrnoException) =>
      resolve(
        // EACCES: a folder on the PATH that this user may not read, or a file that is not a program.
        error.code === 'ENOENT' || error.code === 'EACCES'
          ? { kind: 'permanent', detail: `the program ${program} is not installed` }
          : {
              kind: signal.aborted ? 'unknown' : 'temporary',
              detail: signal.aborted ? 'no answer in time' : error.message,
            },
      ),
    );
    child.once('close', (code) =>
      resolve(
        code === 0
          ? { kind: 'accepted', detail: 'sent with apprise' }
          : { kind: 'temporary', detail: singleLine(`apprise failed (${code}): ${output}`, 500) },
      ),
    );
    child.stdin?.once('error', () => undefined);
    child.stdin?.end(body);
  });
}

/** Removes addresses and their parts, which can be tokens. */
function withoutAddresses(detail: string, addresses: readonly string[]): string {
  return addresses.reduce((text, address) => {
    const parts = address.split(/[/:@?&=#]+/).filter((part) => part.length > 5);
    return [address, ...parts].reduce(
      (rest, part) => rest.replaceAll(part, '…'),
      text.replaceAll(address, maskAddress(address)),
    );
  }, detail);
}
