import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer } from '../../../src/app.ts';
import { openBackup } from '../../../src/backup/archive.ts';
import { loadConfig } from '../../../src/config.ts';
import type { JsonObject } from '../../../src/json.ts';
import { createStore } from '../../../src/store/store.ts';
import { connectMemory } from '../../../src/transports/memory.ts';
import type { Postgres } from '../../postgres.ts';
import { bundle, initialize } from '../../program.ts';
import { StdioPeer } from '../../stdio-peer.ts';

export interface BackupProof {
  readonly backups: number;
  /** Servers that write. Beside them, a worker plans and delivers. */
  readonly writers: number;
  /** How long a server or a worker runs until it is killed: between this and six times as long. */
  readonly killAfterMs: number;
  /** Without it, the home is on SQLite. */
  readonly postgres?: Postgres;
  /** Called after each comparison with the number of backups that were compared. */
  readonly onProgress?: (compared: number, problems: number) => void;
}

export interface BackupResult {
  readonly backups: number;
  readonly serversKilled: number;
  readonly workersKilled: number;
  readonly backupsKilled: number;
  /** What the last backup held. */
  readonly last: Readonly<Record<Kind, number>>;
  readonly problems: readonly string[];
}

const kinds = ['prompts', 'people', 'events'] as const;
type Kind = (typeof kinds)[number];
type Environment = Readonly<Record<string, string | undefined>>;
type Names = Readonly<Record<Kind, readonly string[]>>;

const maxProblems = 10;
/** Backups that are compared at the same time, beside the programs that change the home. */
const maxChecks = 2;
const start = new Date(Date.now() + 30 * 86_400_000).toISOString();

/**
 * Writes backups at random moments while servers change prompts, people and events, and restores each into a new home. Servers, a
 * worker and some of the backups are killed. Every restored home must contain each change that was acknowledged before its backup
 * began, and nothing torn.
 */
export async function proveBackup(proof: BackupProof): Promise<BackupResult> {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-backup-proof-'));
  const environment = async (name: string): Promise<Environment> => ({
    PATH: process.env['PATH'],
    HOME: folder,
    TZ: 'UTC',
    ...(proof.postgres && { DATABASE_URL: await proof.postgres.createDatabase(name) }),
  });
  const env = await environment('source');
  const home = join(folder, 'home');
  mkdirSync(home);
  const writers = Array.from({ length: proof.writers }, (_, index) => new Writer(`w${index}`, home, env));
  const worker = new Worker(home, env);
  const work = [...writers, worker].map((one) => one.work(proof.killAfterMs));
  const problems: string[] = [];
  let backupsKilled = 0;
  let compared = 0;
  let last: Names | undefined;
  /** Backups that are restored and compared while the next ones are written. */
  const checks = new Set<Promise<void>>();
  const report = (number: number, error: unknown) =>
    problems.push(`backup ${number}: ${(error as Error).message}`);
  const restore = async (number: number, file: string, acknowledged: Names) => {
    try {
      const restored = join(folder, `restored-${number}`);
      const other = await environment(`restored_${number}`);
      await run(['restore', file, '--home', restored], other);
      const { torn, ...names } = await namesIn(restored, other);
      const lost = kinds.flatMap((kind) => {
        const known = new Set(names[kind]);
        return acknowledged[kind].filter((name) => !known.has(name)).map((name) => `${kind} ${name}`);
      });
      if (lost.length > 0) problems.push(`backup ${number} lacks ${lost.slice(0, 3).join(', ')}`);
      if (torn.length > 0) problems.push(`backup ${number} has torn ${torn[0]}`);
      if (number === proof.backups - 1) last = names;
      await rm(restored, { recursive: true, force: true });
      await rm(file, { force: true });
    } catch (error) {
      report(number, error);
    }
    compared += 1;
    proof.onProgress?.(compared, problems.length);
  };
  try {
    for (let number = 0; number < proof.backups && problems.length <= maxProblems; number++) {
      try {
        await enough(writers, number);
        const killed = killBackup(join(folder, `${number}.killed`), home, env);
        const acknowledged = mergeNames(writers);
        const file = join(folder, `${number}.backup`);
        await run(['backup', file, '--home', home], env);
        backupsKilled += await killed;
        while (checks.size >= maxChecks) await Promise.race(checks);
        const check: Promise<void> = restore(number, file, acknowledged).finally(() => checks.delete(check));
        checks.add(check);
      } catch (error) {
        report(number, error);
      }
    }
    await Promise.all(checks);
  } finally {
    for (const one of [...writers, worker]) one.stop();
    await Promise.all(work);
    rmSync(folder, { recursive: true, force: true });
  }
  return {
    backups: proof.backups,
    serversKilled: writers.reduce((sum, { kills }) => sum + kills, 0),
    workersKilled: worker.kills,
    backupsKilled,
    last: {
      prompts: last?.prompts.length ?? 0,
      people: last?.people.length ?? 0,
      events: last?.events.length ?? 0,
    },
    problems,
  };
}

/** Waits until new changes were acknowledged and, except for the first backup, a server was killed. */
async function enough(writers: readonly Writer[], number: number): Promise<void> {
  const count = () => writers.reduce((sum, { names }) => sum + names.events.length, 0);
  const wanted = count() + 5;
  while (count() < wanted || (number > 0 && writers.every(({ kills }) => kills === 0))) await sleep(20);
}

async function run(args: readonly string[], env: Environment): Promise<void> {
  const child = spawn(process.execPath, [bundle, ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`adjutant ${args.join(' ')} failed: ${errors}`);
}

/** Kills a backup at a random moment. A file under its final name must be complete. Returns 0 if the backup was done before. */
async function killBackup(file: string, home: string, env: Environment): Promise<number> {
  const child = spawn(process.execPath, [bundle, 'backup', file, '--home', home], { env, stdio: 'ignore' });
  const closed = once(child, 'close');
  await Promise.race([closed, sleep(Math.random() * 800)]);
  const isKilled = child.exitCode === null && child.kill('SIGKILL');
  await closed;
  if (existsSync(file)) await openBackup(file);
  rmSync(file, { force: true });
  return isKilled ? 1 : 0;
}

/** Runs a program again and again, and kills it at random moments. */
abstract class Killed {
  kills = 0;
  protected isStopped = false;
  #child: ChildProcess | undefined;

  async work(killAfterMs: number): Promise<void> {
    for (let round = 0; !this.isStopped; round++) {
      const child = this.begin(round);
      this.#child = child;
      const ended = once(child, 'close');
      const stopped = ended.then(() => undefined);
      // A few are killed while they start. The others have to be ready first, or nothing would be written on a busy machine.
      const killing = (round % 4 === 3 ? Promise.resolve() : Promise.race([this.ready(), stopped])).then(() =>
        setTimeout(() => child.kill('SIGKILL'), killAfterMs * (1 + 5 * Math.random())),
      );
      await this.use(stopped);
      if (!this.isStopped) await ended;
      clearTimeout(await killing);
      child.kill('SIGKILL');
      await ended;
      if (!this.isStopped) this.kills += 1;
    }
  }

  stop(): void {
    this.isStopped = true;
    this.#child?.kill('SIGKILL');
  }

  protected abstract begin(round: number): ChildProcess;
  /** Resolves when the program that was begun last serves. */
  protected async ready(): Promise<unknown> {
    return undefined;
  }
  /** Works with the program until it has ended. */
  protected abstract use(ended: Promise<undefined>): Promise<void>;
}

class Worker extends Killed {
  readonly #home: string;
  readonly #env: Environment;

  constructor(home: string, env: Environment) {
    super();
    this.#home = home;
    this.#env = env;
  }

  protected begin(): ChildProcess {
    return spawn(process.execPath, [bundle, 'worker', '--home', this.#home], {
      env: this.#env,
      stdio: 'ignore',
    });
  }

  protected async use(ended: Promise<undefined>): Promise<void> {
    await ended;
  }
}

/** Changes the home without pause through a server. */
class Writer extends Killed {
  /** What the server has acknowledged. */
  readonly names: Record<Kind, string[]> = { prompts: [], people: [], events: [] };
  readonly #name: string;
  readonly #home: string;
  readonly #env: Environment;
  #round = 0;
  #server!: StdioPeer;

  constructor(name: string, home: string, env: Environment) {
    super();
    this.#name = name;
    this.#home = home;
    this.#env = env;
  }

  protected begin(round: number): ChildProcess {
    this.#round = round;
    this.#server = new StdioPeer([bundle, 'serve', '--toolsets', 'all', '--home', this.#home], {
      env: this.#env,
    });
    this.#server.send(initialize());
    return this.#server.child;
  }

  protected override ready(): Promise<unknown> {
    return this.#server.until(({ id }) => id === 0).catch(() => undefined);
  }

  protected async use(ended: Promise<undefined>): Promise<void> {
    const { child } = this.#server;
    for (let count = 0; !this.isStopped && child.exitCode === null && child.signalCode === null; count++) {
      const id = `${this.#name}_${this.#round}_${count}`;
      const write = async (kind: Kind, tool: string, args: object) => {
        const isDone = await Promise.race([succeeds(this.#server, tool, args), ended]);
        if (isDone) this.names[kind].push(id);
      };
      await Promise.all([
        write('prompts', 'create_prompt', { name: id, title: id, text: `Text of ${id}` }),
        write('people', 'create_user', { id, name: id, timezone: 'UTC' }),
      ]);
      await write('events', 'create_event', { user_id: id, title: id, start_ts: start });
    }
  }
}

/** False if the server refuses the call, or ends before it answers. */
async function succeeds(server: StdioPeer, name: string, args: object): Promise<boolean> {
  const reply = await server.request('tools/call', { name, arguments: args }).catch(() => undefined);
  return reply?.['result'] !== undefined && (reply['result'] as JsonObject)['isError'] !== true;
}

function mergeNames(writers: readonly Writer[]): Names {
  const all = (kind: Kind) => writers.flatMap(({ names }) => names[kind]);
  return { prompts: all('prompts'), people: all('people'), events: all('events') };
}

/** Reads a restored home in this process: starting another server for each would take longer than everything else. */
async function namesIn(
  home: string,
  env: Environment,
): Promise<Names & { readonly torn: readonly string[] }> {
  const { config } = await loadConfig({ argv: ['--home', home], env, cwd: home });
  const server = createServer('standard', config);
  const store = createStore(config['assistant.database_url']);
  try {
    const client = connectMemory(server);
    const list = async (name: string, key: string) => {
      const result = await client.request('tools/call', { name, arguments: { limit: 100_000 } });
      if (result['isError'] === true) throw new Error(`${name}: ${JSON.stringify(result['content'])}`);
      return (result['structuredContent'] as Record<string, readonly JsonObject[]>)[key]!;
    };
    const prompts = (await list('list_prompts', 'prompts')).map((one) => String(one['name']));
    const torn = (await list('lint_prompts', 'problems')).map((one) => String(one['message']));
    const people = await store.read((db) => db.selectFrom('users').select('id').execute());
    const events = await store.read((db) => db.selectFrom('events').select(['title', 'user_id']).execute());
    const known = new Set(people.map(({ id }) => id));
    const orphans = events.filter(({ user_id }) => !known.has(user_id));
    return {
      prompts,
      people: people.map(({ id }) => id),
      events: events.map(({ title }) => title),
      torn: [...torn, ...orphans.map(({ title }) => `event ${title} of nobody`)],
    };
  } finally {
    await store.close();
    await server.close();
  }
}
