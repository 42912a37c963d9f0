import { activityFields } from '../audit/activity-tool.ts';
import type { LoadedConfig } from '../config.ts';
import { openLocalClient } from './client/local-client.ts';
import { type Command, parseNumber } from './terminal/command.ts';
import { tableText } from './terminal/terminal.ts';

/** Shows who changed what, and what was denied. */
export const audit: Command = {
  name: 'audit',
  summary: 'Show who changed what, and which calls were denied.',
  usage: 'audit [--actor NAME] [--action TOOL] [--outcome OUTCOME] [--days-back DAYS] [--limit COUNT]',
  flags: {
    actor: { type: 'string', description: 'Only this one: owner, "token NAME" or "oauth SUBJECT".' },
    action: { type: 'string', description: 'Only this tool or method.' },
    outcome: {
      type: 'string',
      values: activityFields.outcome.enum,
      description: `Only this outcome (${activityFields.outcome.enum.join(', ')}).`,
    },
    'days-back': { type: 'string', description: 'Number of days (7).' },
    limit: { type: 'string', short: 'n', description: 'Maximum number of entries (100).' },
  },
  settings: ['home', 'config', 'audit.days', 'http.state_dir'],
  async run(loaded, terminal) {
    const { flags } = loaded;
    await using client = await openLocalClient(loaded, terminal);
    const { value } = await client.call('list_activity', {
      ...text(flags, 'actor'),
      ...text(flags, 'action'),
      ...(text(flags, 'outcome') as { outcome?: 'done' }),
      days_back: parseNumber(flags['days-back'], 'days-back') ?? 7,
      limit: parseNumber(flags['limit'], 'limit') ?? 100,
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

function text(flags: LoadedConfig['flags'], name: string): Readonly<Record<string, string>> {
  return flags[name] === undefined ? {} : { [name]: String(flags[name]) };
}
