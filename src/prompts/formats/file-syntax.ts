import {
  FileProblem,
  lineOfField,
  parseFrontMatter,
  parseYaml,
  splitFrontMatter,
} from '../../front-matter.ts';
import type { ArgumentDefinition } from '../definition/definition.ts';
import { FieldProblem } from '../definition/prompt-fields.ts';
import { type Report, reportClientSyntax, reportUnknownFields, type TextFile } from './format.ts';

export interface Markdown {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
  readonly bodyLine: number;
}

/** The body without white space at its start and end. */
export interface TrimmedMarkdown extends Markdown {
  /** The white space at the end of the file. */
  readonly ending: string;
}

export interface MarkdownOptions {
  /** Serve a file with invalid front matter without its fields, as its client does. */
  readonly lenient?: boolean;
  /** Accept a file without a body. */
  readonly mayBeEmpty?: boolean;
}

/** What a format knows about its Markdown files. */
interface MarkdownRules extends MarkdownOptions {
  /** Fields that are not reported. Default: all. */
  readonly known?: readonly string[];
  readonly syntax?: Parameters<typeof reportClientSyntax>[3];
}

/** Parses a file of another client, and reports what cannot be converted. */
export async function readMarkdown(
  { text }: TextFile,
  report: Report,
  { known, syntax = [], ...options }: MarkdownRules = {},
): Promise<TrimmedMarkdown & { readonly description: string | undefined }> {
  const found = await parseMarkdown(text, report, options);
  if (known !== undefined) reportUnknownFields(found.fields, known, report, text);
  reportClientSyntax(found.body, found.bodyLine, report, syntax);
  return { ...found, description: textField(found.fields, 'description') };
}

/** The white space at the end of a text. */
export function endingOf(text: string): string {
  return text.slice(text.trimEnd().length);
}

/** Parses Markdown with or without front matter. Whitespace around the body is removed. */
async function parseMarkdown(
  text: string,
  report: Report,
  { lenient = false, mayBeEmpty = false }: MarkdownOptions = {},
): Promise<TrimmedMarkdown> {
  const hasFrontMatter = /^\uFEFF?---[ \t]*(\r?\n|$)/.test(text);
  const { fields, body, bodyLine } = hasFrontMatter
    ? await parseLenientFrontMatter(
        text.replace(/^(\uFEFF?---)[ \t]+/, '$1'),
        lenient ? () => {} : report,
      ).catch((error: unknown) => {
        if (!lenient || !(error instanceof FileProblem)) throw error;
        return withoutFields(text, error, report);
      })
    : { fields: {}, body: text.replace(/^\uFEFF/, ''), bodyLine: 1 };
  const trimmed = body.trim();
  if (trimmed === '' && !mayBeEmpty) throw new FileProblem('the file contains no prompt text', bodyLine);
  const leadingLines = body.slice(0, body.indexOf(trimmed)).split('\n').length - 1;
  return {
    fields: lenient ? withTextDescription(fields, text, report) : fields,
    body: trimmed,
    ending: endingOf(body),
    bodyLine: bodyLine + leadingLines,
  };
}

function withTextDescription(fields: Markdown['fields'], text: string, report: Report): Markdown['fields'] {
  const { description, ...rest } = fields;
  if (description === undefined || description === null || typeof description === 'string') return fields;
  if (typeof description !== 'object') return { ...rest, description: String(description) };
  report('the description is not text and was ignored', lineOfField(text, 'description'));
  return rest;
}

/** The body alone. Without an end of the front matter, the whole file is the body. */
function withoutFields(text: string, { message, line, column }: FileProblem, report: Report): Markdown {
  try {
    const { body, bodyLine } = splitFrontMatter(text.replace(/^(\uFEFF?---)[ \t]+/, '$1'));
    report(`the front matter is invalid, so its fields are ignored: ${message}`, line, column);
    return { fields: {}, body, bodyLine };
  } catch {
    report('the front matter is never closed, so the whole file is the text', line, column);
    return { fields: {}, body: text.replace(/^\uFEFF/, ''), bodyLine: 1 };
  }
}

/** Reads values that are not YAML as text, as other clients do: `argument-hint: [a] [b]` and `description: Use: it` are common. */
async function parseLenientFrontMatter(text: string, report: Report): Promise<Markdown> {
  const written = withQuotedTemplates(text);
  try {
    return await parseFrontMatter(written);
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    const { head } = splitFrontMatter(written);
    // With anchors, it is YAML on purpose.
    if (head.some((line) => /^[\w-]+:[ \t]+&/.test(line))) throw error;
    const read = await Promise.all(head.map(asText));
    if (read.every((line, index) => line === head[index])) throw error;
    const rest = written.split('\n').slice(head.length + 1);
    const found = await parseFrontMatter(['---', ...read, ...rest].join('\n')).catch(() =>
      Promise.reject(error),
    );
    if (!head.some((line, index) => line !== read[index] && line.startsWith('argument-hint:')))
      report(
        `the front matter is not valid YAML and was read line by line: ${error.message}`,
        error.line,
        error.column,
      );
    return found;
  }
}

/** The field with its value in quotes, if it is no valid YAML by itself. A quote that is never closed is a mistake. */
async function asText(line: string): Promise<string> {
  const [, key, value = ''] = /^([A-Za-z][\w-]*:)[ \t]+(\S.*)$/.exec(line) ?? [];
  if (key === undefined || /^(["'])(?!.*\1\s*$)/.test(value)) return line;
  const isValid = await parseYaml(line).then(
    () => true,
    () => /^[|>][-+\d]*\s*$/.test(value),
  );
  return isValid ? line : `${key} ${JSON.stringify(value.replace(/\s+#.*$/, '').trimEnd())}`;
}

/** A value such as `{{DESCRIPTION}}` is text that the user of a template fills in, although YAML reads it as a mapping. */
function withQuotedTemplates(text: string): string {
  const { head } = splitFrontMatter(text);
  const end = text.split('\n', head.length + 1).join('\n').length;
  const quoted = text
    .slice(0, end)
    .replace(
      /^([A-Za-z][\w-]*:[ \t]+)(\{\{[^{}\n]*\}\}[^\r\n]*)/gm,
      (_, key: string, value: string) => key + JSON.stringify(value.trimEnd()),
    );
  return quoted + text.slice(end);
}

/** Returns an optional text field. Throws FieldProblem if its value is not text. */
export function textField(fields: Markdown['fields'], name: string): string | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw new FieldProblem(`${name} must be text`);
  return value.trim() === '' ? undefined : value.trim();
}

/** Prints front matter and body, or only the body if no field is defined. */
export async function printMarkdown(
  fields: Readonly<Record<string, unknown>>,
  body: string,
): Promise<string> {
  const defined = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const text = body.endsWith('\n') ? body : `${body}\n`;
  // Empty front matter keeps a body that starts with `---` from being read as front matter.
  if (Object.keys(defined).length === 0) return /^---[ \t]*\n/.test(text) ? `---\n---\n${text}` : text;
  const { stringify } = await import('yaml');
  return `---\n${stringify(defined, { lineWidth: 0 })}---\n${text}`;
}

/** Returns the hint as text. YAML parses `[one]` as a list, so a list is printed back in brackets. */
export function parseHint(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value)) return value.map((item) => `[${String(item)}]`).join(' ');
  if (typeof value === 'string') return value.trim() === '' ? undefined : value.trim();
  throw new FieldProblem('argument-hint must be text');
}

/** Returns the names in a hint such as `<file> [priority]`, or none if the hint contains anything else. */
export function namesInHint(hint: string | undefined): readonly string[] {
  if (hint === undefined || !/^\s*(?:(?:\[[\w -]+\]|<[\w -]+>)\s*)+$/.test(hint)) return [];
  const names = [...hint.matchAll(/[[<]([\w -]+)[\]>]/g)].map(([, name]) =>
    name!.trim().replaceAll(' ', '_'),
  );
  return new Set(names).size === names.length ? names : [];
}

export function printHint(declared: readonly ArgumentDefinition[]): string | undefined {
  if (declared.length === 0) return undefined;
  return declared.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`)).join(' ');
}

/** Prints a TOML string. Text with line breaks becomes a readable multi-line string. */
export function tomlText(text: string): string {
  if (!text.includes('\n')) return `"${escapeBasic(text)}"`;
  if (!text.includes("'''") && !text.endsWith("'") && !/[^\P{Cc}\n\t]/u.test(text)) return `'''\n${text}'''`;
  return `"""\n${text.split('\n').map(escapeBasic).join('\n')}"""`;
}

function escapeBasic(line: string): string {
  return JSON.stringify(line).slice(1, -1).replaceAll('\x7f', '\\u007f');
}

export function tomlKey(name: string): string {
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : `"${escapeBasic(name)}"`;
}
