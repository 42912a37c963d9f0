import { flagOf } from '../setting.ts';
import { clients } from './clients.ts';
import { type Command, everywhere, UsageError } from './command.ts';

type Words = ReadonlyMap<string, readonly string[]>;

const shells: Readonly<Record<string, (words: Words) => string>> = { bash, zsh, fish };

export const completion: Command = {
  name: 'completion',
  summary: 'Print the completion script of a shell.',
  usage: 'completion bash|zsh|fish',
  settings: [],
  async run({ positionals: [shell = ''] }, terminal) {
    const script = Object.hasOwn(shells, shell) ? shells[shell]! : undefined;
    if (script === undefined) throw new UsageError(`which shell? One of ${Object.keys(shells).join(', ')}`);
    const { commands } = await import('./program.ts');
    const all = await Promise.all(Object.values(commands).map((load) => load()));
    const text = script(new Map(all.map((command) => [command.name, wordsOf(command)])));
    terminal.answer({ shell, script: text }, text);
    return 0;
  },
};

/** What may follow a command: its own words, as its usage names them, and its flags. */
function wordsOf({ name, usage, flags = {}, settings }: Command): readonly string[] {
  const alternatives = usage.split(' ').filter((word) => /^[a-z]+(\|[a-z]+)+$/.test(word));
  const words = alternatives.flatMap((word) => word.split('|'));
  const known = /^(un)?install$/.test(name) ? clients.map(({ id }) => id) : words;
  return [
    ...known,
    ...Object.keys({ ...flags, ...everywhere }).map((flag) => `--${flag}`),
    ...settings.map((setting) => `--${flagOf(setting)}`),
    '--help',
  ];
}

function bash(words: Words): string {
  const cases = [...words].map(([name, after]) => `    ${name}) words="${after.join(' ')}" ;;`);
  return `_adjutant() {
  local words
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  [ "$COMP_CWORD" -eq 1 ] && words="${[...words.keys()].join(' ')} --help --version"
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _adjutant adjutant
`;
}

function zsh(words: Words): string {
  const cases = [...words].map(([name, after]) => `    ${name}) compadd -- ${after.join(' ')} ;;`);
  return `#compdef adjutant
_adjutant() {
  if (( CURRENT == 2 )); then
    compadd -- ${[...words.keys()].join(' ')} --help --version
    return
  fi
  case "\${words[2]}" in
${cases.join('\n')}
  esac
  _files
}
compdef _adjutant adjutant
`;
}

function fish(words: Words): string {
  const lines = [...words].flatMap(([name, after]) => [
    `complete -c adjutant -n __fish_use_subcommand -a ${name}`,
    ...after.map((word) =>
      word.startsWith('--')
        ? `complete -c adjutant -n '__fish_seen_subcommand_from ${name}' -l ${word.slice(2)}`
        : `complete -c adjutant -n '__fish_seen_subcommand_from ${name}' -a ${word}`,
    ),
  ]);
  return `${lines.join('\n')}\n`;
}
