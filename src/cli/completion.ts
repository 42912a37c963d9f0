import type { Config } from '../config.ts';
import { NamedTokens } from '../identity/named-tokens.ts';
import { wholeList } from '../paging.ts';
import { flagName, type Setting } from '../setting.ts';
import { settings } from '../settings.ts';
import { findAction } from './guesses.ts';
import {
  type Action,
  commonFlags,
  type LocalClient,
  single,
  UsageError,
  type Use,
} from './terminal/command.ts';

/** Each script asks `adjutant completion --words` for the words that fit. */
const scripts: Readonly<Record<string, string>> = {
  bash: `_adjutant() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$("\${COMP_WORDS[0]}" completion --words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _adjutant adjutant
`,
  zsh: `#compdef adjutant
_adjutant() {
  local -a found
  found=("\${(@f)$("\${words[1]}" completion --words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if (( \${#found} )) && [[ -n "\${found[1]}" ]]; then compadd -- $found; else _files; fi
}
# When the file is in the fpath, completion calls it as _adjutant; otherwise it was sourced.
if [[ "\${funcstack[1]}" == _adjutant ]]; then _adjutant "$@"; else compdef _adjutant adjutant; fi
`,
  fish: `complete -c adjutant -a '(set -l words (commandline -opc) (commandline -ct); $words[1] completion --words -- $words[2..-1] 2>/dev/null)'
`,
};

export const completion = single('completion', {
  summary: 'Print a completion script for a shell',
  args: '[SHELL…]',
  notes: { SHELL: Object.keys(scripts).join(', ') },
  flags: { words: { type: 'boolean', description: 'Print the words that fit, for such a script' } },
  examples: ['completion bash', 'completion zsh'],
  async run({ connect, loaded, flags, words, terminal }) {
    if (flags['words'] === true) {
      const found = await fittingWords(words, { loaded, connect });
      terminal.answer({ words: found }, found.join('\n'));
      return 0;
    }
    const [shell = ''] = words;
    const script = Object.hasOwn(scripts, shell) ? scripts[shell]! : undefined;
    if (script === undefined || words.length > 1)
      throw new UsageError(`completion needs a shell: ${Object.keys(scripts).join(', ')}`);
    terminal.answer({ shell, script }, script);
    return 0;
  },
});

/** The names that a word of the help stands for. Everything else is completed as a file. */
const names: Readonly<Record<string, (client: LocalClient, config: Config) => Promise<readonly string[]>>> = {
  PROMPT: async (client) =>
    (await client.call('list_prompts', wholeList)).value.prompts.map(({ name }) => name),
  PERSON: async (client) => (await client.call('list_users', wholeList)).value.users.map(({ id }) => id),
  RUN: async (client) => [
    'last',
    ...(await client.call('list_runs', { limit: 20 })).value.runs.map(({ run_id }) => run_id),
  ],
  EVENT: async (client) => (await client.call('list_events', wholeList)).value.events.map(({ id }) => id),
  CALENDAR: async (client) =>
    (await client.call('list_calendars', wholeList)).value.calendars.map(({ id }) => id),
  ROUTINE: async (client) =>
    (await client.call('list_routines', wholeList)).value.routines.map(({ name }) => name),
  TOKEN: async (_, config) => new NamedTokens(config['http.state_dir']).list().map(({ name }) => name),
  CHANNEL: async (client) => (await client.call('list_channels', {})).value.channels.map(({ name }) => name),
  AGENT: async (client) => (await client.call('list_agents', {})).value.agents.map(({ name }) => name),
};

/** Words that stay the same. */
const fixed: Readonly<Record<string, () => Promise<readonly string[]>>> = {
  CLIENT: async () => (await import('./install/clients.ts')).clients.map(({ id }) => id),
  SERVICE: async () => (await import('./background/service-manager.ts')).serviceNames,
  TOOL: async () => (await import('../toolsets/toolsets.ts')).toolNames,
  KEY: async () => Object.keys(settings),
  SHELL: async () => Object.keys(scripts),
};

/** What can follow the words of a command line. The last word is being written. */
async function fittingWords(
  words: readonly string[],
  { loaded, connect }: Pick<Use, 'loaded' | 'connect'>,
): Promise<readonly string[]> {
  const { commands } = await import('./program.ts');
  const [name = '', ...after] = words;
  if (after.length === 0) return [...Object.keys(commands), '--help', '--version'];
  if (!Object.hasOwn(commands, name)) return [];
  const command = await commands[name]!();
  const isSingle = Object.hasOwn(command.actions, '');
  const before = after.slice(0, -1).filter((word) => !word.startsWith('-'));
  if (!isSingle && before.length === 0 && !after.at(-1)!.startsWith('-')) return Object.keys(command.actions);
  const found = findAction(command, isSingle ? '' : (before[0] ?? ''));
  if (found === undefined) return [];
  const action = command.actions[found]!;
  const word = wantedName(action, after, isSingle ? before : before.slice(1));
  if (typeof word !== 'string') return word;
  // Commands of prompts take the name of an existing prompt. Other commands take a new name, which cannot be completed.
  const wanted = word === 'NAME' && name === 'prompts' ? 'PROMPT' : word;
  if (Object.hasOwn(fixed, wanted)) return fixed[wanted]!();
  const listed = Object.hasOwn(names, wanted) ? names[wanted]! : undefined;
  if (listed === undefined) return [];
  const client = await connect();
  return await listed(client, loaded.config).catch(() => []);
}

/** What the last word stands for in the help, or the words themselves if they are known. */
function wantedName(
  action: Action,
  after: readonly string[],
  before: readonly string[],
): string | readonly string[] {
  const flags = { ...commonFlags, ...action.flags };
  const [last, previous = ''] = [after.at(-1)!, after.at(-2) ?? ''];
  if (last.startsWith('-'))
    return [...Object.keys(flags), ...Object.keys(settings).map(flagName), 'help'].map((one) => `--${one}`);
  const flag = previous.startsWith('--') ? flags[previous.slice(2)] : undefined;
  if (flag?.type === 'string') return flag.values ?? flag.value ?? '';
  const setting = Object.entries<Setting>(settings).find(([one]) => `--${flagName(one)}` === previous)?.[1];
  if (setting !== undefined && setting.type !== 'boolean')
    return setting.type === 'choice' ? setting.values : [];
  const args = (action.args ?? '').split(' ').filter(Boolean);
  const spec = args[before.length] ?? (args.at(-1)?.includes('…') ? args.at(-1)! : '');
  return spec.replaceAll(/[[\]…]/g, '').replace(/@.*|=.*/, '');
}
