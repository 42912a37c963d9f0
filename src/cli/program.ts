import { ConfigError, type LoadedConfig, loadConfig, UnknownFlag } from '../config.ts';
import { Failure } from '../failure.ts';
import { messageOf } from '../json.ts';
import { type LogLevel, setLogFormat, setLogLevel } from '../log.ts';
import { storageReason } from '../storage-error.ts';
import { version } from '../version.ts';
import {
  type Action,
  type Command,
  commonFlags,
  type LocalClient,
  UsageError,
  type Use,
} from './terminal/command.ts';
import { createTerminal, Interrupted, printable, type Streams } from './terminal/terminal.ts';
import { withSuggestions } from './terminal/usage-error.ts';
import { hanging } from './terminal/wrap.ts';

/** Commands by name. Each is loaded on use, so that none slows down the start of another. */
export const commands: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve.ts')).serve,
  open: async () => (await import('./background/open.ts')).open,
  service: async () => (await import('./background/background.ts')).service,
  install: async () => (await import('./install/install.ts')).install,
  uninstall: async () => (await import('./install/install.ts')).uninstall,
  doctor: async () => (await import('./doctor/doctor.ts')).doctor,
  demo: async () => (await import('./demo.ts')).demo,
  status: async () => (await import('./status.ts')).status,
  config: async () => (await import('./config.ts')).config,
  agents: async () => (await import('./agents.ts')).agents,
  tools: async () => (await import('./tools.ts')).tools,
  logs: async () => (await import('./background/logs.ts')).logs,
  version: async () => (await import('./status.ts')).versionCommand,
  prompts: async () => (await import('./prompts/prompts.ts')).prompts,
  delegate: async () => (await import('./delegate.ts')).delegate,
  runs: async () => (await import('./runs.ts')).runs,
  routines: async () => (await import('./routines.ts')).routines,
  remind: async () => (await import('./assistant/remind.ts')).remind,
  send: async () => (await import('./assistant/send.ts')).send,
  inbox: async () => (await import('./assistant/inbox.ts')).inbox,
  today: async () => (await import('./assistant/today.ts')).today,
  users: async () => (await import('./assistant/users.ts')).users,
  events: async () => (await import('./assistant/events.ts')).events,
  calendars: async () => (await import('./assistant/calendars.ts')).calendars,
  notifications: async () => (await import('./assistant/notifications.ts')).notifications,
  worker: async () => (await import('./assistant/worker.ts')).worker,
  audit: async () => (await import('./audit.ts')).audit,
  tokens: async () => (await import('./tokens.ts')).tokens,
  backup: async () => (await import('./backup.ts')).backup,
  restore: async () => (await import('./backup.ts')).restore,
  migrate: async () => (await import('./assistant/migrate.ts')).migrate,
  completion: async () => (await import('./completion.ts')).completion,
};

/** Runs a command line. Resolves to the exit code: 0 success, 1 failure, 2 wrong usage, 130 interrupted. */
export async function runProgram(argv: readonly string[], streams: Streams, cwd: string): Promise<number> {
  const [name, ...rest] = argv;
  const json = argv.includes('--json');
  let action: Action | undefined;
  let neverFails = false;
  try {
    // The servers that Adjutant replaces take --version among their other flags.
    if (
      name === '--version' ||
      name === '-v' ||
      name === '-V' ||
      (name === 'serve' && rest.includes('--version'))
    ) {
      streams.output.write(`${version}\n`);
      return 0;
    }
    const wantsHelp = name === '--help' || name === '-h' || name === 'help';
    if (name === undefined || (wantsHelp && (rest.length === 0 || rest[0] === 'me'))) {
      const { programHelp } = await import('./help.ts');
      const all = await Promise.all(Object.values(commands).map((load) => load()));
      streams.output.write(programHelp(all, widthOf(streams)));
      return name === undefined ? 2 : 0;
    }
    const [asked, ...words] = wantsHelp ? rest.flatMap((word) => word.split(/\s+/)) : argv;
    const command = await loadCommand(asked!, words);
    if (wantsHelp || isHelpAsked(rest) || isHelpWord(rest)) {
      const { commandHelp } = await import('./help.ts');
      const named = words.find((word) => !word.startsWith('-') && word !== 'help');
      const found = named === undefined ? undefined : await findWord(command, named);
      streams.output.write(commandHelp(command, found, widthOf(streams)));
      return 0;
    }
    neverFails = command.actions[words[0] ?? '']?.neverFails ?? false;
    const loaded = await loadUse(command, {
      argv: rest,
      env: streams.env,
      cwd,
      commandFlags: Object.assign(
        {},
        commonFlags,
        ...Object.values(command.actions).map(({ flags }) => flags),
      ),
      help: `adjutant ${name} --help`,
    });
    const use = await findUse(command, loaded);
    action = use.action;
    setLogLevel(logLevelOf(loaded));
    setLogFormat(loaded.config.log_format);
    const terminal = createTerminal(streams, loaded.flags);
    const { config, flags } = loaded;
    const { words: given, word } = use;
    const title = `${command.name} ${word}`.trim();
    const changes = flags['dry-run'] === true ? undefined : action.changes;
    if (changes !== undefined && changes !== 'settings' && config.read_only)
      throw new Failure(
        'refused',
        `${title} changes data, and read_only is set (${loaded.origins['read_only']}).`,
      );
    const isLiteral = rest.includes('--');
    let client: Promise<LocalClient> | undefined;
    const connect: Use['connect'] = async (options) => {
      const { openLocalClient } = await import('./client/local-client.ts');
      client ??= openLocalClient(loaded, terminal, options);
      return client;
    };
    const work = async () => {
      try {
        return await use.action.run({ loaded, config, flags, words: given, terminal, connect, isLiteral });
      } finally {
        await (await client?.catch(() => undefined))?.[Symbol.asyncDispose]();
      }
    };
    if (changes === undefined || changes === 'home') return await work();
    const { recordChange } = await import('./recorded-change.ts');
    return await recordChange(config, title, given[0], work, (code) => code === 0);
  } catch (thrown) {
    const error = await explain(thrown, action);
    const { kind, code } = classifyError(error);
    const message = plainMessage(error);
    if (json) streams.output.write(`${JSON.stringify({ error: { kind, message } })}\n`);
    else streams.errors.write(errorText(message, streams));
    return neverFails ? 0 : code;
  }
}

/** `remind help` and `prompts create help`, but not a sentence that contains the word. */
function isHelpWord(argv: readonly string[]): boolean {
  return argv.length <= 2 && argv.at(-1) === 'help' && (argv.length === 1 || /^[a-z-]+$/.test(argv[0]!));
}

/** Loads the settings of a call. If a flag does not exist, the error names what does the same. */
async function loadUse(command: Command, sources: Parameters<typeof loadConfig>[0]): Promise<LoadedConfig> {
  try {
    return await loadConfig(sources);
  } catch (error) {
    if (!(error instanceof UnknownFlag)) throw error;
    const { flagMeant } = await import('./guesses.ts');
    const argv = sources.argv ?? [];
    const named = argv.find((word) => !word.startsWith('-'));
    const isSingle = Object.hasOwn(command.actions, '');
    const word =
      isSingle || named === undefined || named !== argv[0]
        ? Object.keys(command.actions)[0]!
        : await findWord(command, named);
    if (word === undefined) {
      const rest = argv.filter((one) => one !== named);
      throw await unknownAction(command, named!, rest);
    }
    const action = command.actions[word]!;
    const known = Object.keys({ ...action.flags, ...commonFlags, 'log-level': 0, home: 0, port: 0, host: 0 });
    const { flag, lines = [] } = flagMeant(error.flag, argv, command, action, known);
    if (flag !== undefined) throw new UsageError(`unknown flag ${error.flag}; did you mean --${flag}?`);
    const line = `${command.name} ${word}`.trim();
    if (lines.length > 0)
      throw new UsageError(withSuggestions(`unknown flag ${error.flag}`, lines, `${line} --help`));
    throw error.message.includes('did you mean')
      ? error
      : new UsageError(`${error.message}${usageOf(line, action)}`);
  }
}

const usageOf = (line: string, { args }: Action): string =>
  `\n  Usage: adjutant ${[line, args].filter(Boolean).join(' ')}`;

async function unknownAction(command: Command, given: string, rest: readonly string[]): Promise<UsageError> {
  const { name, actions } = command;
  const { similarActions } = await import('./guesses.ts');
  const lines = similarActions(command, given, rest);
  const message = withSuggestions(`there is no "${name} ${given}"`, lines, `${name} --help`);
  const isName = lines.length === 0 && actions['show']?.args !== undefined;
  return new UsageError(isName ? `${message}\n  If it is a name: adjutant ${name} show ${given}` : message);
}

function isHelpAsked(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end < 0 ? argv : argv.slice(0, end)).some((word) => word === '--help' || word === '-h');
}

/** Columns of the terminal. Other programs can set `COLUMNS`, as shells do. */
function widthOf({ output, env }: Streams): number {
  const columns = (output.isTTY && output.columns) || Number(env['COLUMNS']) || 80;
  return Math.max(40, Math.min(120, columns));
}

async function loadCommand(name: string, rest: readonly string[]): Promise<Command> {
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (load !== undefined) {
    return load();
  }
  const { guessCommands, pluralCommand } = await import('./guesses.ts');
  if (name.startsWith('-')) {
    const lines = guessCommands([name, ...rest], Object.keys(commands));
    const problem = `write ${name} after a command`;
    throw new UsageError(
      lines.length > 0
        ? withSuggestions(problem, lines, '--help')
        : `${problem}; adjutant --help lists the commands`,
    );
  }
  const plural = pluralCommand(name, Object.keys(commands));
  if (plural !== undefined) return commands[plural]!();
  throw new UsageError(
    withSuggestions(
      `there is no command "${name}"`,
      guessCommands([name, ...rest], Object.keys(commands)),
      '--help',
    ),
  );
}

async function findWord(command: Command, word: string): Promise<string | undefined> {
  if (Object.hasOwn(command.actions, word)) return word;
  const { findAction } = await import('./guesses.ts');
  return findAction(command, word);
}

interface FoundUse {
  readonly action: Action;
  readonly word: string;
  readonly words: readonly string[];
}

/** The action of a call. Throws if there is none, or if it does not take these words and flags. */
async function findUse(command: Command, { positionals, flags }: LoadedConfig): Promise<FoundUse> {
  const { name, actions } = command;
  const isSingle = Object.hasOwn(actions, '');
  const [given, ...after] = isSingle ? ['', ...positionals] : positionals;
  const word = given === undefined ? Object.keys(actions)[0]! : await findWord(command, given);
  if (word === undefined) throw await unknownAction(command, given!, after);
  const action = actions[word]!;
  const line = `${name} ${word}`.trim();
  const own = { ...commonFlags, ...action.flags };
  for (const [flag, value] of Object.entries(flags))
    if (value !== undefined && !Object.hasOwn(own, flag)) {
      const { flagMeant, linesOfFlag } = await import('./guesses.ts');
      const lines = linesOfFlag(line, flag, [...after, String(value)]);
      if (lines.length > 0)
        throw new UsageError(withSuggestions(`--${flag} cannot be used with ${line}`, lines, ''));
      const meant = flagMeant(`--${flag}`, positionals, command, action, Object.keys(own)).flag;
      const advice = meant === undefined ? '' : `; did you mean --${meant}?`;
      throw new UsageError(`--${flag} cannot be used with ${line}${advice}`);
    }
  const problem = wrongWords(line, action, after);
  if (problem === undefined) return { action, word, words: after };
  const { linesForWords } = await import('./guesses.ts');
  const lines = linesForWords(command, word, after);
  throw new UsageError(
    lines.length > 0 ? withSuggestions(problem, lines, '') : `${problem}${usageOf(line, action)}`,
  );
}

/** What is wrong with the number of words after an action. */
function wrongWords(line: string, { args = '' }: Action, words: readonly string[]): string | undefined {
  const wanted = args.split(' ').filter(Boolean);
  const missing = wanted.filter((one) => !one.startsWith('['))[words.length];
  if (missing !== undefined) return `${line} needs ${missing.replace('…', '')}`;
  if (line === 'events list' && /^(?:today|tomorrow|next|upcoming|day|week|month)$/.test(words[0] ?? ''))
    return `events list takes a person, not "${words[0]}"`;
  const extra = args.includes('…') ? undefined : words[wanted.length];
  return extra === undefined ? undefined : `${line} does not take "${extra}"`;
}

/** What is wrong, and on lines of their own what to do. On a terminal, no line breaks in a word. */
function errorText(message: string, { errors }: Streams): string {
  const lines = `adjutant: ${message}`.replaceAll(advice, '\n  ').split('\n');
  const shown = errors.isTTY
    ? lines.flatMap((line) => hanging(printable(line), 2, errors.columns || 80))
    : lines;
  return `${shown.join('\n')}\n`;
}

/** Begins a sentence that says what to do. */
const advice =
  / (?<=[.?] )(?=(?:Write|Say|Use|Name|Choose|Run|Start|Set|Add|Install|Did you mean|Now it is|"adjutant)\b)/g;

/** Explains a failed call of a tool in the words of the command line. */
async function explain(error: unknown, action: Action | undefined): Promise<unknown> {
  if (!(error instanceof Failure)) return error;
  const { explainFailure } = await import('./client/command-words.ts');
  const explained = explainFailure(error, action?.flags);
  const isMissing = error.issues.some(({ keyword }) => keyword === 'required');
  const [example] = isMissing ? (action?.examples ?? []) : [];
  if (example !== undefined) explained.message += `\n  Example: adjutant ${example}`;
  return explained;
}

/** Explains a file system error in plain words that begin with the path. */
function plainMessage(error: unknown): string {
  const { code = '', path } = error as NodeJS.ErrnoException;
  const others: Readonly<Record<string, string>> = {
    ENOENT: 'no such file or folder',
    ENOTDIR: 'a part of the path is a file, not a folder',
    EISDIR: 'it is a folder',
  };
  const reason = storageReason(error) ?? others[code];
  return path !== undefined && reason !== undefined ? `${path}: ${reason}` : messageOf(error);
}

/** The kind of an error for --json, and its exit code. */
function classifyError(error: unknown): { readonly kind: string; readonly code: number } {
  if (error instanceof Interrupted) return { kind: 'interrupted', code: 130 };
  if (error instanceof ConfigError || error instanceof UsageError) return { kind: 'usage', code: 2 };
  return { kind: 'failed', code: 1 };
}

/** --quiet limits the log to errors, unless a log level is set. */
function logLevelOf({ config, flags, origins }: LoadedConfig): LogLevel {
  return flags['quiet'] === true && origins['log_level'] === 'default' ? 'error' : config.log_level;
}
