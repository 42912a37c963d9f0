import type { Environment } from 'minijinja-js';
import { FilterRefusal, refusable } from './filter-refusal.ts';
import { formatPercent } from './percent-format.ts';

/**
 * Filters that the engine lacks, or has in a form that real Jinja2 templates stumble over. Only such as take text and give
 * text or whole numbers: a float without a fraction comes back from JavaScript as a whole number, so no filter through
 * which floats may pass can live here.
 */
interface Filter {
  /** Names of the arguments after the value, in order. */
  readonly parameters: readonly string[];
  apply(value: unknown, given: Readonly<Record<string, unknown>>): unknown;
}

const widest = 1_000_000;
const lineEnds = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/;

const length: Filter = {
  parameters: [],
  apply(value) {
    if (value === undefined || value === null) return 0;
    if (typeof value === 'string') return [...value].length;
    if (Array.isArray(value)) return value.length;
    if (value instanceof Map) return value.size;
    throw new FilterRefusal('this value has no length');
  },
};

const filters: Readonly<Record<string, Filter>> = {
  length,
  count: length,
  int: {
    parameters: ['default', 'base'],
    apply: (value, { default: fallback = 0, base = 10 }) => toInteger(value, whole(base, 'base')) ?? fallback,
  },
  wordcount: {
    parameters: [],
    apply: (value) => textOf(value).match(/[\p{L}\p{N}_]+/gu)?.length ?? 0,
  },
  indent: {
    parameters: ['width', 'first', 'blank'],
    apply(value, { width = 4, first = false, blank = false }) {
      const margin = typeof width === 'string' ? width : ' '.repeat(Math.max(0, narrow(width)));
      const [head = '', ...rest] = textOf(value).split(lineEnds);
      const indented = rest.map((line) => (line === '' && !blank ? line : margin + line));
      return [first ? margin + head : head, ...indented].join('\n');
    },
  },
  center: {
    parameters: ['width'],
    apply(value, { width = 80 }) {
      const text = textOf(value);
      const margin = Math.max(0, narrow(width) - [...text].length);
      const left = (margin >> 1) + (margin & narrow(width) & 1);
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
      const room = whole(size, 'length') - [...tail].length;
      if (room < 0) throw new FilterRefusal('length must be at least that of end');
      if (text.length <= whole(size, 'length') + whole(leeway, 'leeway')) return text.join('');
      const kept = text.slice(0, room).join('');
      const space = killwords ? -1 : kept.lastIndexOf(' ');
      return (space < 0 ? kept : kept.slice(0, space)) + tail;
    },
  },
  urlencode: {
    parameters: [],
    apply(value) {
      const pairs = value instanceof Map ? [...value] : value;
      if (!Array.isArray(pairs)) return quote(textOf(value)).replaceAll('%2F', '/');
      return pairs
        .map((pair: unknown) => {
          if (!Array.isArray(pair) || pair.length !== 2) throw new FilterRefusal('a list must be of pairs');
          return pair.map((part) => quote(textOf(part)).replaceAll('%20', '+')).join('=');
        })
        .join('&');
    },
  },
};

/** Adds the filters to an environment. */
export function installFilters(environment: Environment): void {
  for (const [name, { parameters, apply }] of Object.entries(filters)) {
    environment.addFilter(name, (value: unknown, ...args: unknown[]) =>
      refusable(name, () => apply(value, bind(parameters, args))),
    );
  }
  environment.addFilter('format', (value: unknown, ...args: unknown[]) =>
    refusable('format', () => formatPercent(textOf(value), args)),
  );
  // In Python text and maps are sequences too.
  environment.addTest(
    'sequence',
    (value: unknown) => typeof value === 'string' || Array.isArray(value) || value instanceof Map,
  );
}

/** The engine hands over keyword arguments as a map behind the others. */
function bind(parameters: readonly string[], args: readonly unknown[]): Record<string, unknown> {
  const last = args.at(-1);
  const positional = last instanceof Map ? args.slice(0, -1) : args;
  if (positional.length > parameters.length) throw new FilterRefusal('too many arguments');
  const given: Record<string, unknown> = Object.fromEntries(
    positional.map((value, index) => [parameters[index]!, value]),
  );
  for (const [name, value] of last instanceof Map ? last : []) {
    if (!parameters.includes(name)) throw new FilterRefusal('an argument of this name does not exist');
    if (name in given) throw new FilterRefusal(`${name} is given twice`);
    given[name] = value;
  }
  return given;
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'object') throw new FilterRefusal('works on text, not on a list or map');
  return String(value);
}

function whole(value: unknown, name: string): number {
  if (typeof value !== 'number' || !Number.isInteger(value))
    throw new FilterRefusal(`${name} must be a whole number`);
  return value;
}

function narrow(width: unknown): number {
  if (whole(width, 'width') > widest) throw new FilterRefusal('width is too large');
  return width as number;
}

const digits: Readonly<Record<number, RegExp>> = {
  2: /^(?:0[bB])?([01]+)$/,
  8: /^(?:0[oO])?([0-7]+)$/,
  10: /^(\d+)$/,
  16: /^(?:0[xX])?([\da-fA-F]+)$/,
};
const prefixes: Readonly<Record<number, string>> = { 2: '0b', 8: '0o', 10: '', 16: '0x' };

/** As Python reads it: by the base, else as a float cut off, else not at all. */
function toInteger(value: unknown, base: number): number | bigint | undefined {
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? Math.trunc(value) : undefined;
  if (typeof value !== 'string') return undefined;
  if (digits[base] === undefined) throw new FilterRefusal('base must be 2, 8, 10 or 16');
  const [, sign = '', bare = ''] = /^([-+]?)(.*)$/s.exec(value.trim())!;
  const plain = bare.replaceAll(/(?<=[\da-fA-F])_(?=[\da-fA-F])/g, '');
  const found = digits[base].exec(plain)?.[1];
  if (found !== undefined) return fitting(BigInt(prefixes[base] + found) * (sign === '-' ? -1n : 1n));
  const float = /^(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/.test(plain) ? Number(sign + plain) : Number.NaN;
  return Number.isFinite(float) ? fitting(BigInt(Math.trunc(float))) : undefined;
}

function fitting(integer: bigint): number | bigint {
  if (BigInt.asIntN(64, integer) !== integer) throw new FilterRefusal('the number is too large');
  const number = Number(integer);
  return Number.isSafeInteger(number) ? number : integer;
}

function quote(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
