import { ConfigError, type LoadedConfig, loadConfig } from '../config.ts';
import { messageOf } from '../json.ts';
import { type LogLevel, setLogLevel } from '../log.ts';
import { nearest } from '../nearest.ts';
import { version } from '../version.ts';
import { type Command, everywhere, Interrupted, type Streams, type Terminal, UsageError } from './command.ts';
import { Progress } from './progress.ts';

/** Loaded when called for: starting one command does not pay for the others. */
export const commands: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve.ts')).serve,
  users: async () => (await import('./users.ts')).users,
  events: async () => (await import('./events.ts')).events,
  notifications: async () => (await import('./notifications.ts')).notifications,
  worker: async () => (await import('./worker.ts')).worker,
  migrate: async () => (await import('./migrate.ts')).migrate,
  install: async () => (await import('./install.ts')).install,
  uninstall: async () => (await import('./install.ts')).uninstall,
  demo: async () => (await import('./demo.ts')).demo,
  doctor: async () => (await import('./doctor.ts')).doctor,
  prompts: async () => (await import('./prompts.ts')).prompts,
  delegate: async () => (await import('./delegate.ts')).delegate,
  runs: async () => (await import('./runs.ts')).runs,
  calendars: async () => (await import('./calendars.ts')).calendars,
  completion: async () => (await import('./completion.ts')).completion,
};

/** Runs one command line and tells the exit code: 0 done, 1 failed, 2 wrongly called, 130 interrupted. */
export async function runProgram(argv: readonly string[], streams: Streams, cwd: string): Promise<number> {
  const [name, ...rest] = argv;
  const json = argv.includes('--json');
  try {
    if (name === '--version' || name === '-v') {
      streams.output.write(`${version}\n`);
      return 0;
    }
    if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
      const { programHelp } = await import('./help.ts');
      streams.output.write(programHelp(await Promise.all(Object.values(commands).map((load) => load()))));
      return name === undefined ? 2 : 0;
    }
    const command = await commandNamed(name);
    if (rest.includes('--help') || rest.includes('-h')) {
      const { commandHelp } = await import('./help.ts');
      streams.output.write(commandHelp(command));
      return 0;
    }
    const loaded = await loadConfig({
      argv: rest,
      env: streams.env,
      cwd,
      commandFlags: { ...everywhere, ...command.flags },
    });
    setLogLevel(logLevelOf(loaded));
    return await command.run(loaded, createTerminal(streams, loaded.flags));
  } catch (error) {
    const { kind, code } = sortOf(error);
    const message = messageOf(error);
    if (json) streams.output.write(`${JSON.stringify({ error: { kind, message } })}\n`);
    else streams.errors.write(`adjutant: ${message}\n`);
    return code;
  }
}

async function commandNamed(name: string): Promise<Command> {
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (load !== undefined) return load();
  const meant = nearest(name, Object.keys(commands));
  throw new UsageError(
    `unknown command "${name}"${meant ? `; did you mean ${meant}?` : '; run adjutant --help'}`,
  );
}

/** How an error is told to programs, by word and by exit code. */
function sortOf(error: unknown): { readonly kind: string; readonly code: number } {
  if (error instanceof Interrupted) return { kind: 'interrupted', code: 130 };
  if (error instanceof ConfigError || error instanceof UsageError) return { kind: 'usage', code: 2 };
  return { kind: 'failed', code: 1 };
}

/** Whoever wants quiet and did not say what of the log, wants none of it but errors. */
function logLevelOf({ config, flags, origins }: LoadedConfig): LogLevel {
  return flags['quiet'] === true && origins['log_level'] === 'default' ? 'error' : config.log_level;
}

function createTerminal(streams: Streams, flags: LoadedConfig['flags']): Terminal {
  const json = flags['json'] === true;
  const silent = json || flags['quiet'] === true;
  const progress = new Progress(streams.errors, streams.env, { silent });
  const print = (text: string) => {
    progress.erase();
    streams.output.write(text);
  };
  const answer: Terminal['answer'] = (value, text) => {
    const written = json ? JSON.stringify(value, null, 2) : typeof text === 'string' ? text : text();
    if (written !== '') print(written.endsWith('\n') ? written : `${written}\n`);
  };
  return {
    ...streams,
    json,
    progress,
    print,
    answer,
    report: silent && !json ? () => {} : answer,
    tell: silent ? () => {} : (text) => void streams.errors.write(text),
  };
}
