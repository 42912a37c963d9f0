import { messageOf } from '../json.ts';

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
    fields: await parseYaml(lines.slice(1, end).join('\n'), 2),
    body: lines.slice(end + 1).join('\n'),
    bodyLine: end + 2,
  };
}

async function parseYaml(source: string, firstLine: number): Promise<Readonly<Record<string, unknown>>> {
  const { LineCounter, parseDocument } = await import('yaml');
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
