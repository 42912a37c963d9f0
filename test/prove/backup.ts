// Writes backups at random moments while servers change prompts, people and events and are killed, on SQLite and PostgreSQL, and
// restores each into a new home. `npm run prove -- backup 200` writes two hundred for each database. Every restored home must
// contain each change that was acknowledged before its backup began, and nothing torn.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../src/json.ts';
import { type Postgres, startPostgres } from '../postgres.ts';
import { bundle, initialize } from '../program.ts';
import { StdioPeer } from '../stdio-peer.ts';

const backups = Number(process.argv[2] ?? 200);
const writers = 2;
type Environment = Readonly<Record<string, string | undefined>>;

async function run(args: readonly string[], env: Environment): Promise<string> {
  const child = spawn(process.execPath, [bundle, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [output, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`adjutant ${args.join(' ')} failed: ${errors}`);
  return output;
}

/** Changes the home without pause through a server, which is killed at random moments and started again. */
class Writer {
  /** What the server has acknowledged. */
  readonly prompts: string[] = [];
  readonly people: string[] = [];
  kills = 0;
  isStopped = false;

  async work(name: string, home: string, env: Environment): Promise<void> {
    for (let round = 0; !this.isStopped; round++) {
      const server = new StdioPeer([bundle, 'serve', '--toolsets', 'all', '--home', home], { env });
      server.send(initialize());
      const killer = setTimeout(() => server.child.kill('SIGKILL'), 1_000 + Math.random() * 5_000);
      const ended = once(server.child, 'close').then(() => undefined);
      for (let count = 0; !this.isStopped; count++) {
        const id = `${name}_${round}_${count}`;
        const [prompt, person] = await Promise.all([
          Promise.race([
            call(server, 'create_prompt', { name: id, title: id, text: `Text of ${id}` }),
            ended,
          ]),
          Promise.race([call(server, 'create_user', { id, name: id, timezone: 'UTC' }), ended]),
        ]);
        if (prompt) this.prompts.push(id);
        if (person) this.people.push(id);
        if (server.child.exitCode !== null || server.child.signalCode !== null) break;
      }
      clearTimeout(killer);
      if (!this.isStopped) this.kills += 1;
      server.child.kill('SIGKILL');
      await ended;
    }
  }
}

async function call(server: StdioPeer, name: string, args: object): Promise<boolean> {
  const { result } = await server.request('tools/call', { name, arguments: args });
  return result !== undefined && (result as JsonObject)['isError'] !== true;
}

const problems: string[] = [];

async function prove(engine: string, folder: string, postgres?: Postgres): Promise<void> {
  const environment = async (name: string): Promise<Environment> => ({
    PATH: process.env['PATH'],
    HOME: folder,
    TZ: 'UTC',
    ...(postgres && { DATABASE_URL: await postgres.createDatabase(name) }),
  });
  const env = await environment('source');
  const home = join(folder, 'home');
  const all = Array.from({ length: writers }, () => new Writer());
  const work = all.map((writer, index) => writer.work(`w${index}`, home, env));
  const seen = { prompts: 0, people: 0 };
  for (let number = 0; number < backups; number++) {
    await sleep(Math.random() * 300);
    const acknowledged = {
      prompts: all.flatMap(({ prompts }) => prompts),
      people: all.flatMap(({ people }) => people),
    };
    const file = join(folder, `${number}.backup`);
    const restored = join(folder, `restored-${number}`);
    try {
      await run(['backup', file, '--home', home], env);
      const other = await environment(`restored_${number}`);
      await run(['restore', file, '--home', restored], other);
      const names = await namesIn(restored, other);
      const lost = [
        ...acknowledged.prompts.filter((name) => !names.prompts.has(name)),
        ...acknowledged.people.filter((name) => !names.people.has(name)),
      ];
      if (lost.length > 0) problems.push(`${engine} backup ${number} lacks ${lost.slice(0, 3).join(', ')}`);
      if (names.torn.length > 0) problems.push(`${engine} backup ${number} has torn ${names.torn[0]}`);
      seen.prompts = names.prompts.size;
      seen.people = names.people.size;
    } catch (error) {
      problems.push(`${engine} backup ${number}: ${(error as Error).message}`);
    }
    rmSync(restored, { recursive: true, force: true });
    rmSync(file, { force: true });
    if (problems.length > 10) break;
  }
  for (const writer of all) writer.isStopped = true;
  await Promise.all(work);
  const kills = all.reduce((sum, writer) => sum + writer.kills, 0);
  process.stdout.write(
    `${engine}: ${backups} backups, ${kills} servers killed; the last one held ${seen.prompts} prompts and ${seen.people} people\n`,
  );
}

async function namesIn(home: string, env: Environment) {
  const server = new StdioPeer([bundle, 'serve', '--toolsets', 'all', '--home', home], { env });
  server.send(initialize());
  try {
    const list = async (tool: string, key: string) => {
      const { result } = await server.request('tools/call', { name: tool, arguments: { limit: 100_000 } });
      const structured = (result as JsonObject | undefined)?.['structuredContent'] as JsonObject | undefined;
      return (structured?.[key] ?? []) as readonly JsonObject[];
    };
    const prompts = (await list('list_prompts', 'prompts')).map((one) => String(one['name']));
    const people = (await list('list_users', 'users')).map((one) => String(one['id']));
    const problemsFound = (await list('lint_prompts', 'problems')).map((one) => String(one['message']));
    return { prompts: new Set(prompts), people: new Set(people), torn: problemsFound };
  } finally {
    await server[Symbol.asyncDispose]();
  }
}

const folder = mkdtempSync(join(tmpdir(), 'adjutant-backup-proof-'));
const postgres = await startPostgres();
try {
  await prove('SQLite', join(folder, 'sqlite'));
  await prove('PostgreSQL', join(folder, 'postgres'), postgres);
} finally {
  await postgres.close();
  rmSync(folder, { recursive: true, force: true });
}
for (const problem of problems) process.stdout.write(`✗ ${problem}\n`);
process.stdout.write(
  problems.length === 0 ? 'Every backup was complete.\n' : `${problems.length} problems\n`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
