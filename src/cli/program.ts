import { ConfigError, type LoadedConfig, loadConfig } from '../config.ts';
import { Failure } from '../failure.ts';
import { messageOf } from '../json.ts';
import { type LogLevel, setLogLevel } from '../log.ts';
import { nearest } from '../nearest.ts';
import { storageReason } from '../storage-error.ts';
import { version } from '../version.ts';
import { type Command, commonFlags, UsageError } from './terminal/command.ts';
import { createTerminal, Interrupted, printable, type Streams } from './terminal/terminal.ts';

/** Commands by name. Each is loaded on use, so that none slows down the start of another. */
export const commands: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve.ts')).serve,
  open: async () => (await import('./background/open.ts')).open,
  service: async () => (await import('./background/background.ts')).service,
  install: async () => (await import('./install/install.ts')).install,
  uninstall: async () => (await import('./install/install.ts')).uninstall,
  doctor: async () => (await import('./doctor/doctor.ts')).doctor,
  demo: async () => (await import('./demo.ts')).demo,
  prompts: async () => (await import('./prompts/prompts.ts')).prompts,
  delegate: async () => (await import('./delegate.ts')).delegate,
  runs: async () => (await import('./runs.ts')).runs,
  users: async () => (await import('./assistant/users.ts')).users,
  events: async () => (await import('./assistant/events.ts')).events,
  calendars: async () => (await import('./assistant/calendars.ts')).calendars,
  notifications: async () => (await import('./assistant/notifications.ts')).notifications,
  worker: async () => (await import('./assistant/worker.ts')).worker,
  audit: async () => (await import('./audit.ts')).audit,
  tokens: async () => (await import('./tokens.ts')).tokens,
  migrate: async () => (await import('./assistant/migrate.ts')).migrate,
  completion: async () => (await import('./completion.ts')).completion,
};

/** Runs a command line. Resolves to the exit code: 0 success, 1 failure, 2 wrong usage, 130 interrupted. */
export async function runProgram(argv: readonly string[], streams: Streams, cwd: string): Promise<number> {
  const [name, ...rest] = argv;
  const json = argv.includes('--json');
  let flags: Command['flags'];
  try {
    if (name === '--version' || name === '-v') {
      streams.output.write(`${version}\n`);
      return 0;
    }
    const wantsHelp = name === '--help' || name === '-h' || name === 'help';
    if (name === undefined || (wantsHelp && rest.length === 0)) {
      const { programHelp } = await import('./help.ts');
      streams.output.write(programHelp(await Promise.all(Object.values(commands).map((load) => load()))));
      return name === undefined ? 2 : 0;
    }
    const command = await loadCommand(wantsHelp ? rest[0]! : name);
    if (wantsHelp || rest.includes('--help') || rest.includes('-h')) {
      const { commandHelp } = await import('./help.ts');
      streams.output.write(commandHelp(command, wantsHelp ? rest.slice(1) : rest));
      return 0;
    }
    flags = command.flags;
    const loaded = await loadConfig({
      argv: rest,
      env: streams.env,
      cwd,
      commandFlags: { ...commonFlags, ...command.flags },
      help: `adjutant ${name} --help`,
    });
    const extra = loaded.positionals[command.maxWords ?? 0];
    if (extra !== undefined)
      throw new UsageError(`${name} does not take "${extra}"; usage: adjutant ${command.usage}`);
    setLogLevel(logLevelOf(loaded));
    return await command.run(loaded, createTerminal(streams, loaded.flags));
  } catch (thrown) {
    const error = await explain(thrown, flags);
    const { kind, code } = classifyError(error);
    const message = plainMessage(error);
    if (json) streams.output.write(`${JSON.stringify({ error: { kind, message } })}\n`);
    else streams.errors.write(`adjutant: ${streams.errors.isTTY ? printable(message) : message}\n`);
    return code;
  }
}

async function loadCommand(name: string): Promise<Command> {
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (load !== undefined) return load();
  if (name.startsWith('-'))
    throw new UsageError(`write ${name} after a command; adjutant --help lists the commands`);
  const meant = nearest(name, Object.keys(commands));
  throw new UsageError(
    `unknown command "${name}"${meant ? `; did you mean ${meant}?` : '; adjutant --help lists the commands'}`,
  );
}

/** Explains a failed call of a tool in the words of the command line. */
async function explain(error: unknown, flags: Command['flags']): Promise<unknown> {
  if (!(error instanceof Failure)) return error;
  const { explainFailure } = await import('./client/command-words.ts');
  return explainFailure(error, flags);
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
