import type { Node } from 'jsonc-parser';
import { messageOf } from '../json.ts';
import type { Client } from './clients.ts';
import { UsageError } from './command.ts';

const name = 'adjutant';

/** The text of a client's configuration with our entry in it; comments, order and everything else stay. */
export async function withEntry(
  text: string,
  file: string,
  client: Client,
  entry: Readonly<Record<string, unknown>>,
): Promise<string> {
  return client.format === 'json'
    ? editJson(text, file, client.key, entry)
    : editToml(text, file, client.key, entry);
}

/** The text without our entry: exactly what `withEntry` put in is taken out. */
export async function withoutEntry(text: string, file: string, client: Client): Promise<string> {
  return client.format === 'json'
    ? editJson(text, file, client.key, undefined)
    : editToml(text, file, client.key, undefined);
}

/** Our entry as the file has it, if it does. */
export async function readEntry(
  text: string,
  file: string,
  client: Client,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const parsed = client.format === 'json' ? await parseJson(text, file) : await parseToml(text, file);
  const table = parsed?.[client.key] as Record<string, Record<string, unknown>> | undefined;
  return table?.[name];
}

/** Only our own member is written or cut out: a formatter would touch the lines of others. */
async function editJson(
  text: string,
  file: string,
  key: string,
  entry: Readonly<Record<string, unknown>> | undefined,
): Promise<string> {
  const { findNodeAtLocation, parseTree } = await import('jsonc-parser');
  const before = text.trim() === '' ? '{}\n' : text;
  await parseJson(before, file);
  const root = parseTree(before, [], { allowTrailingComma: true });
  if (root?.type !== 'object') throw new UsageError(`${file}: an object was expected; nothing was changed`);
  const indent = /^([ \t]+)"/m.exec(before)?.[1] ?? '  ';
  const table = findNodeAtLocation(root, [key]);
  const ours = findNodeAtLocation(root, [key, name]);
  if (entry === undefined) {
    if (ours === undefined) return text;
    return withoutMember(before, table!.children!.length === 1 ? table!.parent! : ours.parent!);
  }
  const value = JSON.stringify(entry, null, indent).replaceAll('\n', `\n${indent.repeat(2)}`);
  if (ours !== undefined)
    return before.slice(0, ours.offset) + value + before.slice(ours.offset + ours.length);
  if (table !== undefined) return withMember(before, table, `${indent.repeat(2)}"${name}": ${value}`, indent);
  return withMember(
    before,
    root,
    `${indent}"${key}": {\n${indent.repeat(2)}"${name}": ${value}\n${indent}}`,
    '',
  );
}

function withMember(text: string, object: Node, member: string, closing: string): string {
  const last = object.children?.at(-1);
  const at = last === undefined ? object.offset + 1 : last.offset + last.length;
  const end = last === undefined ? object.offset + object.length - 1 : at;
  return `${text.slice(0, at)}${last === undefined ? '' : ','}\n${member}${last === undefined ? `\n${closing}` : ''}${text.slice(end)}`;
}

/** A member goes with the comma that bound it to its neighbour. */
function withoutMember(text: string, member: Node): string {
  const siblings = member.parent!.children!;
  const index = siblings.indexOf(member);
  const [before, after] = [siblings[index - 1], siblings[index + 1]];
  const end = member.offset + member.length;
  if (before !== undefined) return text.slice(0, before.offset + before.length) + text.slice(end);
  if (after !== undefined) return text.slice(0, member.offset) + text.slice(after.offset);
  return `${text.slice(0, member.parent!.offset)}{}${text.slice(member.parent!.offset + member.parent!.length)}`;
}

async function parseJson(text: string, file: string): Promise<Record<string, unknown> | undefined> {
  const { parse, printParseErrorCode } = await import('jsonc-parser');
  const errors: { error: number; offset: number; length: number }[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined && text.trim() !== '') {
    const line = text.slice(0, first.offset).split('\n').length;
    throw new UsageError(
      `${file}:${line}: ${printParseErrorCode(first.error)}; put the file right first, nothing was changed`,
    );
  }
  return value as Record<string, unknown> | undefined;
}

/** TOML is edited as text: our tables are a block of lines at the end, and nobody else's lines are touched. */
async function editToml(
  text: string,
  file: string,
  key: string,
  entry: Readonly<Record<string, unknown>> | undefined,
): Promise<string> {
  await parseToml(text, file);
  const rest = withoutTables(text, `${key}.${name}`);
  if (entry === undefined) return rest;
  const { stringify } = await import('smol-toml');
  const block = stringify({ [key]: { [name]: entry } })
    .replace(new RegExp(`^\\[${key}\\]\\n+`), '')
    .trim();
  const gap = rest === '' ? '' : rest.endsWith('\n\n') ? '' : rest.endsWith('\n') ? '\n' : '\n\n';
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

async function parseToml(text: string, file: string): Promise<Record<string, unknown>> {
  const { parse } = await import('smol-toml');
  try {
    return parse(text);
  } catch (error) {
    throw new UsageError(
      `${file}: ${messageOf(error).split('\n')[0]}; put the file right first, nothing was changed`,
    );
  }
}
