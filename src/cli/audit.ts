import { once } from 'node:events';
import { openAudit } from '../feature-options.ts';
import { toolAction } from './client/tool-command.ts';
import { type Action, type Command, number, text } from './terminal/command.ts';
import { tableText } from './terminal/terminal.ts';

const list = toolAction({
  tool: 'list_activity',
  defaults: { days_back: 7, limit: 100 },
  summary: 'Show who changed what, and which calls were denied',
  flags: {
    actor: text('NAME', 'Only this one: owner, "token NAME" or "oauth SUBJECT"'),
    action: text('NAME', 'Only this tool or method'),
    outcome: text('OUTCOME', 'Only done, failed, denied or unfinished calls'),
    'days-back': number('DAYS', 'Number of days; 7, unless given'),
    limit: number('COUNT', 'Most entries; 100, unless given', { short: 'n' }),
  },
  examples: ['audit', 'audit --outcome denied --days-back 30'],
  show({ entries }, terminal) {
    const rows = entries.map((entry) => [
      entry.at.slice(0, 19).replace('T', ' '),
      entry.actor,
      entry.count === undefined ? entry.action : `${entry.action} (${entry.count} times)`,
      entry.outcome,
      [entry.target ?? entry.address ?? '', ...(entry.title ? [JSON.stringify(entry.title)] : [])].join(' '),
      changes(entry) || (entry.reason ?? ''),
    ]);
    const head = ['time (UTC)', 'actor', 'action', 'outcome', 'target', 'detail'];
    return rows.length === 0
      ? 'Nothing was changed or denied in this time.'
      : tableText(terminal, head, rows);
  },
});

/** The numbers of the entries have no gaps, so a deleted entry is noticed. */
const verify: Action = {
  summary: 'Check that no entry of the security log is missing or damaged',
  examples: ['audit verify', 'audit verify --json'],
  async run({ config, terminal }) {
    const audit = openAudit(config);
    const logs = await audit.verify().finally(() => audit.close());
    const isWhole = logs.every(({ problems }) => problems.length === 0);
    terminal.answer({ whole: isWhole, logs }, () =>
      logs.length === 0
        ? 'There is no security log yet.'
        : logs
            .flatMap(({ database, entries, problems }) => [
              `${problems.length === 0 ? '✓' : '✗'} ${database}: ${entries} entries, ${problems.length === 0 ? 'none is missing' : 'not whole:'}`,
              ...problems.map((problem) => `  ${problem}`),
            ])
            .join('\n'),
    );
    return isWhole ? 0 : 1;
  },
};

/** One line for each stored entry, for programs that collect logs. */
const exportLines: Action = {
  summary: 'Print all entries as JSON lines, oldest first',
  examples: ['audit export', 'audit export | gzip > audit.jsonl.gz'],
  async run({ config, terminal }) {
    const audit = openAudit(config);
    try {
      for await (const row of audit.rows()) {
        const isRead = terminal.output.write(`${JSON.stringify(row)}\n`);
        if (!isRead) await once(terminal.output, 'drain');
      }
    } finally {
      await audit.close();
    }
    return 0;
  },
};

export const audit: Command = {
  name: 'audit',
  summary: 'Who changed what, and which calls were denied',
  actions: { list, verify, export: exportLines },
};

function changes({ before, after }: { readonly before?: object; readonly after?: object }): string {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const show = (value: unknown) => (value === undefined ? '–' : JSON.stringify(value));
  return names
    .map(
      (name) => `${name}: ${show(Reflect.get(before ?? {}, name))} → ${show(Reflect.get(after ?? {}, name))}`,
    )
    .join(', ');
}
