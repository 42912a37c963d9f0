import { flagName, type Setting } from '../setting.ts';
import { settings } from '../settings.ts';
import { type Command, commonFlags, listSubcommands, UsageError } from './terminal/command.ts';

/** A command with the words and flags that may follow it. */
interface CompletedCommand {
  readonly name: string;
  readonly summary: string;
  /** Subcommands, as the usage names them. */
  readonly words: readonly string[];
  readonly flags: readonly Flag[];
}

interface Flag {
  readonly flag: string;
  readonly description: string;
  /** Known values, or an empty list if any value is allowed. Absent if the flag takes no value. */
  readonly values?: readonly string[];
}

const shells: Readonly<Record<string, (commands: readonly CompletedCommand[]) => string>> = {
  bash,
  zsh,
  fish,
};

export const completion: Command = {
  name: 'completion',
  summary: 'Print a completion script for a shell.',
  usage: 'completion bash|zsh|fish',
  maxWords: 1,
  settings: [],
  async run({ positionals: [shell = ''] }, terminal) {
    const script = Object.hasOwn(shells, shell) ? shells[shell]! : undefined;
    if (script === undefined)
      throw new UsageError(`completion needs a shell: ${Object.keys(shells).join(', ')}`);
    const { commands } = await import('./program.ts');
    const all = await Promise.all(Object.values(commands).map((load) => load()));
    const text = script(all.map(describeCommand));
    terminal.answer({ shell, script: text }, text);
    return 0;
  },
};

function describeCommand(command: Command): CompletedCommand {
  const { name, summary, flags = {}, settings: named } = command;
  const table: Readonly<Record<string, Setting>> = settings;
  const own = Object.entries({ ...commonFlags, ...flags }).map(
    ([flag, { type, description, values = [] }]): Flag => ({
      flag: `--${flag}`,
      description,
      ...(type === 'string' && { values }),
    }),
  );
  const shared = named.map((setting): Flag => {
    const one = table[setting]!;
    const values = one.type === 'choice' ? one.values : [];
    return {
      flag: `--${flagName(setting)}`,
      description: one.description,
      ...(one.type !== 'boolean' && { values }),
    };
  });
  return {
    name,
    summary,
    words: listSubcommands(command),
    flags: [...own, ...shared, { flag: '--help', description: 'Show this help.' }],
  };
}

/** Pairs of `COMMAND --FLAG` and the flag's known values. Without known values, file names are completed. */
function flagValues(
  commands: readonly CompletedCommand[],
): readonly (readonly [string, readonly string[]])[] {
  return commands.flatMap(({ name, flags }) =>
    flags.flatMap(({ flag, values }) => (values === undefined ? [] : [[`${name} ${flag}`, values] as const])),
  );
}

function bash(commands: readonly CompletedCommand[]): string {
  const cases = commands.map(
    ({ name, words, flags }) =>
      `    ${name}) words="${words.join(' ')}" flags="${flags.map(({ flag }) => flag).join(' ')}" ;;`,
  );
  const values = flagValues(commands).map(
    ([after, known]) => `    "${after}") values="${known.join(' ')}" ;;`,
  );
  return `_adjutant() {
  local command="\${COMP_WORDS[1]}" last="\${COMP_WORDS[COMP_CWORD-1]}" word="\${COMP_WORDS[COMP_CWORD]}"
  local words="" flags="" values="-" offered=""
  case "$command" in
${cases.join('\n')}
  esac
  case "$command $last" in
${values.join('\n')}
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then offered="${commands.map(({ name }) => name).join(' ')} --help --version"
  elif [ "$values" != - ]; then offered="$values"
  elif [ "\${word#-}" != "$word" ]; then offered="$flags"
  elif [ "$COMP_CWORD" -eq 2 ]; then offered="$words"
  fi
  COMPREPLY=($(compgen -W "$offered" -- "$word"))
}
complete -o default -F _adjutant adjutant
`;
}

function zsh(commands: readonly CompletedCommand[]): string {
  const cases = commands.map(
    ({ name, words, flags }) =>
      `    ${name}) own=(${words.join(' ')}) flags=(${flags.map(({ flag }) => flag).join(' ')}) ;;`,
  );
  const values = flagValues(commands).map(
    ([after, known]) =>
      `    "${after}") ${known.length === 0 ? '_files' : `compadd -- ${known.join(' ')}`}; return ;;`,
  );
  return `#compdef adjutant
_adjutant() {
  local -a own flags
  if (( CURRENT == 2 )); then
    compadd -- ${commands.map(({ name }) => name).join(' ')} --help --version
    return
  fi
  case "\${words[2]} \${words[CURRENT-1]}" in
${values.join('\n')}
  esac
  case "\${words[2]}" in
${cases.join('\n')}
  esac
  if [[ "\${words[CURRENT]}" == -* ]]; then compadd -- $flags
  elif (( CURRENT == 3 && $#own )); then compadd -- $own
  else _files
  fi
}
# When the file is in the fpath, completion calls it as _adjutant; otherwise it was sourced.
if [[ "\${funcstack[1]}" == _adjutant ]]; then _adjutant "$@"; else compdef _adjutant adjutant; fi
`;
}

function fish(commands: readonly CompletedCommand[]): string {
  const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = commands.flatMap(({ name, summary, words, flags }) => {
    const after = `complete -c adjutant -n '__fish_seen_subcommand_from ${name}'`;
    const first = `complete -c adjutant -f -n '__fish_seen_subcommand_from ${name}; and not __fish_seen_subcommand_from ${words.join(' ')}'`;
    return [
      `complete -c adjutant -f -n __fish_use_subcommand -a ${name} -d ${quote(summary)}`,
      ...(words.length === 0 ? [] : [`${first} -a ${quote(words.join(' '))}`]),
      ...flags.map(({ flag, description, values }) => {
        const value =
          values === undefined ? '' : values.length === 0 ? ' -r' : ` -x -a ${quote(values.join(' '))}`;
        return `${after} -l ${flag.slice(2)}${value} -d ${quote(description)}`;
      }),
    ];
  });
  return `${lines.join('\n')}\n`;
}
