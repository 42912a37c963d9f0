import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { fill, person } from '../../test/assistant-rows.ts';
import { startPostgres } from '../../test/postgres.ts';
import { refuseInUse } from './in-use.ts';
import { createStore } from './store.ts';

const inUse = /is in use; stop the servers, workers and clients that use it/;

async function filled(url: string) {
  const store = createStore(url);
  await fill(store, { users: [person('ada')] });
  return store;
}

it('refuses a SQLite file that another process has open, and accepts it afterwards', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-in-use-'));
  const file = join(folder, 'adjutant.db');
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await expect(refuseInUse(file)).resolves.toBeUndefined();
  await (await filled(file)).close();
  const script = `const { DatabaseSync } = require('node:sqlite');
    const db = new DatabaseSync(process.argv[1]);
    db.prepare('select * from users').all();
    console.log('open');
    process.stdin.resume().on('end', () => db.close());`;
  const other = spawn(process.execPath, ['-e', script, file], { stdio: ['pipe', 'pipe', 'inherit'] });
  await new Promise((resolve) => other.stdout.once('data', resolve));
  await expect(refuseInUse(file)).rejects.toThrow(inUse);
  other.stdin.end();
  await new Promise((resolve) => other.once('exit', resolve));
  await expect(refuseInUse(file)).resolves.toBeUndefined();
  const again = createStore(file);
  expect(await again.read((db) => db.selectFrom('users').select('id').execute())).toEqual([{ id: 'ada' }]);
  await again.close();
});

it('refuses a PostgreSQL database with other sessions', async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.close());
  const url = await postgres.createDatabase('inuse');
  const store = await filled(url);
  await expect(refuseInUse(url)).rejects.toThrow(inUse);
  await store.close();
  await expect(refuseInUse(url)).resolves.toBeUndefined();
});
