import { FileProblem, parseFrontMatter } from '../files/front-matter.ts';
import type { Report } from './format.ts';

export interface Markdown {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
  readonly bodyLine: number;
}

/** Markdown with or without front matter. What comes before and after the body is dropped. */
export async function parseMarkdown(text: string, report: Report): Promise<Markdown> {
  const begins = /^\uFEFF?---[ \t]*(\r?\n|$)/.test(text);
  const { fields, body, bodyLine } = begins
    ? await lenientFrontMatter(text.replace(/^(\uFEFF?---)[ \t]+/, '$1'), report)
    : { fields: {}, body: text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n'), bodyLine: 1 };
  const trimmed = body.trim();
  if (trimmed === '') throw new FileProblem('there is no text in it', bodyLine);
  const blank = body.slice(0, body.indexOf(trimmed)).split('\n').length - 1;
  return { fields, body: trimmed, bodyLine: bodyLine + blank };
}

/** Clients read `argument-hint: [a] [b]` line by line, though it is no YAML. */
async function lenientFrontMatter(text: string, report: Report): Promise<Markdown> {
  try {
    return await parseFrontMatter(text);
  } catch (error) {
    const lines = text
      .replace(/^\uFEFF/, '')
      .replaceAll('\r\n', '\n')
      .split('\n');
    const end = lines.indexOf('---', 1);
    const pairs = lines
      .slice(1, end)
      .map((line) => /^([A-Za-z][\w-]*):[ \t]*([^|>&*!%@`{\s].*)?$/.exec(line));
    if (!(error instanceof FileProblem) || end < 0 || pairs.some((pair) => pair === null)) throw error;
    const hints = new Set(pairs.flatMap((pair) => (pair![2]?.startsWith('[') ? [pair![1]] : [])));
    if (!hints.has('argument-hint'))
      report(
        `the front matter is not YAML and is read line by line: ${error.message}`,
        error.line,
        error.column,
      );
    return {
      fields: Object.fromEntries(pairs.map((pair) => [pair![1], unquoted((pair![2] ?? '').trimEnd())])),
      body: lines.slice(end + 1).join('\n'),
      bodyLine: end + 2,
    };
  }
}

function unquoted(value: string): string {
  return /^(["']).*\1$/.test(value) ? value.slice(1, -1) : value;
}

/** A field that must be text where it is given. */
export function textField(fields: Markdown['fields'], name: string): string | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw new FileProblem(`${name} must be text`, 2);
  return value.trim() === '' ? undefined : value.trim();
}

/** Front matter and body; without fields, the body alone. */
export async function printMarkdown(
  fields: Readonly<Record<string, unknown>>,
  body: string,
): Promise<string> {
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const text = body.endsWith('\n') ? body : `${body}\n`;
  // A body that begins like front matter must not be taken for it.
  if (Object.keys(given).length === 0) return /^---[ \t]*\n/.test(text) ? `---\n---\n${text}` : text;
  const { stringify } = await import('yaml');
  return `---\n${stringify(given, { lineWidth: 0 })}---\n${text}`;
}
