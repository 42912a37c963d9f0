import { MissingFeature } from '../app.ts';
import { ConfigError, loadConfig } from '../config.ts';
import { messageOf } from '../json.ts';
import { setLogLevel } from '../log.ts';
import { nearest } from '../nearest.ts';
import { version } from '../version.ts';
import { type Command, type Terminal, UsageError } from './command.ts';
import { serve } from './serve.ts';

export const commands: readonly Command[] = [serve];

/** Runs one command line and tells the exit code: 0 done, 1 failed, 2 wrongly called. */
export async function runProgram(argv: readonly string[], terminal: Terminal, cwd: string): Promise<number> {
  const [name, ...rest] = argv;
  if (name === '--version' || name === '-v') {
    terminal.print(`${version}\n`);
    return 0;
  }
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    const { programHelp } = await import('./help.ts');
    terminal.print(programHelp(commands));
    return name === undefined ? 2 : 0;
  }
  const command = commands.find((candidate) => candidate.name === name);
  if (command === undefined) {
    const meant = nearest(
      name,
      commands.map((candidate) => candidate.name),
    );
    return fail(
      `unknown command "${name}"${meant ? `; did you mean ${meant}?` : '; run adjutant --help'}`,
      2,
    );
  }
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
      commandFlags: command.flags ?? {},
    });
    setLogLevel(loaded.config.log_level);
    return await command.run(loaded, terminal);
  } catch (error) {
    if (error instanceof ConfigError || error instanceof UsageError) return fail(error.message, 2);
    if (error instanceof MissingFeature) return fail(error.message, 1);
    return fail(messageOf(error), 1);
  }
}

function fail(message: string, code: number): number {
  process.stderr.write(`adjutant: ${message}\n`);
  return code;
}
