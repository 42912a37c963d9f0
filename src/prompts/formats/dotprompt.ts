import { basename } from 'node:path/posix';
import { FileProblem, lineOfField } from '../../front-matter.ts';
import { isObject } from '../../json.ts';
import type { ArgumentDefinition, MessageDefinition, PromptDefinition } from '../definition/definition.ts';
import { escapeJinja, lexTemplate, type Tag } from '../template/lexer.ts';
import { printMarkdown, readMarkdown, textField } from './file-syntax.ts';
import {
  filePerPrompt,
  NotExpressible,
  nameFromPath,
  pathForName,
  type Report,
  type TextFile,
} from './format.ts';
import { type Part, parseHandlebars } from './handlebars.ts';
import { type Segment, toBraces, toSegments } from './segments.ts';

export const dotprompt = filePerPrompt({
  name: 'dotprompt',
  title: 'dotprompt files',
  endings: ['.prompt'],
  documentation: ['`*.prompt`', 'the input schema (Picoschema or JSON Schema), `{{name}}`', 'other fields'],
  namedByPath: false,
  stores: ['title', 'description', 'argument descriptions', 'defaults', 'values'],
  // Files whose names start with an underscore are partials.
  accepts: (path) => path.endsWith('.prompt') && !basename(path).startsWith('_'),
  detects: ({ path }) => path.endsWith('.prompt'),
  parse,
  path: (name) => pathForName(name, '.prompt'),
  async print(definition, _, path) {
    const text = await print(definition);
    await assertUnchanged(definition, { path, text });
    return text;
  },
});

async function parse(file: TextFile, report: Report): Promise<PromptDefinition> {
  const { fields, description, body, bodyLine } = await readMarkdown(file, report, {
    known: ['name', 'title', 'description', 'input'],
  });
  const parts = parseHandlebars(body, bodyLine);
  const declared = parseInput(fields['input'], (message) => report(message, lineOfField(file.text, 'input')));
  const used = new Set(parts.flatMap((part) => ('name' in part ? [part.name] : [])));
  const known = new Set(declared.map(({ name }) => name));
  const undeclared = [...used].filter((name) => !known.has(name));
  const jinja = parts.some(({ kind }) => kind === 'if' || kind === 'unless');
  const title = textField(fields, 'title');
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
        // MCP has two roles.
        report(
          `the role ${part.role} is not supported, so the message becomes a user message`,
          undefined,
          undefined,
          'note',
        );
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
        : escapedText(toSegments(definition, content.text));
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

function escapedText(segments: readonly Segment[]): string {
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

const scalars = new Set(['string', 'number', 'integer', 'boolean', 'any', 'null']);

/** Parses the arguments in the input schema of a dotprompt file, which is Picoschema or a JSON Schema object. */
function parseInput(input: unknown, report: Report): readonly ArgumentDefinition[] {
  if (!isObject(input)) return [];
  const { schema, default: defaults } = input;
  if (schema === undefined) return [];
  if (!isObject(schema)) {
    report('the input schema is not defined in this file and was ignored');
    return [];
  }
  const found = isObject(schema['properties']) ? fromJsonSchema(schema) : fromPicoschema(schema, report);
  return found.map((argument) => {
    const value = isObject(defaults) ? defaults[argument.name] : undefined;
    if (value === undefined || value === null) return argument;
    if (typeof value === 'object') {
      report(`the default of ${argument.name} is not text and was ignored`);
      return argument;
    }
    const { required: _, ...optional } = argument;
    return { ...optional, default: String(value) };
  });
}

/** `name?(enum, description): [a, b]` or `name: type, description`. */
function fromPicoschema(
  schema: Readonly<Record<string, unknown>>,
  report: Report,
): readonly ArgumentDefinition[] {
  return Object.entries(schema).flatMap(([key, value]): ArgumentDefinition[] => {
    const [, name, optional, kind, note] =
      /^([A-Za-z_$][\w$-]*)(\?)?(?:\((\w+)(?:,\s*([\s\S]*))?\))?$/.exec(key) ?? [];
    if (name === undefined) {
      report(`the input ${key} is not supported and was ignored`);
      return [];
    }
    const required = { ...(optional === undefined && { required: true }) };
    const described = (text: string | undefined) => ({ ...(text && { description: text.trim() }) });
    if (kind === 'enum' && Array.isArray(value))
      return [{ name, ...described(note), ...required, values: value.map(String) }];
    if (kind === undefined && typeof value === 'string') {
      const [, type = '', description] = /^(\w+)(?:,\s*([\s\S]*))?$/.exec(value.trim()) ?? [];
      if (scalars.has(type)) return [{ name, ...described(description), ...required }];
    }
    report(`the input ${name} is not a scalar and is treated as text`);
    return [{ name, ...described(note), ...required }];
  });
}

function fromJsonSchema(schema: Readonly<Record<string, unknown>>): readonly ArgumentDefinition[] {
  const requiredNames: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.entries(schema['properties'] as Record<string, unknown>).map(([name, property]) => {
    const { description, enum: values } = isObject(property) ? property : {};
    return {
      name,
      ...(typeof description === 'string' && { description }),
      ...(requiredNames.includes(name) && { required: true }),
      ...(Array.isArray(values) && { values: values.map(String) }),
    };
  });
}

/** Prints the field `input` of the front matter, or `undefined` if there are no arguments. */
function printInput(declared: readonly ArgumentDefinition[]): object | undefined {
  if (declared.length === 0) return undefined;
  const schema = declared.map(({ name, required, description, values }): [string, unknown] => {
    const key = required ? name : `${name}?`;
    const note = description?.replaceAll(/\s+/g, ' ');
    if (values !== undefined) return [`${key}(enum${note ? `, ${note}` : ''})`, values];
    return [key, note ? `string, ${note}` : 'string'];
  });
  const defaults = declared.filter((one) => one.default !== undefined && one.default !== '');
  return {
    schema: Object.fromEntries(schema),
    ...(defaults.length > 0 && {
      default: Object.fromEntries(defaults.map(({ name, default: value }) => [name, value])),
    }),
  };
}
