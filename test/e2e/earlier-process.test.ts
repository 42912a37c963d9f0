import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import { migrations } from '../../src/store/migrations.ts';
import { bundle, greeting, initialize } from '../program.ts';
import { StdioPeer } from '../stdio-peer.ts';
import { plantTree } from '../tree.ts';

const earlier = migrations.length - 1;

/** Creates a database as the version before the last change of the schema has left it. */
function createEarlier(path: string): void {
  const database = new DatabaseSync(path);
  database.exec('pragma journal_mode = wal; create table schema_version (version integer not null)');
  for (const statement of migrations.slice(0, earlier).flat()) database.exec(statement);
  database.exec(`insert into schema_version (version, log) values (${earlier}, 'log')`);
  database.exec("insert into users (id, name, created_ms, updated_ms) values ('ada', 'Ada', 1, 1)");
  database.close();
}

function schemaOf(path: string): unknown {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return database.prepare('select version from schema_version').get()?.['version'];
  } finally {
    database.close();
  }
}

/** Uses databases as a worker of an earlier version does, and adds a person when it is told to. */
const worker = `
  const { DatabaseSync } = require('node:sqlite');
  const opened = process.argv.slice(4).map((path) => new DatabaseSync(path));
  for (const database of opened) database.prepare('select version from schema_version').get();
  console.log('open');
  process.stdin.on('data', () => {
    opened[0].exec("insert into users (id, name, created_ms, updated_ms) values ('bob', 'Bob', 1, 1)");
    console.log('written');
  });`;

async function startWorker(...paths: readonly string[]) {
  const program = join(plantTree({ 'adjutant.cjs': worker }), 'adjutant.cjs');
  const child = spawn(process.execPath, [program, 'worker', '--secret=swordfish', ...paths], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return {
    pid: child.pid,
    async write() {
      child.stdin.write('\n');
      await once(child.stdout, 'data');
    },
    async end() {
      child.kill('SIGKILL');
      await once(child, 'close');
    },
  };
}

class Server extends StdioPeer {
  constructor(home: string) {
    super([bundle, 'serve', '--home', home, '--toolsets', 'all'], {
      cwd: home,
      env: { PATH: process.env['PATH'], HOME: home, TZ: 'UTC' },
    });
    this.send(initialize());
  }

  async call(name: string, args: JsonObject = {}): Promise<string> {
    return JSON.stringify(await this.request('tools/call', { name, arguments: args }));
  }
}

describe.runIf(process.platform === 'linux')(
  'a home whose database a process of an earlier version uses',
  () => {
    it('serves what does not need the database, names the process, and serves everything when it has ended', async () => {
      const home = plantTree(
        Object.fromEntries(Object.entries(greeting).map(([name, text]) => [`commands/${name}`, text])),
      );
      const [database, local] = [join(home, 'adjutant.db'), join(home, 'local.db')];
      createEarlier(database);
      createEarlier(local);
      const old = await startWorker(database, local);
      await using server = new Server(home);
      await server.until(({ id }) => id === 0);
      expect(await server.call('expand_prompt', { command: 'greet', arguments: { input: 'Ada' } })).toContain(
        'Say hello to Ada.',
      );
      const prompt = { name: 'mine', title: 'Mine', text: 'A text' };
      expect(await server.call('create_prompt', prompt)).toContain('Created');
      const refused = await server.call('list_users');
      expect(refused).toContain(
        `The database ${database} is from an earlier version of Adjutant, and process ${old.pid} (adjutant worker) still uses it. Stop that process, or wait until it ends.`,
      );
      expect(await server.call('create_user', { id: 'eve', name: 'Eve' })).toContain(`process ${old.pid}`);
      expect([database, local].map(schemaOf)).toEqual([earlier, earlier]);
      expect(existsSync(`${database}.schema-${earlier}`)).toBe(false);

      await old.write();
      await old.end();
      const users = await server.call('list_users');
      for (const name of ['Ada', 'Bob']) expect(users).toContain(name);
      expect(schemaOf(database)).toBe(migrations.length);
      expect(existsSync(`${database}.schema-${earlier}`)).toBe(true);
      expect(await server.call('list_activity')).toContain('create_prompt');
    });

    it('is updated once by servers of this version that start at the same moment', async () => {
      const home = plantTree({});
      createEarlier(join(home, 'adjutant.db'));
      const servers = Array.from({ length: 4 }, () => new Server(home));
      try {
        for (const users of await Promise.all(servers.map((server) => server.call('list_users'))))
          expect(users).toContain('Ada');
      } finally {
        for (const server of servers) await server[Symbol.asyncDispose]();
      }
    });
  },
);
