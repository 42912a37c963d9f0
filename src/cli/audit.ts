import { openLocalClient } from './client/local-client.ts';
import { toolArguments } from './client/tool-command.ts';
import { number, numberFlag, single, text } from './terminal/command.ts';
import { tableText } from './terminal/terminal.ts';

const flags = {
  actor: text('NAME', 'Only this one: owner, "token NAME" or "oauth SUBJECT"'),
  action: text('NAME', 'Only this tool or method'),
  outcome: text('OUTCOME', 'Only done, failed, denied or unfinished calls'),
  'days-back': number('DAYS', 'Number of days; 7, unless given'),
  limit: number('COUNT', 'Most entries; 100, unless given', { short: 'n' }),
};

/** Shows who changed what, and what was denied. */
export const audit = single('audit', {
  summary: 'Show who changed what, and which calls were denied',
  flags,
  examples: ['audit', 'audit --outcome denied --days-back 30'],
  async run({ loaded, flags: given, terminal }) {
    for (const name of ['days-back', 'limit']) numberFlag(given, name);
    await using client = await openLocalClient(loaded, terminal);
    const { value } = await client.call('list_activity', {
      ...{ days_back: 7, limit: 100 },
      ...toolArguments(given, flags),
    });
    const rows = value.entries.map((entry) => [
      entry.at.slice(0, 19).replace('T', ' '),
      entry.actor,
      entry.count === undefined ? entry.action : `${entry.action} (${entry.count} times)`,
      entry.outcome,
      entry.target ?? entry.address ?? '',
      changes(entry) || (entry.reason ?? ''),
    ]);
    const head = ['time (UTC)', 'actor', 'action', 'outcome', 'target', 'detail'];
    terminal.answer(value, () =>
      rows.length === 0 ? 'Nothing was changed or denied in this time.' : tableText(terminal, head, rows),
    );
    return 0;
  },
});

function changes({ before, after }: { readonly before?: object; readonly after?: object }): string {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const show = (value: unknown) => (value === undefined ? '–' : JSON.stringify(value));
  return names
    .map(
      (name) => `${name}: ${show(Reflect.get(before ?? {}, name))} → ${show(Reflect.get(after ?? {}, name))}`,
    )
    .join(', ');
}
