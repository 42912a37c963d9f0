import { messageOf } from '../../json.ts';

/** What a filter will not do. The message holds nothing of the values. */
export class FilterRefusal extends Error {}

const longest = 16 * 1024 * 1024;

/**
 * Runs a filter so that nothing is thrown into the engine, which would kill it. The engine cannot take a symbol and says so
 * with the line: there is no other way to make it stop.
 */
export function refusable(name: string, work: () => unknown): unknown {
  try {
    const result = work();
    if (typeof result === 'string' && result.length > longest)
      throw new FilterRefusal('the result is too long');
    return result;
  } catch (error) {
    const reason = error instanceof FilterRefusal ? messageOf(error) : 'this cannot be computed';
    return Symbol(`refused: filter ${name}: ${reason}`);
  }
}

/** What a filter said when it refused, out of the engine's message. */
export function refusalIn(message: string): string | undefined {
  return /Symbol\(refused: ([^\n]*?)\)\), expected any/.exec(message)?.[1];
}
