import { messageOf } from '../../json.ts';

/** An error raised by a filter. The message must not contain any of the values. */
export class FilterError extends Error {}

const maxResultLength = 16 * 1024 * 1024;

/**
 * Runs a filter without letting an exception reach the engine, which would crash it. An error is returned as a symbol
 * instead: the engine rejects symbols with an error that includes the line, and there is no other way to report one.
 */
export function runFilter(name: string, apply: () => unknown): unknown {
  try {
    const result = apply();
    if (typeof result === 'string' && result.length > maxResultLength)
      throw new FilterError('the result is too long');
    return result;
  } catch (error) {
    const reason = error instanceof FilterError ? messageOf(error) : 'the result cannot be computed';
    return Symbol(`refused: filter ${name}: ${reason}`);
  }
}

/** Extracts a filter's error message from the engine's message. */
export function filterErrorIn(message: string): string | undefined {
  return /Symbol\(refused: ([^\n]*?)\)\), expected any/.exec(message)?.[1];
}
