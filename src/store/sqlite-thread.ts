import { once } from 'node:events';

const program = `
  const { DatabaseSync } = require('node:sqlite');
  const { parentPort, workerData } = require('node:worker_threads');
  const database = new DatabaseSync(workerData.path, { timeout: 10_000 });
  const rows = database.prepare(workerData.statement).all();
  database.close();
  parentPort.postMessage(rows.flatMap((row) => Object.values(row).map(String)));`;

/** Runs a statement that takes long in a thread. Resolves to the values of its rows. */
export async function runInThread(path: string, statement: string): Promise<readonly string[]> {
  const { Worker } = await import('node:worker_threads');
  const worker = new Worker(program, { eval: true, workerData: { path, statement }, execArgv: [] });
  // Both can happen at once. Rejects if the thread fails.
  const [[values]] = await Promise.all([once(worker, 'message'), once(worker, 'exit')]);
  return values as readonly string[];
}
