import type { Node } from 'jsonc-parser';

// Edits only our own member. A JSON formatter would also change other lines.

/** Sets `table.name` to a value. Creates the table if there is none. */
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
export async function jsonWithoutMember(text: string, table: string, name: string): Promise<string> {
  const { findNodeAtLocation, parseTree } = await import('jsonc-parser');
  const root = parseTree(text, [], { allowTrailingComma: true })!;
  const ours = findNodeAtLocation(root, [table, name]);
  if (ours === undefined) return text;
  const place = findNodeAtLocation(root, [table])!;
  return removeMember(text, place.children!.length === 1 ? place.parent! : ours.parent!);
}

function addMember(text: string, object: Node, member: string, closing: string): string {
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

/** Removes a member with the comma that separates it from its neighbour and the whitespace before it. */
function removeMember(text: string, member: Node): string {
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
