import { isAbsolute, normalize } from 'node:path';
import type { Problem } from '../../feature.ts';
import { FileProblem } from '../../front-matter.ts';
import { isObject, messageOf } from '../../json.ts';
import type {
  ArgumentDefinition,
  PromptDefinition,
  PromptTest,
  TemplateKind,
} from '../definition/definition.ts';
import {
  FieldProblem,
  misspelledFields,
  parseArguments,
  parseTags,
  parseTemplateKind,
  parseTests,
  parseText,
} from '../definition/prompt-fields.ts';
import { limitProblems } from '../files/limit-problems.ts';

/** One prompt as declared in `twig.toml`. */
export interface ManifestPrompt {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments: readonly ArgumentDefinition[];
  readonly tags: readonly string[];
  readonly template: TemplateKind;
  readonly messages: readonly ManifestMessage[];
  readonly tests?: readonly PromptTest[];
  readonly misspelled?: NonNullable<PromptDefinition['misspelled']>;
}

/** The content of one message. Paths of files are relative to `prompts/`, those of attachments to the library. */
export type ManifestMessage = { readonly role: 'user' | 'assistant' } & (
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'file' | 'attachment'; readonly path: string }
);

export function isAttachment(message: ManifestMessage): message is ManifestMessage & { kind: 'attachment' } {
  return message.kind === 'attachment';
}

export interface Manifest {
  readonly prompts: readonly ManifestPrompt[];
  /** Prompt names in the problems have no library prefix. */
  readonly problems: readonly Problem[];
}

/** Every list reads all prompts of a library. Real ones have at most a few hundred. */
const maxPrompts = 10_000;

/** Throws FileProblem with the place of a syntax error. */
export async function parseToml(source: string): Promise<Readonly<Record<string, unknown>>> {
  const { parse, TomlError } = await import('smol-toml');
  try {
    return parse(source);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw new FileProblem(messageOf(error).split('\n', 1)[0]!, error.line, error.column);
  }
}

/** Parses a manifest. An invalid prompt is reported and skipped. */
export async function parseManifest(source: string, file: string): Promise<Manifest> {
  const content = await parseToml(source);
  const { prompts: table = {} } = content;
  if (!isObject(table)) throw new FileProblem('prompts must be tables such as [prompts.name]', 1);
  const prompts: ManifestPrompt[] = [];
  const problems: Problem[] = [];
  let lines: ReadonlyMap<string, number> | undefined;
  const tables = Object.entries(table).sort(([a], [b]) => (a < b ? -1 : 1));
  if (tables.length > maxPrompts)
    throw new FileProblem(`a library can have at most ${maxPrompts} prompts; split it into several`, 1);
  for (const [name, fields] of tables) {
    const report = (severity: Problem['severity'], message: string) => {
      lines ??= tableLines(source);
      const line = lines.get(name) ?? 1;
      problems.push({ file, line, severity, prompts: [name], message: `${name}: ${message}` });
    };
    try {
      const prompt = parsePrompt(name, fields);
      if (prompt.description === undefined) report('warning', 'description is missing');
      prompts.push(prompt);
    } catch (error) {
      if (!(error instanceof FieldProblem)) throw error;
      report('error', error.message);
    }
  }
  return { prompts, problems: limitProblems(problems) };
}

function parsePrompt(name: string, fields: unknown): ManifestPrompt {
  if (!isObject(fields)) throw new FieldProblem('must be a table');
  if (/[/\\:\0]|^\.|^$/.test(name))
    throw new FieldProblem('a name must not be empty, begin with a dot or contain / \\ or :');
  const title = parseText(fields['title'], 'title');
  const description = parseText(fields['description'], 'description');
  const tests = parseTests(fields['tests']);
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    arguments: parseArguments(fields['arguments']),
    tags: parseTags(fields['tags']),
    template: parseTemplateKind(fields['template'], 'jinja'),
    messages: parseMessages(fields['messages'], name),
    ...(tests !== undefined && { tests }),
    ...misspelledFields(fields),
  };
}

function parseMessages(value: unknown, name: string): readonly ManifestMessage[] {
  if (value === undefined) return [{ role: 'user', kind: 'file', path: `${name}.md` }];
  if (!Array.isArray(value) || value.length === 0)
    throw new FieldProblem('messages must be a list of tables');
  return value.map((message: unknown, index) => {
    const where = `message ${index + 1}`;
    if (!isObject(message)) throw new FieldProblem(`${where} must be a table`);
    const { role = 'user' } = message;
    if (role !== 'user' && role !== 'assistant')
      throw new FieldProblem(`${where}: role must be user or assistant`);
    const kinds = (['text', 'file', 'attachment'] as const).filter((kind) => kind in message);
    const [kind] = kinds;
    const content = kind && message[kind];
    if (kind === undefined || kinds.length > 1 || typeof content !== 'string')
      throw new FieldProblem(`${where} must have exactly one of text, file and attachment, as a string`);
    if (kind === 'text') return { role, kind, text: content };
    if (isAbsolute(content) || /^\.\.([\\/]|$)/.test(normalize(content)) || content.includes('\0'))
      throw new FieldProblem(`${where}: the path must stay inside the library`);
    return { role, kind, path: normalize(content) };
  });
}

const tableHeader = /^[ \t]*\[\[?[ \t]*prompts[ \t]*\.[ \t]*(?:"([^"]*)"|'([^']*)'|([\w-]+))[ \t]*[.\]]/;

/** Finds the line on which the table of each prompt begins, because the TOML parser does not report it. */
function tableLines(source: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  for (const [index, text] of source.split('\n').entries()) {
    const [, double, single, bare] = tableHeader.exec(text) ?? [];
    const name = double ?? single ?? bare;
    if (name !== undefined && !lines.has(name)) lines.set(name, index + 1);
  }
  return lines;
}
