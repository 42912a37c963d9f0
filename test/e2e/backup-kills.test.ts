import { expect, it, onTestFinished } from 'vitest';
import { startPostgres } from '../postgres.ts';
import { proveBackup } from '../prove/parts/backup-proof.ts';

it.for(['SQLite', 'PostgreSQL'])(
  'backups on %s are complete while servers, a worker and backups are killed',
  { timeout: 120_000 },
  async (engine) => {
    const postgres = engine === 'PostgreSQL' ? await startPostgres() : undefined;
    if (postgres !== undefined) onTestFinished(() => postgres.close());
    const result = await proveBackup({
      ...{ backups: 2, writers: 1, killAfterMs: 500 },
      ...(postgres && { postgres }),
    });
    expect(result.problems).toEqual([]);
    expect(result.serversKilled).toBeGreaterThan(0);
    expect(result.last.events).toBeGreaterThanOrEqual(5);
  },
);
