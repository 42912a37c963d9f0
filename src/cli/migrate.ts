import { type Command, UsageError } from './command.ts';

export const migrate: Command = {
  name: 'migrate',
  summary: 'Copy everything the assistant keeps into another database.',
  usage: 'migrate --to DATABASE [--into-other] [FLAGS]',
  flags: {
    to: {
      type: 'string',
      description: 'Where to: a SQLite file, or postgres://USER:PASSWORD@HOST/DATABASE.',
    },
    'into-other': {
      type: 'boolean',
      description: 'Also into a database that is not empty; rows of the same identity are replaced.',
    },
  },
  settings: ['home', 'config', 'assistant.database_url', 'log_level'],
  async run({ config, flags }, terminal) {
    const url = flags['to'];
    if (typeof url !== 'string' || url === '')
      throw new UsageError(
        'migrate needs --to DATABASE: a SQLite file, or postgres://USER:PASSWORD@HOST/DATABASE',
      );
    const { createStore } = await import('../assistant/store/store.ts');
    const { moveStore } = await import('../assistant/store/move.ts');
    const from = createStore(config['assistant.database_url']);
    const to = createStore(url);
    try {
      const { tables, already } = await moveStore(from, to, {
        intoOther: flags['into-other'] === true,
        nowMs: Date.now(),
      });
      for (const { table, rows, hash } of tables)
        terminal.print(`${table.padEnd(14)}${String(rows).padStart(9)}  ${hash.slice(0, 16)}\n`);
      terminal.print(
        already
          ? `${to.place} holds all of ${from.place} already.\n`
          : `${to.place} holds all of ${from.place} now. Start Adjutant with DATABASE_URL set to it; the original is as it was.\n`,
      );
      return 0;
    } finally {
      await from.close();
      await to.close();
    }
  },
};
