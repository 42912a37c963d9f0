import type { Content } from '../../content.ts';
import { FileProblem } from '../../front-matter.ts';
import { isObject, messageOf } from '../../json.ts';
import type { MessageDefinition, PromptDefinition } from '../definition/definition.ts';
import {
  FieldProblem,
  parseArguments,
  parseTags,
  parseTests,
  parseText,
} from '../definition/prompt-fields.ts';
import type { PromptDraft } from '../definition/source.ts';
import { decodeText } from '../files/file-cache.ts';

/** One line of a JSONL file. Unknown fields are preserved. */
export interface PromptRecord extends Readonly<Record<string, unknown>> {
  readonly name: string;
}

const contentTypes: ReadonlySet<unknown> = new Set(['text', 'image', 'audio', 'resource', 'resource_link']);

/** Returns `undefined` for a blank line. Throws FileProblem if the line is not a prompt. */
export function parseRecord(line: string | Buffer, number: number): PromptRecord | undefined {
  try {
    const text = typeof line === 'string' ? line : decodeText(line);
    if (/^\s*$/.test(text)) return undefined;
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) throw new FieldProblem('a prompt must be a JSON object');
    if (typeof value['name'] !== 'string' || value['name'] === '')
      throw new FieldProblem('name must be text');
    return value as unknown as PromptRecord;
  } catch (error) {
    if (error instanceof FileProblem) throw new FileProblem('the line is not UTF-8 text', number);
    throw new FileProblem(error instanceof SyntaxError ? 'the line is not JSON' : messageOf(error), number);
  }
}

export function toDefinition(record: PromptRecord, file: string, line: number): PromptDefinition {
  try {
    const title = parseText(record['title'], 'title');
    const description = parseText(record['description'], 'description');
    const tests = parseTests(record['tests']);
    return {
      name: record.name,
      ...(title !== undefined && title !== '' && { title }),
      ...(description !== undefined && description !== '' && { description }),
      arguments: parseArguments(record['arguments']),
      messages: parseMessages(record['messages']),
      tags: parseTags(record['tags']),
      template: 'braces',
      ...(tests !== undefined && { tests }),
      file,
      line,
    };
  } catch (error) {
    if (error instanceof FieldProblem) throw new FileProblem(`${record.name}: ${error.message}`, line);
    throw error;
  }
}

/** Returns the fields of a prompt that are recorded in the history. */
export function toDraft(record: PromptRecord): PromptDraft {
  const { name, title, description, arguments: args, messages, tags } = record;
  return {
    name,
    title,
    ...(description !== undefined && { description }),
    ...(args !== undefined && { arguments: args }),
    messages,
    ...(tags !== undefined && { tags }),
  } as PromptDraft;
}

/** Validates messages. Copies them only if some content is a plain string, the short form of a text. */
function parseMessages(value: unknown): readonly MessageDefinition[] {
  if (!Array.isArray(value) || value.length === 0) throw new FieldProblem('at least one message is required');
  let hasShorthand = false;
  for (const [index, message] of value.entries()) {
    const where = `message ${index + 1}`;
    if (!isObject(message)) throw new FieldProblem(`${where} must be an object`);
    const { role, content } = message;
    if (role !== 'user' && role !== 'assistant')
      throw new FieldProblem(`${where}: role must be user or assistant`);
    if (typeof content === 'string') hasShorthand = true;
    else if (!isObject(content) || !contentTypes.has(content['type']))
      throw new FieldProblem(`${where}: content must have a known type`);
    else if (content['type'] === 'text' && typeof content['text'] !== 'string')
      throw new FieldProblem(`${where}: text must be a string`);
  }
  const messages = value as readonly { role: MessageDefinition['role']; content: Content | string }[];
  if (!hasShorthand) return messages as readonly MessageDefinition[];
  return messages.map(({ role, content }) => ({
    role,
    content: typeof content === 'string' ? { type: 'text', text: content } : content,
  }));
}
