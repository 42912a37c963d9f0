// Proves that any number of processes may open an empty data folder at the same moment. `node test/prove/open.ts 64 8`
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createStore } from '../../src/assistant/store/store.ts';

/** Opens one folder from many processes at once and tells how many came up. */
export async function openAtOnce(processes: number): Promise<{ up: number; complaints: readonly string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-open-'));
  try {
    const file = join(folder, 'home', 'adjutant.db');
    const children = Array.from({ length: processes }, (_, index) => {
      const child = spawn(process.execPath, [fileURLToPath(import.meta.url), 'child', file, String(index)], {
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      let said = '';
      child.stderr.on('data', (chunk) => {
        said += chunk;
      });
      const ready = new Promise<void>((resolve) => child.stdout.once('data', () => resolve()));
      const ended = new Promise<string>((resolve) =>
        child.once('close', (code) => resolve(code === 0 ? '' : said || `ended with ${code}`)),
      );
      return { child, ready: Promise.race([ready, ended]), ended };
    });
    await Promise.all(children.map(({ ready }) => ready));
    for (const { child } of children) child.stdin.end('go\n');
    const complaints = (await Promise.all(children.map(({ ended }) => ended))).filter((said) => said !== '');
    const store = createStore(file);
    const users = await store.read((db) => db.selectFrom('users').select('id').execute());
    await store.close();
    return { up: users.length, complaints };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function child(file: string, id: string): Promise<void> {
  // Everything is loaded before the start, so that all of them meet at the file.
  await Promise.all([import('../../src/assistant/store/sqlite.ts'), import('kysely')]);
  process.stdout.write('ready\n');
  await new Promise((resolve) => process.stdin.once('data', resolve));
  const store = createStore(file);
  await store.write(({ db }) =>
    db.insertInto('users').values({ id, name: id, created_ms: 0, updated_ms: 0 }).execute(),
  );
  await store.close();
}

if (process.argv[2] === 'child') await child(process.argv[3]!, process.argv[4]!);
else if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [processes, rounds] = [Number(process.argv[2] ?? 64), Number(process.argv[3] ?? 3)];
  for (let round = 1; round <= rounds; round++) {
    const { up, complaints } = await openAtOnce(processes);
    console.log(`round ${round}: ${up} of ${processes} processes came up`);
    if (up !== processes) {
      console.log(complaints.join('\n'));
      process.exitCode = 1;
    }
  }
}
