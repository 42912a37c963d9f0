import { setTimeout as pause } from 'node:timers/promises';
import type { CommandFlag, LoadedConfig } from '../../config.ts';
import { log } from '../../log.ts';
import { nearest } from '../../nearest.ts';
import { settings } from '../../settings.ts';
import type { Terminal } from './terminal.ts';

/** One command of the program. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** The usage line, without the program's name. */
  readonly usage: string;
  /** Maximum number of words besides flags. Default: none. */
  readonly maxWords?: number;
  readonly flags?: Readonly<Record<string, CommandFlag>>;
  /** Names of the settings that the help lists. */
  readonly settings: readonly string[];
  run(loaded: LoadedConfig, terminal: Terminal): Promise<number>;
}

/** The subcommands in the usage line. */
export function listSubcommands({ usage }: Command): readonly string[] {
  return /(?<= \[?)[a-z-]+(?:\|[a-z-]+)+/.exec(usage)?.[0].split('|') ?? [];
}

/** Flags of every command. A command can override the description. */
export const commonFlags: Readonly<Record<string, CommandFlag>> = {
  json: { type: 'boolean', description: 'Print JSON.' },
  quiet: { type: 'boolean', short: 'q', description: 'Print only results and errors.' },
};

/** The settings of delivery, for the help of commands. Only `serve --http` reads delivery.with_server. */
export const deliverySettings: readonly string[] = Object.keys(settings).filter(
  (name) => name.startsWith('delivery.') && name !== 'delivery.with_server',
);

/** Wrong use of a command. The message says what to do instead. */
export class UsageError extends Error {}

/** The whole number that a flag gives. `undefined` if it is not given. */
export function parseNumber(raw: unknown, flag: string): number | undefined {
  if (raw === undefined) return undefined;
  const value = Number(raw);
  if (!Number.isInteger(value) || value < 0)
    throw new UsageError(`--${flag} must be a whole number, not "${raw}"`);
  return value;
}

/** Error for an unknown subcommand. Suggests a similar one, or lists all. */
export function unknownSubcommand(command: string, word: string, known: readonly string[]): UsageError {
  const meant = nearest(word, known);
  const instead = meant ? `did you mean ${command} ${meant}?` : `known are ${known.join(', ')}`;
  return new UsageError(`unknown subcommand "${command} ${word}"; ${instead}`);
}

/** Resolves on SIGINT or SIGTERM. */
export function stopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
}

/** Some service managers kill a process that needs ten seconds to stop. */
const maxStopMs = 8_000;

/** Waits for the last work of a process, but not for long after it was stopped. Resolves to the exit code. */
export async function finish(work: Promise<unknown>, stop: Promise<void>): Promise<number> {
  const late = stop.then(() => pause(maxStopMs, 'late'));
  if ((await Promise.race([work, late])) !== 'late') return 0;
  log('warning', 'exiting although some work is not finished; other processes will take it over');
  return 1;
}
