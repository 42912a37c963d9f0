import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { identify } from '../src/delegate/process/process-table.ts';
import { RunQueue } from '../src/delegate/run/run-queue.ts';
import { FolderClaims } from '../src/delegate/workspace/folder-claims.ts';
import { SharedLease } from '../src/store/shared-lease.ts';
import { createStore, type Store } from '../src/store/store.ts';
import { eventually } from './delegate/eventually.ts';
import { startPostgres } from './postgres.ts';

let folder: string;
let project: string;
let claims: FolderClaims;
let queue: RunQueue;
const children: ChildProcess[] = [];
let postgres: Awaited<ReturnType<typeof startPostgres>>;
beforeAll(async () => {
  postgres = await startPostgres();
}, 60_000);
afterAll(() => postgres.close());
beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'adjutant-leases-')));
  project = join(folder, 'project');
  mkdirSync(project);
  claims = await FolderClaims.open(folder);
  queue = await RunQueue.open(queueFile());
});
afterEach(async () => {
  claims.close();
  queue.close();
  for (const child of children.splice(0)) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
  }
  rmSync(folder, { recursive: true, force: true });
});

const queueFile = () => join(folder, 'runs.sqlite');
const claimOf = (run: string) => ({ folder: project, run, kind: 'delivery', storage: '' }) as const;
const newRun = (directory: string) =>
  ({
    directory,
    runId: 'r',
    agent: 'codex',
    tool: 'delegate_run',
    threadId: null,
    state: 'waiting',
  }) as const;

/** Starts a process that runs the script, with `project`, `folder` and `nextLine`, which reads from standard input. */
function start(script: string, wrapper: readonly string[] = []) {
  const load = (path: string) => `await import('${pathToFileURL(resolve('src', path))}')`;
  const source = `
    import { createInterface } from 'node:readline';
    const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
    const nextLine = () => lines.next();
    const [folder, project] = ${JSON.stringify([folder, project])};
    const { FolderClaims } = ${load('delegate/workspace/folder-claims.ts')};
    const { RunQueue } = ${load('delegate/run/run-queue.ts')};
    const { SharedLease } = ${load('store/shared-lease.ts')};
    const { createStore } = ${load('store/store.ts')};
    ${script}
    process.exit();`;
  const [command, ...args] = [...wrapper, process.execPath, '--input-type=module', '-e', source];
  const child = spawn(command!, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  const output = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    line: async () => (await output.next()).value as string | undefined,
    goOn: () => child.stdin.write('\n'),
  };
}

const holdFolder = `
  const claims = await FolderClaims.open(folder);
  const claim = { folder: project, run: 'other', kind: 'delivery', storage: '' };
  await claims.hold(claim, ['delivery'], async (assertHeld) => {
    console.log('held');
    await nextLine();
    try {
      assertHeld();
      console.log('still held');
    } catch (error) {
      console.log(error.kind + ': ' + error.message);
    }
  });`;

describe('a lease on a folder', () => {
  it('belongs to one of several processes that ask at the same moment', async () => {
    const others = Array.from({ length: 4 }, () =>
      start(`
        const claims = await FolderClaims.open(folder);
        const claim = { folder: project, run: String(process.pid), kind: 'delivery', storage: '' };
        console.log('ready');
        await nextLine();
        const lease = await claims.tryClaim(claim, ['delivery']);
        console.log(lease === undefined ? 'refused' : 'fence ' + lease.fence);
        await nextLine();`),
    );
    for (const other of others) expect(await other.line()).toBe('ready');
    for (const other of others) other.goOn();
    const answers = await Promise.all(others.map((other) => other.line()));
    expect(answers.sort()).toEqual(['fence 1', 'refused', 'refused', 'refused']);
  });

  it('ends with a killed process, and the next owner has a higher fence', async () => {
    const other = start(holdFolder);
    expect(await other.line()).toBe('held');
    expect(await claims.tryClaim(claimOf('mine'), ['delivery'])).toBeUndefined();
    other.child.kill('SIGKILL');
    await once(other.child, 'close');
    expect(await claims.tryClaim(claimOf('mine'), ['delivery'])).toMatchObject({ fence: 2 });
    claims.release('mine', 'delivery');
    expect(await claims.tryClaim(claimOf('mine'), ['delivery'])).toMatchObject({ fence: 3 });
  });

  it('stays with a suspended process, which can wake up at any moment', async () => {
    const other = start(holdFolder);
    expect(await other.line()).toBe('held');
    other.child.kill('SIGSTOP');
    expect(await claims.tryClaim(claimOf('mine'), ['delivery'])).toBeUndefined();
    other.child.kill('SIGCONT');
    other.goOn();
    expect(await other.line()).toBe('still held');
    expect(await claims.waitFor(claimOf('mine'), ['delivery'])).toMatchObject({ fence: expect.any(Number) });
  });

  const container = ['bwrap', '--dev-bind', '/', '/', '--unshare-pid', '--proc', '/proc'];
  it.runIf(spawnSync(container[0]!, [...container.slice(1), 'true']).status === 0)(
    'refuses what a process writes that was taken for dead, such as one of another container',
    async () => {
      const other = start(holdFolder, container);
      expect(await other.line()).toBe('held');
      expect(await claims.tryClaim(claimOf('mine'), ['delivery'])).toMatchObject({ fence: 2 });
      other.goOn();
      expect(await other.line()).toBe(
        `conflict: this process has lost its claim on ${project} to another process`,
      );
      // The claim of the new owner is not released with the lost one.
      expect(await claims.tryClaim(claimOf('third'), ['delivery'])).toBeUndefined();
    },
  );

  it('is respected by processes of the version before fences, and respects theirs', async () => {
    const old = new DatabaseSync(join(folder, 'folders.sqlite'));
    const self = (await identify(process.pid))!;
    old
      .prepare('INSERT INTO claims VALUES (?, ?, ?, ?, ?, ?)')
      .run(project, 'old', 'delivery', '', self.pid, self.born);
    expect(await claims.tryClaim(claimOf('new'), ['delivery'])).toBeUndefined();
    old.exec("DELETE FROM claims WHERE run = 'old'");
    expect(await claims.tryClaim(claimOf('new'), ['delivery'])).toBeDefined();
    expect(old.prepare('SELECT * FROM claims').all()).toEqual([{ ...claimOf('new'), ...self }]);
    old.close();
  });

  it('is granted in a new file if the old one is damaged, and after it was deleted', async () => {
    claims.close();
    writeFileSync(join(folder, 'folders.sqlite'), 'this is not a database'.repeat(100));
    claims = await FolderClaims.open(folder);
    expect(existsSync(join(folder, 'folders.sqlite.broken'))).toBe(true);
    rmSync(join(folder, 'folders.sqlite'));
    expect(await claims.tryClaim(claimOf('mine'), ['delivery'])).toBeDefined();
    const others = await FolderClaims.open(folder);
    expect(await others.tryClaim(claimOf('theirs'), ['delivery'])).toBeUndefined();
    others.close();
  });
});

describe('a lease on a run', () => {
  it('passes to the process that takes over, and the former owner can neither assign a host nor record anything', async () => {
    const directory = `/runs/it's "quoted"`;
    const other = start(`
      const queue = await RunQueue.open(folder + '/runs.sqlite');
      const directory = ${JSON.stringify(directory)};
      console.log(queue.enqueue(${JSON.stringify(newRun(directory))}));
      await nextLine();
      queue.recordSocket(directory, '/late');
      console.log(queue.assign(directory, queue.self), queue.claim({ ...queue.find(directory), fence: 1 }));`);
    expect(await other.line()).toBe('true');
    const seen = queue.find(directory)!;
    expect(queue.enqueue(newRun(directory))).toBe(false);
    expect(queue.claim(seen)).toBe(true);
    expect(queue.claim(seen)).toBe(false);
    other.goOn();
    expect(await other.line()).toBe('false false');
    const now = queue.find(directory)!;
    expect(now).toMatchObject({ owner: queue.self, socket: null });
    expect(now.fence).toBeGreaterThan(seen.fence);
  });

  it('is found in a file of the version before fences, which still can add runs', async () => {
    queue.close();
    rmSync(queueFile());
    const old = new DatabaseSync(queueFile());
    old.exec(`CREATE TABLE open_runs (place INTEGER PRIMARY KEY AUTOINCREMENT, directory TEXT NOT NULL UNIQUE,
      run_id TEXT NOT NULL, agent TEXT NOT NULL, tool TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'waiting', thread_id TEXT,
      owner_pid INTEGER NOT NULL, owner_born TEXT NOT NULL, pid INTEGER, born TEXT, started_at TEXT, socket TEXT)`);
    const add = (directory: string) =>
      old
        .prepare(
          `INSERT INTO open_runs (directory, run_id, agent, tool, state, thread_id, owner_pid, owner_born)
           VALUES (?, 'r', 'codex', 'delegate_run', 'waiting', NULL, ?, ?) ON CONFLICT (directory) DO NOTHING`,
        )
        .run(directory, 2 ** 30, 'never');
    add('first');
    queue = await RunQueue.open(queueFile());
    add('second');
    old.close();
    expect(queue.open().map(({ directory }) => directory)).toEqual(['first', 'second']);
    expect(queue.claim(queue.find('second')!)).toBe(true);
    expect(queue.enqueue(newRun('first'))).toBe(false);
  });
});

describe.each(['sqlite', 'postgres'])('a shared lease on %s', (engine) => {
  type State = { readonly offset: number };
  const place = { kind: 'a channel', key: 'poller' };
  let url: string;
  let store: Store;
  let databases = 0;
  beforeEach(async () => {
    databases += 1;
    url = engine === 'sqlite' ? join(folder, 'a.db') : await postgres.createDatabase(`leases_${databases}`);
    store = createStore(url);
  });
  afterEach(() => store.close());
  const lease = (owner: string, clock = Date.now) =>
    new SharedLease<State>({ ...place, store, clock, owner, durationMs: 60_000 });
  const otherOwner = (durationMs: number) => `
    const store = createStore(${JSON.stringify(url)});
    const options = ${JSON.stringify({ ...place, owner: 'other', durationMs })};
    const lease = new SharedLease({ store, clock: Date.now, ...options });
    console.log(JSON.stringify(await lease.take({ offset: 1 })));
    await nextLine();
    console.log(await lease.save({ offset: 2 }));`;

  it('expires while its owner is suspended, whose late write is then refused', async () => {
    const other = start(otherOwner(300));
    expect(await other.line()).toBe('{"offset":1}');
    other.child.kill('SIGSTOP');
    const mine = lease('me');
    const state = await eventually(async () => {
      const taken = await mine.take({ offset: 0 });
      expect(taken).toBeDefined();
      return taken;
    });
    expect(state).toEqual({ offset: 1 });
    expect(await mine.save({ offset: 5 })).toBe(true);
    other.child.kill('SIGCONT');
    other.goOn();
    expect(await other.line()).toBe('false');
    expect(await mine.take({ offset: 0 })).toEqual({ offset: 5 });
  });

  it('of a killed process is free when its time is up, and of one that released it at once', async () => {
    const other = start(otherOwner(60_000));
    expect(await other.line()).toBe('{"offset":1}');
    other.child.kill('SIGKILL');
    expect(await lease('me').take({ offset: 0 })).toBeUndefined();
    const later = () => Date.now() + 61_000;
    const mine = lease('me', later);
    expect(await mine.take({ offset: 0 })).toEqual({ offset: 1 });
    expect(await lease('third', later).take({ offset: 0 })).toBeUndefined();
    await mine.release();
    expect(await mine.save({ offset: 9 })).toBe(false);
    expect(await lease('third', later).take({ offset: 0 })).toEqual({ offset: 1 });
  });

  it.each(['not JSON', 'null', '{"owner":"old","offset":7}'])(
    'can be taken from a record with %s',
    async (value) => {
      await store.write(({ db }) =>
        db
          .insertInto('records')
          .values({ ...place, value, position: 0 })
          .execute(),
      );
      expect(await lease('me').take({ offset: 0 })).toEqual({ offset: value.includes('7') ? 7 : 0 });
      expect(await lease('other').take({ offset: 0 })).toBeUndefined();
    },
  );
});
