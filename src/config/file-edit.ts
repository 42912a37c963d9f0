import { isDeepStrictEqual } from 'node:util';
import { ConfigError } from './raw-setting.ts';

type Table = Record<string, unknown>;

/** Sets a setting in the text of adjutant.toml, or removes it. All other lines and comments stay. */
export async function withSetting(text: string, name: string, value?: unknown): Promise<string> {
  const { parse, stringify } = await import('smol-toml');
  const tables = name.split('.');
  const key = tables.pop()!;
  const table = tables.join('.');
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
  const isHeader = (line: string) => /^\s*\[/.test(line);
  const header = lines.findIndex((line) => line.trim().replace(/\s*#.*$/, '') === `[${table}]`);
  const start = table === '' ? 0 : header + 1;
  const after = lines.findIndex((line, index) => index >= start && isHeader(line));
  const end = after < 0 ? lines.length : after;
  const isMissing = table !== '' && header < 0;
  const at = isMissing
    ? -1
    : lines.findIndex(
        (line, index) => index >= start && index < end && new RegExp(`^\\s*"?${key}"?\\s*=`).test(line),
      );
  const line = value === undefined ? [] : [stringify({ [key]: value }).trim()];
  if (at >= 0) lines.splice(at, 1, ...line);
  else if (isMissing && value !== undefined)
    lines.push(...(lines.length > 0 ? [''] : []), `[${table}]`, ...line);
  else if (!isMissing) lines.splice(lastUsed(lines, start, end), 0, ...line);
  const result = lines.length === 0 ? '' : `${lines.join('\n')}\n`;
  if (!isDeepStrictEqual(readable(parse, result), changed(parse(text), [...tables, key], value)))
    throw new ConfigError(`${name} cannot be changed safely in adjutant.toml; change it by hand`);
  return result;
}

/** Adds a table to a setting that is a list of tables, as a new `[[…]]` at the end. */
export async function withTable(text: string, name: string, item: Table): Promise<string> {
  const { parse, stringify } = await import('smol-toml');
  const path = name.split('.');
  const before = path.reduce<unknown>((value, part) => (value as Table | undefined)?.[part], parse(text));
  const all = [...((before as Table[] | undefined) ?? []), item];
  const gap = text === '' ? '' : text.endsWith('\n') ? '\n' : '\n\n';
  const table = `[[${name}]]\n${stringify(item).trim()}\n`;
  const result = `${text}${gap}${table}`;
  if (isDeepStrictEqual(readable(parse, result), changed(parse(text), path, all))) return result;
  throw new ConfigError(`${name} cannot be changed safely in adjutant.toml; change it by hand:\n${table}`);
}

/** The line after the last one of a table that is not empty. */
function lastUsed(lines: readonly string[], start: number, end: number): number {
  let at = end;
  while (at > start && lines[at - 1]!.trim() === '') at--;
  return at;
}

function readable(parse: (text: string) => Table, text: string): unknown {
  try {
    return structuredClone(withoutEmpty(parse(text)));
  } catch {
    return undefined;
  }
}

function changed(content: Table, path: readonly string[], value: unknown): unknown {
  const copy = structuredClone(content);
  let target = copy;
  for (const part of path.slice(0, -1)) {
    target[part] ??= {};
    target = target[part] as Table;
  }
  if (value === undefined) delete target[path.at(-1)!];
  else target[path.at(-1)!] = value;
  return structuredClone(withoutEmpty(copy));
}

/** A table without settings means nothing. */
function withoutEmpty(table: Table): Table {
  return Object.fromEntries(
    Object.entries(table).flatMap(([key, value]) => {
      const isTable = typeof value === 'object' && value !== null && !Array.isArray(value);
      const inner = isTable ? withoutEmpty(value as Table) : value;
      return isTable && Object.keys(inner as Table).length === 0 ? [] : [[key, inner]];
    }),
  );
}
