import type { MessageDefinition, PromptDefinition } from '../definition/definition.ts';
import { parsePromptFile } from '../jsonl/prompt-file.ts';
import { type Format, type TextFile, writeEach } from './format.ts';
import { toSegments, usedArguments, withInput } from './segments.ts';

/** JSONL files with one prompt per line. */
export const jsonl: Format = {
  name: 'jsonl',
  title: 'JSONL prompts',
  endings: ['.jsonl'],
  documentation: ['`*.jsonl`', '`{{name}}`', ''],
  namedByPath: false,
  isOwn: true,
  accepts: (path) => path.endsWith('.jsonl') && !path.includes('/'),
  detects: ({ path }) => path.endsWith('.jsonl'),
  async read(files) {
    const read = files
      .filter(({ path }) => jsonl.accepts(path))
      .map(({ path, text }) => parsePromptFile(Buffer.from(text), path));
    return {
      prompts: read.flatMap(({ prompts }) => prompts),
      problems: read.flatMap(({ problems }) => problems),
    };
  },
  async write(definitions) {
    const { files, problems } = await writeEach(definitions, async (definition, warn) => {
      const name = definition.name.replaceAll(/[^\w-]/g, '_');
      if (name !== definition.name) warn(`the name becomes ${name}`);
      return { path: name, text: JSON.stringify(toRecord(name, definition)) };
    });
    return { files: joinRecords(files), problems };
  },
};

/** Converts a prompt to a JSONL record, in which `{{name}}` stands for an argument. Throws NotExpressible. */
export function toRecord(name: string, definition: PromptDefinition): object {
  const { title = definition.name, description, messages, tags } = definition;
  const declared = usedArguments(definition);
  return {
    name,
    title,
    ...(description && { description }),
    ...(declared.length > 0 && { arguments: declared }),
    messages: messages.map((message) => withBraces(definition, message)),
    ...(tags.length > 0 && { tags }),
  };
}

function withBraces(definition: PromptDefinition, { role, content }: MessageDefinition): MessageDefinition {
  if (content.type !== 'text') return { role, content };
  return { role, content: { type: 'text', text: bracedText(definition, content.text) } };
}

function bracedText(definition: PromptDefinition, text: string): string {
  if (definition.template === 'none' || definition.template === 'braces') return text;
  if (definition.template === 'input') return withInput(text);
  return toSegments(definition, text)
    .map((segment) => (typeof segment === 'string' ? segment : `{{${segment.argument}}}`))
    .join('');
}

function joinRecords(records: readonly TextFile[]): readonly TextFile[] {
  if (records.length === 0) return [];
  return [{ path: 'user.jsonl', text: records.map(({ text }) => `${text}\n`).join('') }];
}
