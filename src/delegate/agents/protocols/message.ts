import { isObject } from '../../../json.ts';

/** A message of an agent, or a part of one, of which nothing is known yet. */
export type Message = Readonly<Record<string, unknown>>;

/** Longer diffs are cut at their end. */
export const maxDiffChars = 64 * 1024;
const maxOutputChars = 16 * 1024;

export function objects(value: unknown): readonly Message[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Cuts the output of a command at its beginning. */
export function lastPart(output: string): string {
  return output.length <= maxOutputChars ? output : `…${output.slice(1 - maxOutputChars)}`;
}
