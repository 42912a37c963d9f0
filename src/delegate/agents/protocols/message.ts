import { isObject } from '../../../json.ts';

/** A message of an agent, or a part of one, of which nothing is known yet. */
export type Message = Readonly<Record<string, unknown>>;

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

/** The arguments of a call that no other field of the request shows. */
export function otherArguments(input: Message, shown: readonly string[]): { readonly arguments?: string } {
  const others = Object.entries(input).filter(
    ([name, value]) => typeof value !== 'string' || !shown.includes(name),
  );
  return others.length === 0 ? {} : wholeArguments(Object.fromEntries(others));
}

export function wholeArguments(value: unknown): { readonly arguments: string } {
  return { arguments: JSON.stringify(value, undefined, 2) };
}
