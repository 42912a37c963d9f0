import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../src/json.ts';

/** Describes the first difference between two values, or returns `undefined` if there is none. */
export function mismatch(
  expected: unknown,
  actual: unknown,
  elided: readonly string[],
  path = '',
): string | undefined {
  if (elided.includes(path)) return partMismatch(expected, actual, path);
  if (isObject(expected) && isObject(actual)) {
    const keys = new Set([...Object.keys(expected), ...Object.keys(actual)]);
    return first(keys, (key) =>
      mismatch(expected[key], actual[key], elided, path === '' ? key : `${path}.${key}`),
    );
  }
  if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length) {
    return first(expected.keys(), (index) =>
      mismatch(expected[index], actual[index], elided, `${path}.${index}`),
    );
  }
  return isDeepStrictEqual(expected, actual) ? undefined : differ(path, expected, actual);
}

/** Like `mismatch`, but the expected value may omit members of lists and objects, and "..." stands for omitted text. */
export function partMismatch(expected: unknown, actual: unknown, path = ''): string | undefined {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    return first(expected.keys(), (index) =>
      actual.some((item) => partMismatch(expected[index], item) === undefined)
        ? undefined
        : differ(`${path}.${index}`, expected[index], actual),
    );
  }
  if (isObject(expected) && isObject(actual)) {
    return first(Object.keys(expected), (key) => partMismatch(expected[key], actual[key], `${path}.${key}`));
  }
  if (typeof expected === 'string' && typeof actual === 'string') {
    // Hashes in examples are abbreviated and not real.
    if (/^sha256:\w+\.\.\.$/.test(expected) && /^sha256:[0-9a-f]{64}$/.test(actual)) return undefined;
    const [expectedJson, actualJson] = [tryParse(expected), tryParse(actual)];
    if (isObject(expectedJson) && isObject(actualJson)) return partMismatch(expectedJson, actualJson, path);
    const pattern = expected
      .split(/\{?\.\.\.\}?/)
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('[^]*');
    return new RegExp(`^${pattern}$`).test(actual) ? undefined : differ(path, expected, actual);
  }
  return isDeepStrictEqual(expected, actual) ? undefined : differ(path, expected, actual);
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function first<Item>(items: Iterable<Item>, test: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const found = test(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function differ(path: string, expected: unknown, actual: unknown): string {
  return `${path || 'the reply'}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`;
}
