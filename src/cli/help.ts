import type { CommandFlag } from '../config.ts';
import { flagName, type Setting } from '../setting.ts';
import { settings } from '../settings.ts';
import { type Action, type Command, commonFlags } from './terminal/command.ts';
import { hanging, wrap } from './terminal/wrap.ts';

/** Commands whose first example is in the list of all. */
const withExample = ['remind', 'delegate', 'install'];

/** The commands in the order of the help. The others follow in one line. */
const groups: Readonly<Record<string, readonly string[]>> = {
  'Every day': ['remind', 'send', 'today', 'inbox', 'delegate', 'runs', 'routines', 'prompts', 'events'],
  'Set up': ['install', 'agents', 'calendars', 'service', 'status', 'config'],
  'For others': ['users', 'tokens', 'audit', 'backup', 'restore'],
};

export function programHelp(commands: readonly Command[], width: number): string {
  const known = new Map(commands.map((command) => [command.name, command]));
  const shown = ['Every day', 'Set up'].flatMap((title) => [
    title,
    ...columns(
      groups[title]!.flatMap((name) => known.get(name) ?? []).map((one) => [one.name, listed(one, width)]),
      width,
      nameWidth,
    ),
    '',
  ]);
  const grouped = new Set(Object.values(groups).flat());
  const others = groups['For others']!.filter((name) => known.has(name));
  const rest = [...known.keys()].filter((name) => !grouped.has(name));
  return [
    ...wrap('Adjutant: prompts, agents and a calendar for your MCP clients', width),
    '',
    ...shown,
    ...wrap(`For others: ${others.join(', ')}`, width),
    ...wrap(`More: ${rest.join(', ')}`, width),
    '',
    ...wrap('adjutant COMMAND --help explains a command.', width),
    '',
  ].join('\n');
}

const nameWidth = 11;
const summaryWidth = 23;

/** The summary, and an example if both fit into a line. */
function listed({ name, summary, actions }: Command, width: number): string {
  const examples = withExample.includes(name) ? Object.values(actions)[0]!.examples : [];
  const example = examples.find((one) => one !== name);
  const line = `${summary.padEnd(summaryWidth)}  adjutant ${example}`;
  return example !== undefined && line.length + nameWidth + 2 <= width ? line : summary;
}

/** The help of a command, or of one of its actions. */
export function commandHelp(command: Command, word: string | undefined, width: number): string {
  const only = command.actions[word ?? ''];
  if (only !== undefined) return actionHelp(command, word ?? '', only, width);
  const { name, summary, actions } = command;
  const [first, second] = Object.values(actions).flatMap(({ examples: [example] }) => example ?? []);
  return [
    ...wrap(summary, width),
    '',
    ...usage(`adjutant ${name} ACTION`, width),
    '',
    ...columns(
      Object.entries(actions).map(([action, { summary: about }]) => [action, about]),
      width,
    ),
    '',
    'Examples',
    ...[first, second].flatMap((example) => (example ? exampleLines(example, width) : [])),
    '',
    ...wrap(`adjutant ${name} ACTION --help explains an action.`, width),
    '',
  ].join('\n');
}

function actionHelp({ name }: Command, word: string, action: Action, width: number): string {
  const { summary, args = '', notes = {}, flags = {}, settings: named = [], examples } = action;
  const rows = [
    ...Object.entries(notes),
    ...Object.entries(flags)
      .filter(([flag]) => !(flag in commonFlags))
      .map(flagRow),
    ...named.map(settingRow),
  ];
  const common = Object.keys(commonFlags).map((flag) => flagRow([flag, flags[flag] ?? commonFlags[flag]!]));
  return [
    ...wrap(summary, width),
    '',
    ...usage(
      ['adjutant', name, word, args, rows.length > 0 ? '[FLAGS]' : ''].filter(Boolean).join(' '),
      width,
    ),
    '',
    ...(rows.length > 0 ? [...columns(rows, width), ''] : []),
    'Examples',
    ...examples.flatMap((example) => exampleLines(example, width)),
    '',
    'Every command',
    ...columns([...common, ['-h, --help', 'Show this help']], width),
    '',
  ].join('\n');
}

function flagRow([flag, { short, value, values, description }]: readonly [string, CommandFlag]) {
  const left = `${short ? `-${short}, ` : ''}--${flag}${value ? ` ${value}` : ''}`;
  return [left, values ? `${description}: ${values.join(', ')}` : description] as const;
}

function settingRow(name: string): readonly [string, string] {
  const setting: Setting = (settings as Readonly<Record<string, Setting>>)[name]!;
  const [alias = flagName(name)] = (setting.aliases ?? []).flatMap(({ flag, contracts }) =>
    flag === undefined || contracts !== undefined ? [] : [flag],
  );
  const choices = setting.type === 'choice' ? `: ${setting.values.join(', ')}` : '';
  const value = setting.type === 'boolean' ? '' : ` ${alias.split('-').at(-1)!.toUpperCase()}`;
  return [`--${alias}${value}`, `${setting.description.replace(/\.$/, '')}${choices}`];
}

function usage(line: string, width: number): string[] {
  return hanging(`Usage: ${line}`, 7, width);
}

function exampleLines(example: string, width: number): string[] {
  return hanging(`  adjutant ${example}`, 6, width);
}

/** Two columns. On a narrow terminal, or after a long first cell, the second one starts on a line of its own. */
function columns(rows: readonly (readonly [string, string])[], width: number, least = 0): string[] {
  const longest = Math.max(...rows.map(([left]) => left.length));
  const left = Math.min(Math.max(longest + 2, least), Math.floor(width * 0.4));
  return rows.flatMap(([head, text]) => {
    const [first = '', ...more] = wrap(text, width - left - 2);
    const indent = ' '.repeat(left + 2);
    const start =
      head.length + 2 <= left ? [`  ${head.padEnd(left)}${first}`] : [`  ${head}`, `${indent}${first}`];
    return [...start, ...more.map((line) => `${indent}${line}`)];
  });
}
