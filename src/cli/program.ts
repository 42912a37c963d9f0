import { ConfigError, type LoadedConfig, loadConfig } from '../config.ts';
import { messageOf } from '../json.ts';
import { setLogLevel } from '../log.ts';
import { nearest } from '../nearest.ts';
import { version } from '../version.ts';
import { type Command, type Terminal, UsageError } from './command.ts';

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

/** Runs one command line and tells the exit code: 0 done, 1 failed, 2 wrongly called. */
export async function runProgram(argv: readonly string[], terminal: Terminal, cwd: string): Promise<number> {
  const [name, ...rest] = argv;
  if (name === '--version' || name === '-v') {
    terminal.print(`${version}\n`);
    return 0;
  }
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    const { programHelp } = await import('./help.ts');
    terminal.print(programHelp(await Promise.all(Object.values(commands).map((load) => load()))));
    return name === undefined ? 2 : 0;
  }
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (load === undefined) {
    const meant = nearest(name, Object.keys(commands));
    return fail(
      `unknown command "${name}"${meant ? `; did you mean ${meant}?` : '; run adjutant --help'}`,
      2,
    );
  }
  const command = await load();
  if (rest.includes('--help') || rest.includes('-h')) {
    const { commandHelp } = await import('./help.ts');
    terminal.print(commandHelp(command));
    return 0;
  }
  try {
    const loaded = await loadConfig({
      argv: rest,
      env: terminal.env,
      cwd,
      commandFlags: { ...everywhere, ...command.flags },
    });
    setLogLevel(loaded.config.log_level);
    return await command.run(loaded, isSilent(command, loaded) ? silent(terminal) : terminal);
  } catch (error) {
    if (error instanceof ConfigError || error instanceof UsageError) return fail(error.message, 2);
    return fail(messageOf(error), 1);
  }
}

/** Flags that every command takes. */
export const everywhere = {
  quiet: { type: 'boolean', short: 'q', description: 'Print nothing but errors.' },
} as const;

/** A command may mean something of its own by being quiet. */
function isSilent({ flags }: Command, loaded: LoadedConfig): boolean {
  return loaded.flags['quiet'] === true && flags?.['quiet'] === undefined;
}

function silent(terminal: Terminal): Terminal {
  return { ...terminal, print: () => {} };
}

function fail(message: string, code: number): number {
  process.stderr.write(`adjutant: ${message}\n`);
  return code;
}
