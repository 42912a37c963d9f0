import { promises as disk } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../../failure.ts';
import { singleLine } from '../../single-line.ts';
import type { AddressGuard } from '../network/address-guard.ts';
import { decisionLines, defineChannel, type Message, type Outcome } from '../sending/channel.ts';

/** Services of the program apprise that users may choose. Those with `true` name a server of their own. */
const appriseSchemes: Readonly<Record<string, boolean>> = {
  slack: false,
  discord: false,
  msteams: false,
  twilio: false,
  whatsapp: false,
  pover: false,
  pbul: false,
  matrix: true,
  matrixs: true,
  mmost: true,
  mmosts: true,
  rocket: true,
  rockets: true,
  gotify: true,
  gotifys: true,
  signal: true,
  signals: true,
  json: true,
  jsons: true,
};

/** Sends messages through the program apprise, which knows Slack, Matrix, Discord, SMS and other services. */
export const apprise = defineChannel({
  name: 'apprise',
  rank: 90,
  canBeSilent: false,
  label: 'Other chat (apprise)',
  words: ['chat', 'push'],
  icon: '⋯',
  help: 'Any address of the program apprise, such as slack://TOKEN or matrix://HOST.',
  settings: {},
  address: {
    noun: 'address for apprise',
    schemes: Object.keys(appriseSchemes),
    example: 'slack://…',
    sample: 'slack://T1/B2/C3',
    secret: true,
    parse: (_, written) => (hostOf(written) === null ? undefined : written),
  },
  advice: {
    notConfigured: 'the program apprise is not installed',
    unreachable: 'check the address with apprise -vv',
    refused: 'install the program apprise, or list a private host in delivery.private_hosts',
  },
  connect: (_, { privateHosts }) => ({
    async deliver(message, signal) {
      const { addresses } = message.recipient;
      const { AddressGuard: Guard } = await import('../network/address-guard.ts');
      const guard = new Guard(privateHosts, 'delivery.private_hosts');
      try {
        for (const address of addresses) await checkHost(address, guard);
      } catch (error) {
        if (error instanceof Failure) return { kind: 'permanent', detail: error.message };
        return {
          kind: 'temporary',
          detail: `a server of the user was not found (${(error as { code?: string }).code})`,
        };
      }
      const folder = await disk.mkdtemp(join(tmpdir(), 'adjutant-apprise-'));
      try {
        // Addresses contain secrets, which other users could read in a list of processes.
        const file = join(folder, 'addresses.conf');
        await disk.writeFile(file, `${addresses.join('\n')}\n`, { mode: 0o600 });
        const outcome = await run(['-c', file, '-t', message.short.title], withLinks(message), signal);
        return { ...outcome, detail: withoutAddresses(outcome.detail, addresses) };
      } finally {
        await disk.rm(folder, { recursive: true, force: true });
      }
    },
  }),
  /** Only if a user has an address that needs the program. */
  async check(_, { inUse }) {
    if (!(await inUse())) return [];
    const title = 'apprise';
    const { runProgram } = await import('../sending/program.ts');
    const { code, output } = await runProgram('apprise', ['--version'], { timeout: 5000 });
    if (code === 0) return [{ title, state: 'good', detail: output.split('\n')[0] || 'installed' }];
    const detail = 'a user has a channel for apprise, but the program does not run';
    const remedy = 'install it: apt install apprise, or pipx install apprise';
    return [{ title, state: 'bad', detail, remedy }];
  },
});

/** The server that an address names; undefined for a fixed service, null if the address is invalid. */
function hostOf(written: string): string | undefined | null {
  const [, scheme = '', rest = ''] = /^([a-z]+):(?:\/\/)?(.+)$/.exec(written) ?? [];
  if (!appriseSchemes[scheme]) return undefined;
  return URL.parse(`http://${rest.replace(/#/g, '%23')}`)?.hostname || null;
}

/** A service with its own server is contacted only under the rules for webhooks. */
async function checkHost(address: string, guard: AddressGuard): Promise<void> {
  const host = hostOf(address);
  if (!host) return;
  guard.check(new URL(`http://${host}`));
  await new Promise<void>((resolve, reject) =>
    guard.lookup(host, { all: true }, (error) => (error ? reject(error) : resolve())),
  );
}

async function run(args: readonly string[], body: string, signal: AbortSignal): Promise<Outcome> {
  const { runProgram } = await import('../sending/program.ts');
  const { code, error, output } = await runProgram('apprise', args, { input: body, signal });
  // EACCES: a folder on the PATH that this user may not read, or a file that is not a program.
  if (error?.code === 'ENOENT' || error?.code === 'EACCES')
    return { kind: 'permanent', detail: 'the program apprise is not installed' };
  if (signal.aborted) return { kind: 'unknown', detail: 'no answer in time' };
  if (error !== undefined) return { kind: 'temporary', detail: error.message };
  return code === 0
    ? { kind: 'accepted', detail: 'sent with apprise' }
    : { kind: 'temporary', detail: singleLine(`apprise failed (${code}): ${output}`, 500) };
}

/** Removes addresses and their parts, which can be tokens. */
function withoutAddresses(detail: string, addresses: readonly string[]): string {
  return addresses.reduce((text, address) => {
    const parts = address.split(/[/:@?&=#]+/).filter((part) => part.length > 5);
    return [address, ...parts].reduce(
      (rest, part) => rest.replaceAll(part, '…'),
      text.replaceAll(address, `${address.split(':')[0]}://…`),
    );
  }, detail);
}

/** The services of apprise have no buttons, so the message carries the links. */
function withLinks(message: Message): string {
  const link = message.data['acknowledge_url'];
  const links = [...(typeof link === 'string' ? [link] : []), ...decisionLines(message)];
  return [message.short.text, ...links].join('\n');
}
