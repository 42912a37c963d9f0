// Writes backups at random moments while servers and a worker change the home, on SQLite and PostgreSQL, and restores each into a
// new home. Servers, the worker and backups are killed. `npm run prove -- backup 200` writes two hundred for each database. Every
// restored home must contain each change that was acknowledged before its backup began, and nothing torn.
import { startPostgres } from '../postgres.ts';
import { proveBackup } from './parts/backup-proof.ts';

/** Both at the same time, unless the second argument names one. */
const engines = process.argv[3] === undefined ? ['SQLite', 'PostgreSQL'] : [process.argv[3]];
const options = { backups: Number(process.argv[2] ?? 200), writers: 2, killAfterMs: 1_000 };
const postgres = await startPostgres();
const problems: string[] = [];
try {
  const prove = async (engine: string) => {
    const onProgress = (compared: number, found: number) => {
      if (compared % 20 === 0) process.stderr.write(`${engine}: ${compared} compared, ${found} problems\n`);
    };
    const result = await proveBackup({
      ...{ ...options, onProgress },
      ...(engine === 'PostgreSQL' && { postgres }),
    });
    const { backups, serversKilled, workersKilled, backupsKilled, last } = result;
    process.stdout.write(
      `${engine}: ${backups} backups; ${serversKilled} servers, ${workersKilled} workers and ${backupsKilled} backups killed; the last one held ${last.prompts} prompts, ${last.people} people and ${last.events} events\n`,
    );
    problems.push(...result.problems.map((problem) => `${engine} ${problem}`));
  };
  await Promise.all(engines.map(prove));
} finally {
  await postgres.close();
}
for (const problem of problems) process.stdout.write(`✗ ${problem}\n`);
process.stdout.write(
  problems.length === 0 ? 'Every backup was complete.\n' : `${problems.length} problems\n`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
