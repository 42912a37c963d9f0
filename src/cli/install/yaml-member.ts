import type { Pair, Scalar, YAMLMap } from 'yaml';

// Edits only the lines of our own member. Printing the whole document would change other lines.

/** Sets `table.name` to a value. Creates the table if there is none. Returns the text unchanged if the table has an unusual form. */
export async function yamlWithMember(
  text: string,
  table: string,
  name: string,
  value: unknown,
): Promise<string> {
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
export async function yamlWithoutMember(text: string, table: string, name: string): Promise<string> {
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
