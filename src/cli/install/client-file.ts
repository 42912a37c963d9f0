import { isDeepStrictEqual } from 'node:util';
import { FileProblem, parseYaml } from '../../front-matter.ts';
import { isObject, messageOf } from '../../json.ts';
import { UsageError } from '../terminal/command.ts';
import type { Client } from './clients.ts';
import { jsonWithMember, jsonWithoutMember } from './json-member.ts';
import { yamlWithMember, yamlWithoutMember } from './yaml-member.ts';

const entryName = 'adjutant';

type Table = Readonly<Record<string, unknown>>;

/** Adds our entry to the text of a client's configuration. Comments, order and all other settings are preserved. */
export async function withEntry(text: string, file: string, client: Client, entry: Table): Promise<string> {
  return edit(text, file, client, entry);
}

/** Removes our entry: exactly the text that `withEntry` added. */
export async function withoutEntry(text: string, file: string, client: Client): Promise<string> {
  if ((await readEntry(text, file, client)) === undefined) return text;
  return edit(text, file, client, undefined);
}

/** Our entry in the file, if there is one. */
export async function readEntry(text: string, file: string, client: Client): Promise<Table | undefined> {
  const servers = (await parse(withoutMark(text), file, client))[client.key];
  const entry = isObject(servers) ? servers[entryName] : undefined;
  return isObject(entry) ? entry : undefined;
}

/** Edits the text, then parses it again to make sure that no other setting changed. */
async function edit(text: string, file: string, client: Client, entry: Table | undefined): Promise<string> {
  const byHand = new UsageError(
    `${file}: "${client.key}" cannot be edited safely; ${entry ? 'add' : 'remove'} "${entryName}" by hand. Nothing was changed`,
  );
  const plain = withoutMark(text);
  const before = await parse(plain, file, client);
  const servers = before[client.key];
  // In YAML, an empty table is null.
  const isEmpty = servers === undefined || (servers === null && client.format === 'yaml');
  if (!isEmpty && !isObject(servers)) throw byHand;
  const editText = { json: editJson, toml: editToml, yaml: editYaml }[client.format];
  // Keep the file's line endings.
  const windows = plain.includes('\r\n') && !/(?<!\r)\n/.test(plain);
  const after = windows
    ? (await editText(plain.replaceAll('\r\n', '\n'), client.key, entry)).replaceAll('\n', '\r\n')
    : await editText(plain, client.key, entry);
  const result = await parse(after, file, client).catch(() => undefined);
  // Parsers create objects with prototypes of their own; cloning makes them comparable.
  if (!isDeepStrictEqual(structuredClone(result), structuredClone(expected(before, client.key, entry))))
    throw byHand;
  return text.slice(0, text.length - plain.length) + after;
}

/** Removes the byte order mark, which the parsers reject. */
function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, '');
}

/** The expected settings after the edit. A table that would be empty without our entry is removed too. */
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

async function editYaml(text: string, key: string, entry: Table | undefined): Promise<string> {
  return entry === undefined
    ? yamlWithoutMember(text, key, entryName)
    : yamlWithMember(text, key, entryName, entry);
}

/** Edits TOML as text: our tables are a block of lines at the end, and all other lines stay unchanged. */
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

/** Parses the settings. Throws if the text is invalid, so that an invalid file is never changed. */
async function parse(text: string, file: string, { format }: Client): Promise<Table> {
  const invalid = (place: string, why: string) =>
    new UsageError(`${file}${place}: ${why}; correct the file first. Nothing was changed`);
  if (text.trim() === '') return {};
  if (format === 'toml') {
    const { parse: parseToml } = await import('smol-toml');
    try {
      return parseToml(text);
    } catch (error) {
      throw invalid('', messageOf(error).split('\n')[0]!);
    }
  }
  if (format === 'yaml') {
    const value = await parseYaml(text).catch((error: unknown) => {
      throw error instanceof FileProblem ? invalid(`:${error.line}`, error.message) : error;
    });
    if (value !== null && !isObject(value)) throw invalid('', 'the file must hold a mapping');
    return value ?? {};
  }
  const { parse: parseJson, printParseErrorCode } = await import('jsonc-parser');
  const errors: { error: number; offset: number; length: number }[] = [];
  const value: unknown = parseJson(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined) {
    const line = text.slice(0, first.offset).split('\n').length;
    // Turns codes such as "PropertyNameExpected" into words.
    const why = printParseErrorCode(first.error).replaceAll(
      /\B[A-Z]/g,
      (letter) => ` ${letter.toLowerCase()}`,
    );
    throw invalid(`:${line}`, why.toLowerCase());
  }
  if (!isObject(value)) throw invalid('', 'the file must hold an object');
  return value;
}
