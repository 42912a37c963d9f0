import type { Node } from 'jsonc-parser';

// Only our own member is written or cut out: a formatter would touch the lines of others.

/** The text with `table.name` set to a value; the table is made where there is none. */
export async function jsonWithMember(
  text: string,
  table: string,
  name: string,
  value: unknown,
): Promise<string> {
  const { findNodeAtLocation, parseTree } = await import('jsonc-parser');
  const root = parseTree(text, [], { allowTrailingComma: true })!;
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? '  ';
  const inner = indent.repeat(2);
  const written = JSON.stringify(value, null, indent).replaceAll('\n', `\n${inner}`);
  const there = findNodeAtLocation(root, [table, name]);
  if (there !== undefined)
    return text.slice(0, there.offset) + written + text.slice(there.offset + there.length);
  const place = findNodeAtLocation(root, [table]);
  return place === undefined
    ? added(text, root, `${indent}"${table}": {\n${inner}"${name}": ${written}\n${indent}}`, '')
    : added(text, place, `${inner}"${name}": ${written}`, indent);
}

/** The text without `table.name`, and without the table if it holds nothing else. */
export async function jsonWithoutMember(text: string, table: string, name: string): Promise<string> {
  const { findNodeAtLocation, parseTree } = await import('jsonc-parser');
  const root = parseTree(text, [], { allowTrailingComma: true })!;
  const ours = findNodeAtLocation(root, [table, name]);
  if (ours === undefined) return text;
  const place = findNodeAtLocation(root, [table])!;
  return removed(text, place.children!.length === 1 ? place.parent! : ours.parent!);
}

function added(text: string, object: Node, member: string, closing: string): string {
  const last = object.children?.at(-1);
  const open = object.offset + 1;
  const close = object.offset + object.length - 1;
  if (last === undefined) {
    // What is between the braces, a comment it may be, stays.
    const within = text.slice(open, close).trimEnd();
    return `${text.slice(0, open)}${within}\n${member}\n${closing}${text.slice(close)}`;
  }
  const end = last.offset + last.length;
  const comma = commaAfter(text, end, close);
  // A comment behind the last member belongs to that one: we go below it.
  const rest = text.slice(comma ?? end, close);
  const [remark] = /^[ \t]*(\/\/[^\n]*|\/\*[^\n]*?\*\/[ \t]*(?=\n))?/.exec(rest)!;
  const at = (comma ?? end) + remark.length;
  return `${text.slice(0, end)},${text.slice(comma ?? end, at)}\n${member}${comma === undefined ? '' : ','}${text.slice(at)}`;
}

/** A member goes with the comma that bound it to its neighbour, and with the space before it. */
function removed(text: string, member: Node): string {
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

/** Where the comma behind a member ends, if there is one; comments may stand before it. */
function commaAfter(text: string, from: number, to: number): number | undefined {
  const [skipped] = /^(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/.exec(text.slice(from, to))!;
  return text[from + skipped.length] === ',' ? from + skipped.length + 1 : undefined;
}
