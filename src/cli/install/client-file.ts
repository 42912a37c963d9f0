import { isDeepStrictEqual } from 'node:util';
import type { Node } from 'jsonc-parser';
import type { Pair, Scalar, YAMLMap } from 'yaml';
import { FileProblem, parseYaml } from '../../front-matter.ts';
import { isObject, messageOf } from '../../json.ts';
import { UsageError } from '../terminal/command.ts';
import type { Client } from './clients.ts';

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
export function withoutMark(text: string): string {
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
export async function parse(text: string, file: string, { format }: Pick<Client, 'format'>): Promise<Table> {
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

// Edits only our own member. A JSON formatter would also change other lines.

/** Sets `table.name` to a value. Creates the table if there is none. */
async function jsonWithMember(text: string, table: string, name: string, value: unknown): Promise<string> {
  const { findNodeAtLocation, parseTree } = await import('jsonc-parser');
  const root = parseTree(text, [], { allowTrailingComma: true })!;
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? '  ';
  const inner = indent.repeat(2);
  const member = JSON.stringify(value, null, indent).replaceAll('\n', `\n${inner}`);
  const existing = findNodeAtLocation(root, [table, name]);
  if (existing !== undefined)
    return text.slice(0, existing.offset) + member + text.slice(existing.offset + existing.length);
  const place = findNodeAtLocation(root, [table]);
  return place === undefined
    ? addMember(text, root, `${indent}"${table}": {\n${inner}"${name}": ${member}\n${indent}}`, '')
    : addMember(text, place, `${inner}"${name}": ${member}`, indent);
}

/** Removes `table.name`, and the table too if it becomes empty. */
async function jsonWithoutMember(text: string, table: string, name: string): Promise<string> {
  const { findNodeAtLocation, parseTree } = await import('jsonc-parser');
  const root = parseTree(text, [], { allowTrailingComma: true })!;
  const ours = findNodeAtLocation(root, [table, name]);
  if (ours === undefined) return text;
  const place = findNodeAtLocation(root, [table])!;
  return removeMember(text, place.children!.length === 1 ? place.parent! : ours.parent!);
}

/** Adds a member to an object, or an item to a list, as its last one. */
export function addMember(text: string, object: Node, member: string, closing: string): string {
  const last = object.children?.at(-1);
  const open = object.offset + 1;
  const close = object.offset + object.length - 1;
  if (last === undefined) {
    // Keep comments inside empty braces.
    const within = text.slice(open, close).trimEnd();
    return `${text.slice(0, open)}${within}\n${member}\n${closing}${text.slice(close)}`;
  }
  const end = last.offset + last.length;
  const comma = commaAfter(text, end, close);
  // A comment after the last member belongs to it, so our member goes below the comment.
  const rest = text.slice(comma ?? end, close);
  const [comment] = /^[ \t]*(\/\/[^\n]*|\/\*[^\n]*?\*\/[ \t]*(?=\n))?/.exec(rest)!;
  const at = (comma ?? end) + comment.length;
  return `${text.slice(0, end)},${text.slice(comma ?? end, at)}\n${member}${comma === undefined ? '' : ','}${text.slice(at)}`;
}

/** Removes a member or an item with the comma that separates it from its neighbour and the whitespace before it. */
export function removeMember(text: string, member: Node): string {
  const object = member.parent!;
  const siblings = object.children!;
  const before = siblings[siblings.indexOf(member) - 1];
  const end = member.offset + member.length;
  const comma = commaAfter(text, end, object.offset + object.length - 1);
  if (comma !== undefined) return text.slice(0, member.offset).trimEnd() + text.slice(comma);
  if (before !== undefined) {
    const bound = commaAfter(text, before.offset + before.length, member.offset)!;
    const between = text.slice(bound, member.offset).trimEnd();
    return text.slice(0, bound - 1) + between + text.slice(end);
  }
  const rest = text.slice(object.offset + 1, member.offset).trimEnd() + text.slice(end).trimStart();
  return text.slice(0, object.offset + 1) + rest;
}

/** Position after the comma that follows a member, if there is one. Skips comments before the comma. */
function commaAfter(text: string, from: number, to: number): number | undefined {
  const [skipped] = /^(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/.exec(text.slice(from, to))!;
  return text[from + skipped.length] === ',' ? from + skipped.length + 1 : undefined;
}

// Edits only the lines of our own member. Printing the whole document would change other lines.

/** Sets `table.name` to a value. Creates the table if there is none. Returns the text unchanged if the table has an unusual form. */
async function yamlWithMember(text: string, table: string, name: string, value: unknown): Promise<string> {
  const { stringify } = await import('yaml');
  const place = await findTable(text, table);
  if (place === undefined) {
    const rest = text === '' || text.endsWith('\n') ? text : `${text}\n`;
    return rest + stringify({ [table]: { [name]: value } }, { lineWidth: 0 });
  }
  const members = membersOf(place);
  if (members === undefined) return text;
  const [first] = members;
  const indent = first === undefined ? '  ' : ' '.repeat(columnOf(text, first));
  const lines = stringify({ [name]: value }, { lineWidth: 0 }).replaceAll(/^(?=.)/gm, indent);
  const existing = members.find(({ key }) => (key as Scalar).value === name);
  if (existing !== undefined) {
    const [start, end] = linesOf(text, existing);
    return text.slice(0, start) + lines + text.slice(end);
  }
  const at = linesOf(text, members.at(-1) ?? place)[1];
  const before = text.slice(0, at);
  // An empty table is written as `{}` or as nothing.
  const head = first === undefined ? before.replace(/[ \t]*\{\s*\}(?=[ \t]*(?:#.*)?\n?$)/, '') : before;
  return (head.endsWith('\n') ? head : `${head}\n`) + lines + text.slice(at);
}

/** Removes `table.name`, and the table too if it becomes empty. */
async function yamlWithoutMember(text: string, table: string, name: string): Promise<string> {
  const place = await findTable(text, table);
  const members = place === undefined ? undefined : membersOf(place);
  const ours = members?.find(({ key }) => (key as Scalar).value === name);
  if (place === undefined || members === undefined || ours === undefined) return text;
  const [start, end] = linesOf(text, members.length === 1 ? place : ours);
  return text.slice(0, start) + text.slice(end);
}

type Member = Pair<unknown, unknown>;

async function findTable(text: string, table: string): Promise<Member | undefined> {
  const { isMap, isScalar, parseDocument } = await import('yaml');
  const { contents } = parseDocument(text);
  if (!isMap(contents)) return undefined;
  return contents.items.find(({ key }) => isScalar(key) && key.value === table);
}

/** The members of a table in block style. `undefined` for a table in braces that is not empty. */
function membersOf({ value }: Member): readonly Member[] | undefined {
  const map = value as YAMLMap | null;
  if (map === null || !('items' in map)) return [];
  return map.flow && map.items.length > 0 ? undefined : map.items;
}

function columnOf(text: string, { key }: Member): number {
  const [start] = (key as Scalar).range!;
  return start - (text.lastIndexOf('\n', start - 1) + 1);
}

/** From the start of the member's first line to the start of the line after its last one. */
function linesOf(text: string, { key, value }: Member): readonly [number, number] {
  const keyNode = key as Scalar;
  const [from, keyEnd] = keyNode.range!;
  const valueEnd = (value as Scalar | null)?.range?.[1] ?? keyEnd;
  const start = text.lastIndexOf('\n', from - 1) + 1;
  if (text[valueEnd - 1] === '\n') return [start, valueEnd];
  const next = text.indexOf('\n', valueEnd);
  return [start, next < 0 ? text.length : next + 1];
}
