import { mountable } from '../../src/prompts/formats/formats.ts';
import { calendarInputs } from './calendar-inputs.ts';
import { messageInputs } from './message-inputs.ts';
import { mountInputs } from './mount-inputs.ts';
import { promptInputs } from './prompt-inputs.ts';

/** A request that works on a hostile input. */
export interface HostileInput {
  readonly name: string;
  readonly tool: string;
  /** The arguments, as JSON text where `JSON.stringify` cannot write them. `$HOME` is the server's home folder. */
  readonly args: object | string;
  /** Files to write into the home folder first, by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** A method other than `tools/call`. The arguments are its parameters. */
  readonly method?: string;
}

export type Shape = readonly [name: string, text: string];

/** Mounts of the server: every format has a folder of its name in the home folder. */
export const mounted: readonly string[] = mountable;

/**
 * Inputs of about this many characters for everything that reads the input of others, most of which once took far longer
 * than harmless text of the same length.
 */
export function hostileInputs(size: number): readonly HostileInput[] {
  return [...messageInputs(size), ...promptInputs(size), ...mountInputs(size), ...calendarInputs(size)];
}
