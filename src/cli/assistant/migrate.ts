import type { Config } from '../../config.ts';
import { version } from '../../version.ts';
import { single, text, toggle, UsageError } from '../terminal/command.ts';

export const migrate = single('migrate', {
  summary: 'Copy all data into another database',
  flags: {
    to: text('DATABASE', 'A SQLite file, or postgres://USER:PASSWORD@HOST/DATABASE'),
    'into-other': toggle('Allow a target that is not empty; rows with the same key are replaced'),
  },
  changes: 'files',
  examples: ['migrate --to backup.db', 'migrate --to postgres://ada@db.example.org/adjutant'],
  async run({ config, flags, terminal }) {
    const url = flags['to'];
    if (typeof url !== 'string' || url === '')
      throw new UsageError(
        'migrate needs --to DATABASE: a SQLite file, or postgres://USER:PASSWORD@HOST/DATABASE',
      );
    const { createStore } = await import('../../store/store.ts');
    const { moveStore } = await import('../../store/move.ts');
    const { refuseInUse } = await import('../../store/in-use.ts');
    await refuseInUse(config['assistant.database_url']);
    const from = createStore(config['assistant.database_url']);
    const to = createStore(url);
    const stop = new AbortController();
    try {
      await takeOverLabels(config);
      const moved = await terminal.progress.during(`waiting for ${from.place}`, async (show) => {
        const options = { intoOther: flags['into-other'] === true, nowMs: Date.now() };
        const report = await moveStore(from, to, { ...options, show, signal: stop.signal });
        show('copying prompts');
        await moveLocalDocuments(config, url);
        return { ...report, prompts: await movePrompts(config, url) };
      });
      terminal.report({ from: from.place, place: to.place, ...moved }, () => {
        const { tables, prompts, already } = moved;
        const lines = tables.map(
          ({ table, rows, hash }) => `${countLine(table, rows)}  ${hash.slice(0, 16)}`,
        );
        if (prompts > 0) lines.push(countLine('prompts', prompts));
        lines.push(
          already
            ? `${to.place} already contains everything in ${from.place}.`
            : `Copied ${from.place} to ${to.place}. Start Adjutant with DATABASE_URL set to the new database. The original is unchanged.`,
        );
        return lines.join('\n');
      });
      return 0;
    } finally {
      // After Ctrl-C the copy is still running, so stop it.
      stop.abort();
      await from.close();
      await to.close();
    }
  },
});

function countLine(table: string, rows: number): string {
  return `${table.padEnd(16)}${String(rows).padStart(9)}`;
}

/** Labels of an earlier version are in a file. */
async function takeOverLabels(config: Config): Promise<void> {
  const { isPostgres } = await import('../../store/store.ts');
  const from = config['assistant.database_url'];
  if (isPostgres(from)) return;
  const { createRecords } = await import('../../store/records.ts');
  const { LabelStore } = await import('../../prompts/versions/label-store.ts');
  const documents = createRecords(from);
  await new LabelStore(documents, config['jsonl.dir']).entries();
  await documents.close();
}

/** Uses and trials of prompts stay on this machine: with PostgreSQL, in its local database. */
async function moveLocalDocuments(config: Config, url: string): Promise<void> {
  const { isPostgres } = await import('../../store/store.ts');
  const { createRecords } = await import('../../store/records.ts');
  const { localDatabase } = await import('../../feature-options.ts');
  const here = config['assistant.database_url'];
  if (isPostgres(here) === isPostgres(url)) return;
  const from = createRecords(isPostgres(here) ? localDatabase(config) : here);
  const to = createRecords(isPostgres(url) ? localDatabase(config) : url);
  for (const kind of ['prompt_usage', 'prompt_trial'])
    for (const key of await from.keys(kind)) {
      const next = await from.find(kind, key);
      await to.change(kind, key, () => ({ next }));
    }
  await from.close();
  await to.close();
}

/** The user's own prompts are in a file with SQLite, and in the database with PostgreSQL. */
async function movePrompts(config: Config, url: string): Promise<number> {
  const { isPostgres } = await import('../../store/store.ts');
  const from = config['assistant.database_url'];
  if (isPostgres(from) === isPostgres(url)) return 0;
  const { copyPrompts, openOwnPrompts } = await import('../../prompts/jsonl/copy-prompts.ts');
  const hexaiDir = config['originals.read'].includes('hexai') ? config['originals.hexai_dir'] : undefined;
  const source = openOwnPrompts(config['jsonl.dir'], from);
  const target = openOwnPrompts(config['jsonl.dir'], url);
  // With a database, the folder of hexai is not read any more.
  const hexai = hexaiDir === undefined || !isPostgres(url) ? undefined : openOwnPrompts(hexaiDir);
  try {
    const author = { name: 'adjutant migrate', version };
    const own = new Set((await source.list()).map(({ name }) => name));
    const copied = [
      ...(await copyPrompts(source, target, author)),
      ...(hexai ? await copyPrompts(hexai, target, author, own) : []),
    ];
    return new Set(copied).size;
  } finally {
    source.close();
    target.close();
    hexai?.close();
  }
}
