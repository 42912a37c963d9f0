import { isObject, messageOf } from './json.ts';

export interface FrontMatter {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
  /** The line of the file on which the body begins. */
  readonly bodyLine: number;
}

/** A problem in a file, with its line and column. */
export class FileProblem extends Error {
  readonly line: number;
  readonly column: number | undefined;
  constructor(message: string, line: number, column?: number) {
    super(message);
    this.line = line;
    this.column = column;
  }
}

/** The line before and after the YAML, as the clients of most formats read it: spaces may follow it. */
export const spacedDelimiter = /^---\s*$/;
const exactDelimiter = /^---\r?$/;

/** The YAML package takes up to half a second for this much hostile input. Front matter written by hand is much smaller. */
const maxYamlLength = 16 * 1024;

/** Splits a Markdown file that begins with YAML between two `---` lines. */
export async function parseFrontMatter(source: string, delimiter = exactDelimiter): Promise<FrontMatter> {
  const { head, ...rest } = splitFrontMatter(source, delimiter);
  if (head.reduce((sum, { length }) => sum + length + 1, 0) > maxYamlLength)
    throw new FileProblem(
      `the frontmatter is larger than ${maxYamlLength / 1024} KB; move long text into the body`,
      2,
    );
  return { fields: parsePlain(head) ?? (await parseFields(head.join('\n'), 2)), ...rest };
}

/** The lines between the delimiters, and the body with its line breaks unchanged. */
export function splitFrontMatter(
  source: string,
  delimiter = exactDelimiter,
): Omit<FrontMatter, 'fields'> & { readonly head: readonly string[] } {
  const lines = source.replace(/^\uFEFF/, '').split('\n');
  if (!delimiter.test(lines[0]!)) throw new FileProblem('missing YAML frontmatter start delimiter', 1);
  const end = lines.findIndex((line, index) => index > 0 && delimiter.test(line));
  if (end < 0) throw new FileProblem('missing YAML frontmatter end delimiter', lines.length);
  return {
    head: lines.slice(1, end).map((line) => line.replace(/\r$/, '')),
    body: lines.slice(end + 1).join('\n'),
    bodyLine: end + 2,
  };
}

/** A field that is looked for must be in the first part of its file. */
const maxHead = 64 * 1024;

/** The line of a field of YAML front matter or of TOML, or the first line if the field is missing. */
export function lineOfField(source: string, name: string): number {
  const lines = source.slice(0, maxHead).split('\n');
  const isMarkdown = /^\uFEFF?---/.test(source);
  const end = isMarkdown ? lines.findIndex((line, index) => index > 0 && spacedDelimiter.test(line)) : -1;
  const head = end < 0 ? lines : lines.slice(0, end);
  const isField = (line: string) => {
    const [, key] = /^["']?([^\s"':=]+)["']?[ \t]*[:=]/.exec(line) ?? [];
    return key === name;
  };
  return head.findIndex(isField) + 1 || 1;
}

/** A `key: text` line without any character that is special in YAML. */
const plainLine = /^([A-Za-z_][\w-]*): +(?:"([^"\\]*)"|([A-Za-z](?:[^\n:#"'\\]*[^\s:#"'\\])?)) *$/;
/** Plain words that YAML does not parse as strings. */
const nonTextWord = /^(?:true|false|null|yes|no|on|off|y|n|nan|inf)$/i;

/** Parses simple front matter without loading the YAML package. `undefined` if it is not simple. */
function parsePlain(lines: readonly string[]): Readonly<Record<string, unknown>> | undefined {
  const fields: Record<string, string> = {};
  for (const line of lines) {
    const [, key, quoted, plain] = plainLine.exec(line) ?? [];
    if (key === undefined || Object.hasOwn(fields, key) || key === '__proto__') return undefined;
    if (plain !== undefined && nonTextWord.test(plain)) return undefined;
    fields[key] = (quoted ?? plain)!;
  }
  return fields;
}

/** Parses YAML that consists of `key: value` lines. Nothing at all is an object without fields. */
async function parseFields(source: string, firstLine: number): Promise<Readonly<Record<string, unknown>>> {
  const fields = (await parseYaml(source, firstLine)) ?? {};
  if (!isObject(fields))
    throw new FileProblem('the frontmatter must consist of "key: value" lines', firstLine);
  return fields;
}

/** The YAML package needs milliseconds to convert keys nested to this depth, and minutes for a few hundred levels. */
const maxKeyDepth = 10;

let yaml: typeof import('yaml') | undefined;

/** Parses any YAML that others wrote. Throws FileProblem; `firstLine` is the line of the file on which the YAML begins. */
export async function parseYaml(source: string, firstLine = 1): Promise<unknown> {
  yaml ??= await import('yaml');
  const { LineCounter, parseDocument } = yaml;
  const lineCounter = new LineCounter();
  const document = parseDocument(source, { lineCounter, prettyErrors: false, logLevel: 'silent' });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line, col } = lineCounter.linePos(error.pos[0]);
    throw new FileProblem(error.message, line + firstLine - 1, col);
  }
  if (keyDepth(document.contents) > maxKeyDepth)
    throw new FileProblem('the YAML has keys that are nested too deeply', firstLine);
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (cause) {
    throw new FileProblem(messageOf(cause), firstLine);
  }
}

/** How many collections are keys of each other, as in `? ? ? a` or `[[[a]: 1]: 1]: 1`. */
function keyDepth(node: unknown): number {
  const { isCollection, isPair } = yaml!;
  if (isPair(node)) {
    const ofKey = keyDepth(node.key) + (isCollection(node.key) ? 1 : 0);
    return Math.max(ofKey, keyDepth(node.value));
  }
  if (!isCollection(node)) return 0;
  return node.items.reduce<number>((deepest, item) => Math.max(deepest, keyDepth(item)), 0);
}
