import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { startPostgres } from '../postgres.ts';
import { freePort, password } from './radicale.ts';

const files = '/usr/share/davical';
const program = '/usr/bin/php';

/** True if DAViCal, a CalDAV server in PHP that stores its objects in PostgreSQL, is installed. */
export const hasDavical = existsSync(`${files}/htdocs/caldav.php`) && existsSync(program);

export interface Davical {
  /** Address of an empty calendar of `ann`. */
  readonly url: string;
  close(): Promise<void>;
}

const path = '/ann/calendar/';

const person = `
INSERT INTO dav_principal (username, password, fullname, email, type_id, user_active, email_ok)
  VALUES ('ann', '**${password}', 'Ann', 'ann@example.com', 1, true, current_timestamp);
INSERT INTO collection (user_no, parent_container, dav_name, dav_etag, dav_displayname, is_calendar, created, modified, resourcetypes)
  SELECT user_no, '/ann/', '${path}', md5('${path}'), 'Calendar', true, current_timestamp, current_timestamp,
    '<DAV::collection/><urn:ietf:params:xml:ns:caldav:calendar/>' FROM usr WHERE username = 'ann';`;

/** The configuration of the package names a database; where it is, it learns from the environment, as psql does. */
export async function startDavical(): Promise<Davical> {
  const postgres = await startPostgres();
  const { port: PGPORT } = new URL(await postgres.createDatabase('unused'));
  const env = { PATH: process.env['PATH'], PGHOST: '127.0.0.1', PGPORT, PGUSER: 'postgres' };
  try {
    execFileSync(`${files}/dba/create-database.sh`, ['davical', 'secret'], { env, stdio: 'pipe' });
    execFileSync('psql', ['-qXd', 'davical', '-v', 'ON_ERROR_STOP=1', '-c', person], { env, stdio: 'pipe' });
  } catch (error) {
    await postgres.close();
    throw error;
  }
  const port = await freePort();
  // When our end of the shell's input closes, even because this process died, the shell stops the server and its workers.
  const serve = '"$@" & server=$!; read -r end; kill -INT $server; wait $server';
  const child = spawn(
    'sh',
    ['-c', serve, 'sh', program, '-S', `127.0.0.1:${port}`, '-t', `${files}/htdocs`],
    // Several workers, because requests overlap.
    { env: { ...env, PHP_CLI_SERVER_WORKERS: '4' }, stdio: ['pipe', 'ignore', 'ignore'] },
  );
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const close = async () => {
    child.stdin.end();
    await exited;
    await postgres.close();
  };
  const url = `http://127.0.0.1:${port}/caldav.php${path}`;
  const headers = { authorization: `Basic ${Buffer.from(`ann:${password}`).toString('base64')}`, depth: '0' };
  const deadline = Date.now() + 30_000;
  for (;;) {
    const status = await fetch(url, { method: 'PROPFIND', headers }).then(
      (response) => response.status,
      (error: unknown) => String(error),
    );
    if (status === 207) return { url, close };
    if (Date.now() > deadline || child.exitCode !== null) {
      await close();
      throw new Error(`DAViCal did not start: ${status}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
