import { messageOf } from '../../json.ts';

export interface FrontMatter {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
  /** The line of the file on which the body begins. */
  readonly bodyLine: number;
}

/** What is wrong with a file, and where. */
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
export async function parseFrontMatter(source: string): Promise<FrontMatter> {
  const text = source.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const lines = text.split('\n');
  if (lines[0] !== '---') throw new FileProblem('missing YAML frontmatter start delimiter', 1);
  const end = lines.indexOf('---', 1);
  if (end < 0) throw new FileProblem('missing YAML frontmatter end delimiter', lines.length);
  return {
    fields: parsePlain(lines.slice(1, end)) ?? (await parseYaml(lines.slice(1, end).join('\n'), 2)),
    body: lines.slice(end + 1).join('\n'),
    bodyLine: end + 2,
  };
}

/** A key and a text without anything that means more in YAML. */
const plainLine = /^([A-Za-z_][\w-]*): +(?:"([^"\\]*)"|([A-Za-z](?:[^\n:#"'\\]*[^\s:#"'\\])?)) *$/;
/** Words that are not texts. */
const otherThanText = /^(?:true|false|null|yes|no|on|off|y|n|nan|inf)$/i;

/** Most front matter is a few plain lines, which need no engine; `undefined` for all other. */
function parsePlain(lines: readonly string[]): Readonly<Record<string, unknown>> | undefined {
  const fields: Record<string, string> = {};
  for (const line of lines) {
    const [, key, quoted, plain] = plainLine.exec(line) ?? [];
    if (key === undefined || Object.hasOwn(fields, key) || key === '__proto__') return undefined;
    if (plain !== undefined && otherThanText.test(plain)) return undefined;
    fields[key] = (quoted ?? plain)!;
  }
  return fields;
}

/** The YAML package needs seconds for some texts of more, and no front matter written by hand comes near. */
const longestYaml = 16 * 1024;

let yaml: typeof import('yaml') | undefined;

async function parseYaml(source: string, firstLine: number): Promise<Readonly<Record<string, unknown>>> {
  if (source.length > longestYaml)
    throw new FileProblem(
      `the frontmatter is longer than ${longestYaml / 1024} KB; move the text below it`,
      firstLine,
    );
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
      throw new FileProblem('the frontmatter must be a list of "key: value" lines', firstLine);
    return fields as Record<string, unknown>;
  } catch (cause) {
    throw cause instanceof FileProblem ? cause : new FileProblem(messageOf(cause), firstLine);
  }
}
