import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createStore } from '../src/store/store.ts';

/** Opens one database from many processes at once. Returns how many succeeded and the errors of the others. */
export async function openAtOnce(processes: number): Promise<{ opened: number; errors: readonly string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-open-'));
  try {
    const file = join(folder, 'home', 'adjutant.db');
    const children = Array.from({ length: processes }, (_, index) => {
      const child = spawn(process.execPath, [fileURLToPath(import.meta.url), 'child', file, String(index)], {
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      let output = '';
      child.stderr.on('data', (chunk) => {
        output += chunk;
      });
      const ready = new Promise<void>((resolve) => child.stdout.once('data', () => resolve()));
      const ended = new Promise<string>((resolve) =>
        child.once('close', (code) => resolve(code === 0 ? '' : output || `exited with code ${code}`)),
      );
      return { child, ready: Promise.race([ready, ended]), ended };
    });
    await Promise.all(children.map(({ ready }) => ready));
    for (const { child } of children) child.stdin.end('go\n');
    const errors = (await Promise.all(children.map(({ ended }) => ended))).filter((error) => error !== '');
    const store = createStore(file);
    const users = await store.read((db) => db.selectFrom('users').select('id').execute());
    await store.close();
    return { opened: users.length, errors };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function child(file: string, id: string): Promise<void> {
  // Load all modules first, so that the processes open the file at the same moment.
  await Promise.all([import('../src/store/sqlite.ts'), import('kysely')]);
  process.stdout.write('ready\n');
  await new Promise((resolve) => process.stdin.once('data', resolve));
  const store = createStore(file);
  await store.write(({ db }) =>
    db.insertInto('users').values({ id, name: id, created_ms: 0, updated_ms: 0 }).execute(),
  );
  await store.close();
}

if (process.argv[2] === 'child') await child(process.argv[3]!, process.argv[4]!);
