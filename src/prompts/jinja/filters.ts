import type { Environment } from 'minijinja-js';
import { FilterError, runFilter } from './filter-error.ts';
import { formatPercent } from './percent-format.ts';

/**
 * Filters that the engine lacks or implements in a way that breaks real Jinja2 templates. A filter must not accept or
 * return floats: JavaScript turns a float without a fraction, such as 2.0, into a whole number.
 */
interface Filter {
  /** Names of the arguments that follow the value, in order. */
  readonly parameters: readonly string[];
  apply(value: unknown, given: Readonly<Record<string, unknown>>): unknown;
}

const maxWidth = 1_000_000;
const lineEnds = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/;

const length: Filter = {
  parameters: [],
  apply(value) {
    if (value === undefined || value === null) return 0;
    if (typeof value === 'string') return [...value].length;
    if (Array.isArray(value)) return value.length;
    if (value instanceof Map) return value.size;
    throw new FilterError('this value has no length');
  },
};

const filters: Readonly<Record<string, Filter>> = {
  length,
  count: length,
  int: {
    parameters: ['default', 'base'],
    apply: (value, { default: fallback = 0, base = 10 }) =>
      toInteger(value, toWholeNumber(base, 'base')) ?? fallback,
  },
  wordcount: {
    parameters: [],
    apply: (value) => textOf(value).match(/[\p{L}\p{N}_]+/gu)?.length ?? 0,
  },
  indent: {
    parameters: ['width', 'first', 'blank'],
    apply(value, { width = 4, first = false, blank = false }) {
      const margin = typeof width === 'string' ? width : ' '.repeat(Math.max(0, toWidth(width)));
      const [head = '', ...rest] = textOf(value).split(lineEnds);
      const indented = rest.map((line) => (line === '' && !blank ? line : margin + line));
      return [first ? margin + head : head, ...indented].join('\n');
    },
  },
  center: {
    parameters: ['width'],
    apply(value, { width = 80 }) {
      const text = textOf(value);
      const margin = Math.max(0, toWidth(width) - [...text].length);
      const left = (margin >> 1) + (margin & toWidth(width) & 1);
      return ' '.repeat(left) + text + ' '.repeat(margin - left);
    },
  },
  title: {
    parameters: [],
    apply: (value) =>
      textOf(value)
        .split(/([-\s({[<]+)/)
        .map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase())
        .join(''),
  },
  truncate: {
    parameters: ['length', 'killwords', 'end', 'leeway'],
    apply(value, { length: size = 255, killwords = false, end = '...', leeway = 5 }) {
      const text = [...textOf(value)];
      const tail = textOf(end);
      const room = toWholeNumber(size, 'length') - [...tail].length;
      if (room < 0) throw new FilterError('length must not be less than the length of end');
      if (text.length <= toWholeNumber(size, 'length') + toWholeNumber(leeway, 'leeway'))
        return text.join('');
      const start = text.slice(0, room).join('');
      const space = killwords ? -1 : start.lastIndexOf(' ');
      return (space < 0 ? start : start.slice(0, space)) + tail;
    },
  },
  urlencode: {
    parameters: [],
    apply(value) {
      const pairs = value instanceof Map ? [...value] : value;
      if (!Array.isArray(pairs)) return quote(textOf(value)).replaceAll('%2F', '/');
      return pairs
        .map((pair: unknown) => {
          if (!Array.isArray(pair) || pair.length !== 2) throw new FilterError('a list must contain pairs');
          return pair.map((part) => quote(textOf(part)).replaceAll('%20', '+')).join('=');
        })
        .join('&');
    },
  },
};

export function installFilters(environment: Environment): void {
  for (const [name, { parameters, apply }] of Object.entries(filters)) {
    environment.addFilter(name, (value: unknown, ...args: unknown[]) =>
      runFilter(name, () => apply(value, bind(parameters, args))),
    );
  }
  environment.addFilter('format', (value: unknown, ...args: unknown[]) =>
    runFilter('format', () => formatPercent(textOf(value), args)),
  );
  // In Python, strings and maps are sequences too.
  environment.addTest(
    'sequence',
    (value: unknown) => typeof value === 'string' || Array.isArray(value) || value instanceof Map,
  );
}

/** Assigns the arguments to parameters. The engine passes keyword arguments as a map after the positional ones. */
function bind(parameters: readonly string[], args: readonly unknown[]): Record<string, unknown> {
  const last = args.at(-1);
  const positional = last instanceof Map ? args.slice(0, -1) : args;
  if (positional.length > parameters.length) throw new FilterError('too many arguments');
  const given: Record<string, unknown> = Object.fromEntries(
    positional.map((value, index) => [parameters[index]!, value]),
  );
  for (const [name, value] of last instanceof Map ? last : []) {
    if (!parameters.includes(name)) throw new FilterError('unknown keyword argument');
    if (name in given) throw new FilterError(`${name} is given twice`);
    given[name] = value;
  }
  return given;
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'object') throw new FilterError('expected text, not a list or map');
  return String(value);
}

function toWholeNumber(value: unknown, name: string): number {
  if (typeof value !== 'number' || !Number.isInteger(value))
    throw new FilterError(`${name} must be a whole number`);
  return value;
}

function toWidth(width: unknown): number {
  if (toWholeNumber(width, 'width') > maxWidth) throw new FilterError('width is too large');
  return width as number;
}

const digits: Readonly<Record<number, RegExp>> = {
  2: /^(?:0[bB])?([01]+)$/,
  8: /^(?:0[oO])?([0-7]+)$/,
  10: /^(\d+)$/,
  16: /^(?:0[xX])?([\da-fA-F]+)$/,
};
const prefixes: Readonly<Record<number, string>> = { 2: '0b', 8: '0o', 10: '', 16: '0x' };

/** Converts like Python: parses the text in the given base, or as a float that is truncated. `undefined` if neither works. */
function toInteger(value: unknown, base: number): number | bigint | undefined {
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? Math.trunc(value) : undefined;
  if (typeof value !== 'string') return undefined;
  if (digits[base] === undefined) throw new FilterError('base must be 2, 8, 10 or 16');
  const [, sign = '', bare = ''] = /^([-+]?)(.*)$/s.exec(value.trim())!;
  const plain = bare.replaceAll(/(?<=[\da-fA-F])_(?=[\da-fA-F])/g, '');
  const found = digits[base].exec(plain)?.[1];
  if (found !== undefined) return toSafeInteger(BigInt(prefixes[base] + found) * (sign === '-' ? -1n : 1n));
  const float = /^(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/.test(plain) ? Number(sign + plain) : Number.NaN;
  return Number.isFinite(float) ? toSafeInteger(BigInt(Math.trunc(float))) : undefined;
}

function toSafeInteger(integer: bigint): number | bigint {
  if (BigInt.asIntN(64, integer) !== integer) throw new FilterError('the number is too large');
  const number = Number(integer);
  return Number.isSafeInteger(number) ? number : integer;
}

function quote(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
