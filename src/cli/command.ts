import type { CommandFlag, LoadedConfig } from '../config.ts';

/** One subcommand: what it is for, what it takes, and what it does. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** How it is written, after the program's name. */
  readonly usage: string;
  readonly flags?: Readonly<Record<string, CommandFlag>>;
  /** Settings worth showing in its help, by name. */
  readonly settings: readonly string[];
  run(loaded: LoadedConfig, terminal: Terminal): Promise<number>;
}

/** What a command may use of the process it runs in. */
export interface Terminal {
  readonly input: NodeJS.ReadStream;
  /** Writes to the real standard output, which nothing else can reach. */
  readonly output: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  print(text: string): void;
}

/** Wrong use of a command; the message says what to do instead. */
export class UsageError extends Error {}

/** Resolves when the process is asked to end. */
export function stopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
}
