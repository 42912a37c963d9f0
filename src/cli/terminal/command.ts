import type { CommandFlag, LoadedConfig } from '../../config.ts';
import { nearest } from '../../nearest.ts';
import type { Progress } from './progress.ts';

/** One subcommand: what it is for, what it takes, and what it does. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** How it is written, after the program's name. */
  readonly usage: string;
  /** How many words may follow, besides flags; none unless said. */
  readonly words?: number;
  readonly flags?: Readonly<Record<string, CommandFlag>>;
  /** Settings worth showing in its help, by name. */
  readonly settings: readonly string[];
  run(loaded: LoadedConfig, terminal: Terminal): Promise<number>;
}

/** The words one of which comes first, as the usage names them. */
export function firstWords({ usage }: Command): readonly string[] {
  return /(?<= \[?)[a-z]+(?:\|[a-z]+)+/.exec(usage)?.[0].split('|') ?? [];
}

/** Flags that every command takes. A command may describe one anew where it means something of its own by it. */
export const everywhere: Readonly<Record<string, CommandFlag>> = {
  json: { type: 'boolean', description: 'Print JSON, for programs.' },
  quiet: { type: 'boolean', short: 'q', description: 'Print only what was asked for, and errors.' },
};

/** The process a command line runs in. */
export interface Streams {
  readonly input: NodeJS.ReadStream;
  /** The real standard output, which nothing else can reach. */
  readonly output: NodeJS.WriteStream;
  readonly errors: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What a command may use of it. */
export interface Terminal extends Streams {
  readonly json: boolean;
  readonly progress: Progress;
  /** Writes what was asked for. */
  print(text: string): void;
  /** Writes what was asked for as programs want it, with --json, or as people do. */
  answer(value: unknown, text: string | (() => string)): void;
  /** The same for what only says that something was done: --quiet leaves the text out. */
  report(value: unknown, text: string | (() => string)): void;
  /** Writes beside the output what has to be said in any case. */
  note(text: string): void;
  /** Remarks beside the output, which --quiet and --json leave out. */
  tell(text: string): void;
}

/** Wrong use of a command; the message says what to do instead. */
export class UsageError extends Error {}

/** A word that a command does not take, with the one that may have been meant or all there are. */
export function unknownWord(command: string, word: string, known: readonly string[]): UsageError {
  const meant = nearest(word, known);
  const instead = meant ? `did you mean ${command} ${meant}?` : `there are ${known.join(', ')}`;
  return new UsageError(`${command} ${word} is not known; ${instead}`);
}

/** The person has had enough. */
export class Interrupted extends Error {
  constructor() {
    super('interrupted');
  }
}

/** Resolves when the process is asked to end. */
export function stopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
}
