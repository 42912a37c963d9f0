import type { Environment } from 'minijinja-js';
import { messageOf } from '../../json.ts';

/** An error raised by a filter. The message must not contain any of the values. */
class FilterError extends Error {}

const maxResultLength = 16 * 1024 * 1024;

/**
 * Runs a filter without letting an exception reach the engine, which would crash it. An error is returned as a symbol
 * instead: the engine rejects symbols with an error that includes the line, and there is no other way to report one.
 */
function runFilter(name: string, apply: () => unknown): unknown {
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

/**
 * Filters that the engine lacks or implements in a way that breaks real Jinja2 templates. A filter must not accept or
 * return floats: JavaScript turns a float without a fraction, such as 2.0, into a whole number.
 */
interface Filter {
  /** Names of the arguments that follow the value, in order. */
  readonly parameters: readonly string[];
  apply(value: unknown, given: Readonly<Record<string, unknown>>): unknown;
}

/** Limit for one width, and for the sum of all widths in a format. */
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

const directive = /%(?:\(([^()]*)\))?([-+ 0#]*)(\*|\d+)?(?:\.(\*|\d+))?[hlL]?([\s\S]?)/g;

/** Implements Python's `format % args`. Named arguments are in a map after the positional ones. */
export function formatPercent(format: string, args: readonly unknown[]): string {
  const last = args.at(-1);
  const named: ReadonlyMap<unknown, unknown> = last instanceof Map ? last : new Map();
  let taken = 0;
  const take = () => {
    if (taken === args.length) throw new FilterError('not enough arguments');
    return args[taken++];
  };
  let widths = 0;
  let byName = false;
  const text = format.replaceAll(
    directive,
    (_, name: string | undefined, flags: string, width?: string, precision?: string, type?: string) => {
      if (type === '%') return '%';
      const widthValue = width === '*' ? toNumber(take(), '*') : Number(width ?? 0);
      const precisionValue = precision === '*' ? toNumber(take(), '*') : precision && Number(precision);
      widths += Math.max(0, widthValue);
      if (widths > maxWidth || Number(precisionValue ?? 0) > 100)
        throw new FilterError('the width is too large');
      if (name !== undefined) {
        byName = true;
        if (!named.has(name)) throw new FilterError('a named argument is missing');
      }
      const value = name === undefined ? take() : named.get(name);
      return pad(
        convert(
          value,
          type ?? '',
          flags,
          precisionValue === undefined || precisionValue === '' ? undefined : Number(precisionValue),
        ),
        flags,
        widthValue,
        type ?? '',
      );
    },
  );
  if (!byName && taken < args.length) throw new FilterError('not all arguments are used');
  return text;
}

function convert(value: unknown, type: string, flags: string, precision: number | undefined): string {
  switch (type) {
    case 's':
      return cut(display(value), precision);
    case 'r':
    case 'a':
      return cut(represent(value), precision);
    case 'c':
      return typeof value === 'number' ? String.fromCodePoint(value) : display(value);
    case 'd':
    case 'i':
    case 'u':
      return signed(Math.trunc(toNumber(value, type)), flags, (size) =>
        BigInt(size)
          .toString()
          .padStart(precision ?? 0, '0'),
      );
    case 'x':
    case 'X':
    case 'o': {
      const number = toNumber(value, type);
      if (!Number.isInteger(number)) throw new FilterError(`%${type} needs a whole number`);
      const mark = flags.includes('#') ? `0${type}` : '';
      const written = signed(number, flags, (size) => mark + size.toString(type === 'o' ? 8 : 16));
      return type === 'X' ? written.toUpperCase() : written;
    }
    case 'f':
    case 'F':
      return signed(toNumber(value, type), flags, (size) => fixed(size, precision ?? 6));
    case 'e':
    case 'E': {
      const written = signed(toNumber(value, type), flags, (size) => exponential(size, precision ?? 6));
      return type === 'E' ? written.toUpperCase() : written;
    }
    case 'g':
    case 'G': {
      const written = signed(toNumber(value, type), flags, (size) => general(size, precision ?? 6));
      return type === 'G' ? written.toUpperCase() : written;
    }
    default:
      throw new FilterError('unknown % directive');
  }
}

function toNumber(value: unknown, type: string): number {
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') {
    const number = Number(value);
    if (Number.isFinite(number)) return number;
  }
  throw new FilterError(`%${type} needs a number`);
}

function signed(number: number, flags: string, write: (size: number) => string): string {
  const sign =
    number < 0 || Object.is(number, -0) ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
  return sign + write(Math.abs(number));
}

/** Rounds exact halves to the even digit, as C does. */
function fixed(number: number, precision: number): string {
  const longer = precision < 100 && number < 1e15 ? number.toFixed(precision + 1) : '';
  const half = longer.endsWith('5') && Number(longer) === number;
  const cutOff = longer.slice(0, precision === 0 ? -2 : -1);
  return half && /[02468]$/.test(cutOff) ? cutOff : number.toFixed(precision);
}

function exponential(number: number, precision: number): string {
  return number
    .toExponential(precision)
    .replace(/e([-+])(\d+)$/, (_, sign: string, digits: string) => `e${sign}${digits.padStart(2, '0')}`);
}

function general(number: number, precision: number): string {
  const digits = Math.max(1, precision);
  const exponent = number === 0 ? 0 : Number(number.toExponential(digits - 1).split('e')[1]);
  const written =
    exponent < -4 || exponent >= digits
      ? exponential(number, digits - 1)
      : number.toFixed(Math.max(0, digits - 1 - exponent));
  return written.includes('.') ? written.replace(/\.?0+(?=e|$)/, '') : written;
}

function cut(text: string, precision: number | undefined): string {
  // A character has at most two code units, so the rest of a long text need not be split.
  return precision === undefined ? text : [...text.slice(0, 2 * precision)].slice(0, precision).join('');
}

function pad(text: string, flags: string, width: number, type: string): string {
  if (text.length >= 2 * width) return text;
  const missing = width - [...text].length;
  if (missing <= 0) return text;
  if (flags.includes('-')) return text + ' '.repeat(missing);
  if (!flags.includes('0') || 'srac'.includes(type)) return ' '.repeat(missing) + text;
  const sign = /^[-+ ]?(?:0[xXo])?/.exec(text)![0];
  return sign + '0'.repeat(missing) + text.slice(sign.length);
}

/** Formats like Python's `str`. Undefined and none look the same here; both print as nothing, because undefined is more common. */
function display(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : represent(value);
}

function represent(value: unknown): string {
  if (value === undefined || value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') {
    const mark = value.includes("'") && !value.includes('"') ? '"' : "'";
    const inner = value
      .replaceAll('\\', '\\\\')
      .replaceAll('\n', '\\n')
      .replaceAll('\r', '\\r')
      .replaceAll('\t', '\\t');
    return mark + inner.replaceAll(mark, `\\${mark}`) + mark;
  }
  if (Array.isArray(value)) return `[${value.map(represent).join(', ')}]`;
  if (value instanceof Map)
    return `{${[...value].map(([key, item]) => `${represent(key)}: ${represent(item)}`).join(', ')}}`;
  return String(value);
}
