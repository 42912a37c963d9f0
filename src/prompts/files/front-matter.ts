import { type Awaitable, whenReady } from '../../awaitable.ts';
import { messageOf } from '../../json.ts';

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

/** Splits a Markdown file that begins with YAML between two `---` lines. */
export function parseFrontMatter(source: string): Awaitable<FrontMatter> {
  const { head, ...rest } = splitFrontMatter(source);
  const fields = parsePlain(head) ?? parseYaml(head.join('\n'), 2);
  return whenReady(fields as Awaitable<FrontMatter['fields']>, (known) => ({ fields: known, ...rest }));
}

/** The lines between the delimiters, and the body with its line breaks unchanged. */
export function splitFrontMatter(
  source: string,
): Omit<FrontMatter, 'fields'> & { readonly head: readonly string[] } {
  const lines = source.replace(/^\uFEFF/, '').split('\n');
  const isDelimiter = (line: string | undefined) => line === '---' || line === '---\r';
  if (!isDelimiter(lines[0])) throw new FileProblem('missing YAML frontmatter start delimiter', 1);
  const end = lines.findIndex((line, index) => index > 0 && isDelimiter(line));
  if (end < 0) throw new FileProblem('missing YAML frontmatter end delimiter', lines.length);
  return {
    head: lines.slice(1, end).map((line) => line.replace(/\r$/, '')),
    body: lines.slice(end + 1).join('\n'),
    bodyLine: end + 2,
  };
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

/** Larger hostile input would keep the YAML package busy for seconds. Front matter written by hand is much smaller. */
const maxYamlLength = 16 * 1024;

/** Keys in keys, such as `? ? ? a`. The YAML package needs minutes for a few hundred of them. */
const nestedKeys = /(?:\?\s+(?:[-&!]\S*\s+)*){10}/;

let yaml: typeof import('yaml') | undefined;

async function parseYaml(source: string, firstLine: number): Promise<Readonly<Record<string, unknown>>> {
  if (source.length > maxYamlLength)
    throw new FileProblem(
      `the frontmatter is larger than ${maxYamlLength / 1024} KB; move long text into the body`,
      firstLine,
    );
  if (nestedKeys.test(source))
    throw new FileProblem('the frontmatter has keys that are nested too deeply', firstLine);
  yaml ??= await import('yaml');
  const { LineCounter, parseDocument } = yaml;
  const lineCounter = new LineCounter();
  const document = parseDocument(source, { lineCounter, prettyErrors: false, logLevel: 'silent' });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line, col } = lineCounter.linePos(error.pos[0]);
    throw new FileProblem(error.message, line + firstLine - 1, col);
  }
  try {
    const fields: unknown = document.toJS({ maxAliasCount: 100 }) ?? {};
    if (typeof fields !== 'object' || Array.isArray(fields))
      throw new FileProblem('the frontmatter must consist of "key: value" lines', firstLine);
    return fields as Record<string, unknown>;
  } catch (cause) {
    throw cause instanceof FileProblem ? cause : new FileProblem(messageOf(cause), firstLine);
  }
}
