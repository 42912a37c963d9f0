import { isDeepStrictEqual } from 'node:util';
import { isObject, messageOf } from '../../json.ts';
import { UsageError } from '../terminal/command.ts';
import type { Client } from './clients.ts';
import { jsonWithMember, jsonWithoutMember } from './json-member.ts';

const entryName = 'adjutant';

type Table = Readonly<Record<string, unknown>>;

/** The text of a client's configuration with our entry in it; comments, order and everything else stay. */
export async function withEntry(text: string, file: string, client: Client, entry: Table): Promise<string> {
  return edited(text, file, client, entry);
}

/** The text without our entry: exactly what `withEntry` put in is taken out. */
export async function withoutEntry(text: string, file: string, client: Client): Promise<string> {
  if ((await readEntry(text, file, client)) === undefined) return text;
  return edited(text, file, client, undefined);
}

/** Our entry as the file has it, if it does. */
export async function readEntry(text: string, file: string, client: Client): Promise<Table | undefined> {
  const servers = (await parsed(unmarked(text), file, client))[client.key];
  const entry = isObject(servers) ? servers[entryName] : undefined;
  return isObject(entry) ? entry : undefined;
}

/** Edits the text and looks at what became of it: nobody's settings may be changed but ours. */
async function edited(text: string, file: string, client: Client, entry: Table | undefined): Promise<string> {
  const byHand = new UsageError(
    `${file}: "${client.key}" is not written in a way that can be changed safely; ${entry ? 'put' : 'take'} "${entryName}" ${entry ? 'into' : 'out of'} it by hand, nothing was changed`,
  );
  const plain = unmarked(text);
  const before = await parsed(plain, file, client);
  if (before[client.key] !== undefined && !isObject(before[client.key])) throw byHand;
  const edit = client.format === 'json' ? editJson : editToml;
  // Lines end as they do in the file.
  const windows = plain.includes('\r\n') && !/(?<!\r)\n/.test(plain);
  const after = windows
    ? (await edit(plain.replaceAll('\r\n', '\n'), client.key, entry)).replaceAll('\n', '\r\n')
    : await edit(plain, client.key, entry);
  const now = await parsed(after, file, client).catch(() => undefined);
  // Cloned, since parsers make objects of their own kind.
  if (!isDeepStrictEqual(structuredClone(now), structuredClone(expected(before, client.key, entry))))
    throw byHand;
  return text.slice(0, text.length - plain.length) + after;
}

/** A byte order mark is kept, but is no part of what is parsed. */
function unmarked(text: string): string {
  return text.replace(/^\uFEFF/, '');
}

/** The settings as they should be: a table that is empty without us goes too. */
function expected(before: Table, key: string, entry: Table | undefined): Table {
  const { [key]: servers, ...others } = before;
  const { [entryName]: _, ...rest } = (servers ?? {}) as Table;
  if (entry !== undefined) return { ...before, [key]: { ...rest, [entryName]: entry } };
  return Object.keys(rest).length === 0 ? others : { ...before, [key]: rest };
}

async function editJson(text: string, key: string, entry: Table | undefined): Promise<string> {
  const before = text.trim() === '' ? '{}\n' : text;
  return entry === undefined
    ? jsonWithoutMember(before, key, entryName)
    : jsonWithMember(before, key, entryName, entry);
}

/** TOML is edited as text: our tables are a block of lines at the end, and nobody else's lines are touched. */
async function editToml(text: string, key: string, entry: Table | undefined): Promise<string> {
  const rest = withoutTables(text, `${key}.${entryName}`);
  if (entry === undefined) return rest;
  const { stringify } = await import('smol-toml');
  const block = stringify({ [key]: { [entryName]: entry } })
    .replace(new RegExp(`^\\[${key}\\]\\n+`), '')
    .trim();
  const gap = rest === '' || rest.endsWith('\n\n') ? '' : rest.endsWith('\n') ? '\n' : '\n\n';
  return `${rest}${gap}${block}\n`;
}

function withoutTables(text: string, table: string): string {
  const escaped = table.replaceAll('.', '\\s*\\.\\s*');
  const ours = new RegExp(`^\\s*\\[\\s*${escaped}\\s*(\\.[^\\]]*)?\\]`);
  const kept: string[] = [];
  let skipping = false;
  for (const line of text.split('\n')) {
    if (/^\s*\[/.test(line)) skipping = ours.test(line);
    if (!skipping) kept.push(line);
  }
  const rest = kept.join('\n');
  return rest === text ? text : rest.replace(/\n{2,}$/, '\n').replace(/^\n+$/, '');
}

/** The settings in a text; what cannot be read is not touched. */
async function parsed(text: string, file: string, { format }: Client): Promise<Table> {
  const wrong = (place: string, why: string) =>
    new UsageError(`${file}${place}: ${why}; put the file right first, nothing was changed`);
  if (text.trim() === '') return {};
  if (format === 'toml') {
    const { parse } = await import('smol-toml');
    try {
      return parse(text);
    } catch (error) {
      throw wrong('', messageOf(error).split('\n')[0]!);
    }
  }
  const { parse, printParseErrorCode } = await import('jsonc-parser');
  const errors: { error: number; offset: number; length: number }[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined) {
    const line = text.slice(0, first.offset).split('\n').length;
    // "PropertyNameExpected" and its like.
    const why = printParseErrorCode(first.error).replaceAll(
      /\B[A-Z]/g,
      (letter) => ` ${letter.toLowerCase()}`,
    );
    throw wrong(`:${line}`, why.toLowerCase());
  }
  if (!isObject(value)) throw wrong('', 'an object was expected');
  return value;
}
