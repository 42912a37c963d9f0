import { basename } from 'node:path/posix';
import { FileProblem } from '../../front-matter.ts';
import type { MessageDefinition, PromptDefinition } from '../definition/definition.ts';
import { escapeJinja, lexTemplate, type Tag } from '../template/lexer.ts';
import { filePerPrompt, NotExpressible, type Report, type TextFile } from './format.ts';
import { type Part, parseHandlebars } from './handlebars.ts';
import { reportUnknownFields } from './left-out.ts';
import { parseMarkdown, printMarkdown, textField } from './markdown.ts';
import { parseInput, printInput } from './picoschema.ts';
import { nameFromPath, pathForName } from './prompt-path.ts';
import { type Segment, toBraces, toSegments } from './segments.ts';

export const dotprompt = filePerPrompt({
  name: 'dotprompt',
  title: 'dotprompt files',
  folder: 'prompts',
  namedByPath: false,
  stores: ['title', 'description', 'argument descriptions', 'defaults', 'values'],
  // Files whose names start with an underscore are partials.
  accepts: (path) => path.endsWith('.prompt') && !basename(path).startsWith('_'),
  parse,
  async print(definition) {
    const file = { path: pathForName(definition.name, '.prompt'), text: await print(definition) };
    await assertUnchanged(definition, file);
    return file;
  },
});

async function parse(file: TextFile, report: Report): Promise<PromptDefinition> {
  const { fields, body, bodyLine } = await parseMarkdown(file.text, report);
  reportUnknownFields(fields, ['name', 'title', 'description', 'input'], report, file.text);
  const parts = parseHandlebars(body, bodyLine);
  const declared = parseInput(fields['input'], (message) => report(message, 2));
  const used = new Set(parts.flatMap((part) => ('name' in part ? [part.name] : [])));
  const known = new Set(declared.map(({ name }) => name));
  const undeclared = [...used].filter((name) => !known.has(name));
  const jinja = parts.some(({ kind }) => kind === 'if' || kind === 'unless');
  const title = textField(fields, 'title');
  const description = textField(fields, 'description');
  return {
    name: textField(fields, 'name') ?? nameFromPath(file.path, '.prompt'),
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    arguments: [
      // An optional argument without a value becomes empty text.
      ...declared.map((one) =>
        one.required || one.default !== undefined || jinja ? one : { ...one, default: '' },
      ),
      ...undeclared.map((name) => ({ name, ...(!jinja && { default: '' }) })),
    ],
    messages: toMessages(parts, report, (own) =>
      jinja ? partsToJinja(own) : toBraces(partsToSegments(own), bodyLine),
    ),
    tags: [],
    template: jinja ? 'jinja' : 'braces',
    file: file.path,
    line: bodyLine,
  };
}

function toMessages(
  parts: readonly Part[],
  report: Report,
  toText: (parts: readonly Part[]) => string,
): readonly MessageDefinition[] {
  const messages: { role: 'user' | 'assistant'; parts: Part[] }[] = [{ role: 'user', parts: [] }];
  for (const part of parts) {
    if (part.kind !== 'role') messages.at(-1)!.parts.push(part);
    else {
      if (part.role !== 'user' && part.role !== 'model')
        report(`the role ${part.role} is not supported, so the message becomes a user message`);
      messages.push({ role: part.role === 'model' ? 'assistant' : 'user', parts: [] });
    }
  }
  const written = messages.map(({ role, parts: own }) => ({ role, text: toText(trimmed(own)) }));
  const nonEmpty = written.filter(({ text }) => text !== '');
  if (nonEmpty.length === 0) throw new FileProblem('the file contains no prompt text', 1);
  return nonEmpty.map(({ role, text }) => ({ role, content: { type: 'text', text } }));
}

/** Removes white space around a message, unless a tag or a comment protects it. */
function trimmed(parts: readonly Part[]): readonly Part[] {
  return parts.map((part, index) => {
    if (part.kind !== 'text') return part;
    const start = index === 0 ? part.text.trimStart() : part.text;
    return { ...part, text: index === parts.length - 1 ? start.trimEnd() : start };
  });
}

function partsToSegments(parts: readonly Part[]): readonly Segment[] {
  return parts.flatMap((part): Segment[] =>
    part.kind === 'text' ? [part.text] : part.kind === 'variable' ? [{ argument: part.name }] : [],
  );
}

function partsToJinja(parts: readonly Part[]): string {
  return parts.map(partToJinja).join('');
}

function partToJinja(part: Part): string {
  switch (part.kind) {
    case 'text':
      return escapeJinja(part.text);
    case 'variable':
      return `{{ ${part.name} }}`;
    case 'if':
      return `{% if ${part.name} %}`;
    case 'unless':
      return `{% if not ${part.name} %}`;
    case 'else':
      return '{% else %}';
    case 'end':
      return '{% endif %}';
    case 'role':
    case 'comment':
      return '';
  }
}

async function print(definition: PromptDefinition): Promise<string> {
  const texts = definition.messages.map(({ role, content }) => {
    if (content.type !== 'text') throw new NotExpressible('it has content other than text');
    const body =
      definition.template === 'jinja'
        ? jinjaToHandlebars(content.text)
        : printSegments(toSegments(definition, content.text));
    return { role, body: protectEnds(body) };
  });
  const single = texts.length === 1 && texts[0]!.role === 'user';
  const body = single
    ? texts[0]!.body
    : texts
        .map(({ role, body: text }) => `{{role "${role === 'assistant' ? 'model' : 'user'}"}}\n${text}`)
        .join('\n');
  return printMarkdown(
    {
      title: definition.title,
      description: definition.description || undefined,
      input: printInput(definition.arguments),
    },
    body,
  );
}

function printSegments(segments: readonly Segment[]): string {
  return segments
    .map((segment, index) => {
      if (typeof segment !== 'string') return `{{${segment.argument}}}`;
      const text = segment.replaceAll('{{', '\\{{');
      // A backslash before a tag would make the tag plain text.
      return text.endsWith('\\') && index < segments.length - 1 ? `${text}\\` : text;
    })
    .join('');
}

/** Readers remove white space around a message. Two comments keep it: a single one could be alone on its line. */
function protectEnds(body: string): string {
  const guard = '{{!}}{{!}}';
  return `${/^\s/.test(body) ? guard : ''}${body}${/\s$/.test(body) ? guard : ''}`;
}

function merged(segments: readonly Segment[]): readonly Segment[] {
  const all: Segment[] = [];
  for (const segment of segments) {
    const last = all.at(-1);
    if (typeof segment === 'string' && typeof last === 'string') all[all.length - 1] = last + segment;
    else all.push(segment);
  }
  return all;
}

/** Reads the file back. Throws NotExpressible if the text would change, for example at a backslash before braces. */
async function assertUnchanged(definition: PromptDefinition, file: TextFile): Promise<void> {
  if (definition.template === 'jinja') return;
  const back = await parse(file, () => {}).catch(() => undefined);
  const textOf = (one: PromptDefinition) =>
    JSON.stringify(
      one.messages.map(({ role, content }) => [
        role,
        content.type === 'text' && merged(toSegments(one, content.text)),
      ]),
    );
  if (back === undefined || textOf(back) !== textOf(definition))
    throw new NotExpressible('its text cannot be written in this format without a change');
}

/** Converts Jinja that uses only variables and `if`. Throws NotExpressible for any other syntax. */
function jinjaToHandlebars(template: string): string {
  const open: string[] = [];
  let text = '';
  let end = 0;
  const add = (plain: string) => {
    if (/\{[{%#]/.test(plain)) throw new NotExpressible(unsupportedJinja);
    text += plain;
  };
  for (const tag of lexTemplate(template)) {
    add(template.slice(end, tag.offset));
    text += printTag(tag, open) + lineEnd(tag, template);
    end = tag.end;
  }
  add(template.slice(end));
  return text;
}

const unsupportedJinja = 'it uses Jinja syntax that dotprompt does not support';

function printTag({ kind, tokens }: Tag, open: string[]): string {
  const words = tokens.map((token) => token.text);
  const name = words.at(-1) ?? '';
  if (tokens.at(-1)?.kind !== 'name') throw new NotExpressible(unsupportedJinja);
  const shape = kind === 'expression' ? words.slice(0, -1).join(' ') : words.slice(0, -1).join(' ') || name;
  if (kind === 'expression' && shape === '') return `{{${name}}}`;
  if (kind === 'statement' && shape === 'else') return '{{else}}';
  if (kind === 'statement' && shape === 'endif') return `{{/${open.pop()}}}`;
  if (kind === 'expression' || !/^if( not)?$/.test(shape)) throw new NotExpressible(unsupportedJinja);
  open.push(shape === 'if' ? 'if' : 'unless');
  return `{{#${open.at(-1)} ${name}}}`;
}

/** The line break to add after a block tag that is alone on its line: Handlebars drops one there, Jinja does not. */
function lineEnd({ kind, offset, end }: Tag, template: string): string {
  if (kind === 'expression') return '';
  // Check only the blanks around the tag: its line may be as long as the whole text.
  let from = offset;
  while (/[^\S\n]/.test(template[from - 1] ?? '')) from -= 1;
  let to = end;
  while (/[^\S\n]/.test(template[to] ?? '')) to += 1;
  if ((from > 0 && template[from - 1] !== '\n') || (to < template.length && template[to] !== '\n')) return '';
  const [before, after] = [template.slice(from, offset), template.slice(end, to)];
  if (before !== '' || after !== '')
    throw new NotExpressible('a block tag is alone on an indented line, which dotprompt would remove');
  return end < template.length ? '\n' : '';
}
