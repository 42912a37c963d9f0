import { flagName, type Setting, variableName } from '../setting.ts';
import { settings } from '../settings.ts';
import { type Command, commonFlags, listSubcommands } from './terminal/command.ts';

export function programHelp(commands: readonly Command[]): string {
  return [
    'adjutant: one MCP server for prompts, sub-agents and calendars',
    '',
    'Usage: adjutant COMMAND [FLAGS]',
    '',
    'Commands:',
    ...columns(commands.map(({ name, summary }) => [name, summary])),
    '',
    'Run adjutant COMMAND --help for details, adjutant --version for the version.',
    '',
  ].join('\n');
}

/** With a subcommand in `argv`, lists only the flags for that subcommand. */
export function commandHelp(command: Command, argv: readonly string[] = []): string {
  const table: Readonly<Record<string, Setting>> = settings;
  const subcommand = argv.find((one) => listSubcommands(command).includes(one));
  const listed = (flags: NonNullable<Command['flags']>) =>
    Object.entries(flags)
      .filter(([, { description }]) => subcommand === undefined || isFor(description, subcommand))
      .map(([flag, { description, short }]): [string, string] => [
        `${short ? `-${short}, ` : ''}--${flag}`,
        description,
      ]);
  const own = command.flags ?? {};
  const common = Object.fromEntries(Object.entries(commonFlags).filter(([flag]) => !(flag in own)));
  const shared = command.settings.map((name): [string, string] => {
    const setting = table[name]!;
    const aliases = (setting.aliases ?? []).flatMap(({ flag }) => (flag === undefined ? [] : [`--${flag}`]));
    const choices = setting.type === 'choice' ? ` (${setting.values.join(', ')})` : '';
    return [
      [`--${flagName(name)}`, ...aliases].join(', '),
      `${setting.description}${choices} [${variableName(name)}]`,
    ];
  });
  return [
    `adjutant ${command.name}: ${command.summary}`,
    '',
    `Usage: adjutant ${command.usage}`,
    '',
    'Flags:',
    ...columns([...listed(own), ...shared, ...listed(common), ['-h, --help', 'Show this help.']]),
    '',
  ].join('\n');
}

/** A description can begin with the subcommands that take the flag: "create, update: Name." */
function isFor(description: string, subcommand: string): boolean {
  const about = [...description.matchAll(/(?:^|\. )([a-z]+(?:, [a-z]+)*): /g)].flatMap(([, words]) =>
    words!.split(', '),
  );
  return about.length === 0 || about.includes(subcommand);
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.min(34, Math.max(...rows.map(([left]) => left.length)) + 2);
  return rows.flatMap(([left, right]) => {
    const [first = '', ...more] = wrap(right, 100 - width);
    const head =
      left.length < width
        ? [`  ${left.padEnd(width)}${first}`]
        : [`  ${left}`, `  ${' '.repeat(width)}${first}`];
    return [...head, ...more.map((line) => `  ${' '.repeat(width)}${line}`)];
  });
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
