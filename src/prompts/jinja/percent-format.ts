import { FilterError } from './filter-error.ts';

const directive = /%(?:\(([^()]*)\))?([-+ 0#]*)(\*|\d+)?(?:\.(\*|\d+))?[hlL]?([\s\S]?)/g;
/** Limit for the sum of all widths. */
const maxWidth = 1_000_000;

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
