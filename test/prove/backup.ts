// Writes backups at random moments while servers and a worker change the home, on SQLite and PostgreSQL, and restores each into a
// new home. Servers, the worker and backups are killed. `npm run prove -- backup 200` writes two hundred for each database. Every
// restored home must contain each change that was acknowledged before its backup began, and nothing torn.
import { startPostgres } from '../postgres.ts';
import { proveBackup } from './parts/backup-proof.ts';

const options = { backups: Number(process.argv[2] ?? 200), writers: 2, killAfterMs: 1_000 };
const postgres = await startPostgres();
const problems: string[] = [];
try {
  for (const engine of ['SQLite', 'PostgreSQL']) {
    const result = await proveBackup({ ...options, ...(engine === 'PostgreSQL' && { postgres }) });
    const { backups, serversKilled, workersKilled, backupsKilled, last } = result;
    process.stdout.write(
      `${engine}: ${backups} backups; ${serversKilled} servers, ${workersKilled} workers and ${backupsKilled} backups killed; the last one held ${last.prompts} prompts, ${last.people} people and ${last.events} events\n`,
    );
    problems.push(...result.problems.map((problem) => `${engine} ${problem}`));
  }
} finally {
  await postgres.close();
}
for (const problem of problems) process.stdout.write(`✗ ${problem}\n`);
process.stdout.write(
  problems.length === 0 ? 'Every backup was complete.\n' : `${problems.length} problems\n`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
