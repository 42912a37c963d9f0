import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ordinaryUser, readable } from '../../../test/ordinary-user.ts';
import type { Containment, ContainOptions } from './containment.ts';
import { terminateRun } from './process-end.ts';
import { identify } from './process-table.ts';

const users = ordinaryUser ? { root: {}, nobody: ordinaryUser } : { 'this user': {} };

/** What a process of the ordinary user needs to load `containment.ts`. */
const shared = mkdtempSync(join(tmpdir(), 'adjutant-contained-'));
chmodSync(shared, 0o711);
afterAll(() => rmSync(shared, { recursive: true, force: true }));
const node = readable(process.execPath, shared);
const source = join(readable(join(import.meta.dirname, '..', '..'), shared), 'delegate', 'process');

let folder: string;
/** Recognizes the processes of a test, also those without an environment. */
let mark: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'adjutant-contained-'));
  chmodSync(folder, 0o777);
  mark = `1${String(Math.random()).slice(2, 12)}`;
});
afterEach(() => {
  for (const pid of marked()) process.kill(pid, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a bash script as an agent, from a Node process of the given user. Resolves when the script created `ready`. */
async function start(user: object, script: string, options: ContainOptions) {
  const code = `
    const { spawn } = await import('node:child_process');
    const { contain } = await import(${JSON.stringify(join(source, 'containment.ts'))});
    const program = { command: 'bash', args: ['-c', ${JSON.stringify(script)}] };
    const { command, args } = await contain(program, process.cwd(), ${JSON.stringify(options)});
    const child = spawn(command, args, { detached: true, stdio: 'ignore' });
    console.log(command + ' ' + child.pid);
    child.on('exit', (code, signal) => console.log(JSON.stringify({ code, signal })));`;
  const parent = spawn(node, ['--input-type=module', '-e', code], {
    ...user,
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface(parent.stdout)[Symbol.asyncIterator]();
  const [command, pid] = String((await lines.next()).value).split(' ');
  const exit = async () => JSON.parse(String((await lines.next()).value)) as unknown;
  return { parent, command, root: (await identify(Number(pid)))!, exit };
}

function ready(): Promise<void> {
  return vi.waitFor(() => expect(existsSync(join(folder, 'ready'))).toBe(true), 10_000);
}

function marked(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => commandLine(pid) === `sleep\0${mark}\0`)
    .map(Number);
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

const detached = () => `setsid -f env -i sleep ${mark}; (setsid sleep ${mark} &); nohup sleep ${mark} & `;

for (const [name, user] of Object.entries(users))
  for (const containment of ['namespace', 'subreaper'] satisfies Containment[])
    describe.skipIf(process.platform !== 'linux')(`a ${containment} of ${name}`, () => {
      it('ends every process when the run is terminated, also those without an environment', async () => {
        const script = `${detached()} trap 'exit 0' INT; touch ready; while :; do sleep 0.1; done`;
        const agent = await start(user, script, { containment });
        await ready();
        await vi.waitFor(() => expect(marked()).toHaveLength(3), 10_000);
        const killed = await terminateRun(agent.root, 'no marker', 5_000);
        expect(killed.find(({ command }) => command.startsWith('bash'))).toMatchObject({ by: 'SIGINT' });
        expect(marked()).toEqual([]);
        await ended(agent.parent);
      });

      it('ends an agent that ignores signals', async () => {
        const script = `trap '' INT TERM HUP; ${detached()} touch ready; while :; do sleep 0.1; done`;
        const agent = await start(user, script, { containment });
        await ready();
        await terminateRun(agent.root, 'no marker', 100);
        expect(marked()).toEqual([]);
        await ended(agent.parent);
      });

      it('ends every process when the process that started the agent is killed', async () => {
        const script = `${detached()} touch ready; while :; do sleep 0.1; done`;
        const agent = await start(user, script, { containment, endsWithParent: true });
        await ready();
        agent.parent.kill('SIGKILL');
        await vi.waitFor(() => expect(marked()).toEqual([]), 10_000);
      });

      it('has the exit code of the agent, whose processes end with it', async () => {
        const agent = await start(user, `${detached()} exit 7`, { containment });
        expect(await agent.exit()).toEqual({ code: 7, signal: null });
        expect(marked()).toEqual([]);
        await ended(agent.parent);
      });
    });

describe.skipIf(process.platform !== 'linux')('contain', () => {
  const ordinary = ordinaryUser ?? {};

  it('leaves user, groups and capabilities of the agent as they are', async () => {
    const facts = 'id > NAME; grep -E "Cap(Inh|Prm|Eff|Amb)" /proc/self/status >> NAME';
    for (const containment of ['namespace', 'none'] as const) {
      const agent = await start(ordinary, facts.replaceAll('NAME', containment), { containment });
      await agent.exit();
      await ended(agent.parent);
    }
    expect(readFileSync(join(folder, 'namespace'), 'utf8')).toBe(readFileSync(join(folder, 'none'), 'utf8'));
  });

  it('uses no user namespace for an unrestricted agent of an ordinary user', async () => {
    const agent = await start(ordinary, 'readlink /proc/self/ns/user > ns', { isUnrestricted: true });
    await agent.exit();
    const { stdout } = spawn('readlink', ['/proc/self/ns/user'], { ...ordinary });
    expect(readFileSync(join(folder, 'ns'), 'utf8')).toBe(String(await stdout.setEncoding('utf8').toArray()));
    await ended(agent.parent);
  });
});
