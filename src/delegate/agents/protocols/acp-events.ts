import { isObject } from '../../../json.ts';
import type { AgentEvent, AgentItem, FileChange, Usage } from './agent-event.ts';
import { lastPart, type Message, objects, text } from './message.ts';

/** A tool call as far as it is known. Updates name only the fields that change. */
export interface ToolCall {
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  readonly input: Message;
  readonly content: readonly Message[];
  readonly locations: readonly Message[];
  readonly status: string;
}

/** Adds the fields of a `tool_call`, a `tool_call_update` or a request for permission to what is known. */
export function updateCall(known: ToolCall | undefined, update: Message): ToolCall {
  const content = objects(update['content']);
  const locations = objects(update['locations']);
  return {
    id: String(update['toolCallId']),
    kind: text(update['kind']) ?? known?.kind ?? 'other',
    title: text(update['title']) ?? known?.title ?? '',
    input: isObject(update['rawInput']) ? update['rawInput'] : (known?.input ?? {}),
    content: content.length > 0 ? content : (known?.content ?? []),
    locations: locations.length > 0 ? locations : (known?.locations ?? []),
    status: text(update['status']) ?? known?.status ?? 'pending',
  };
}

export function toItem(call: ToolCall): AgentItem {
  const changes = fileChanges(call);
  if (commandOf(call) !== undefined) {
    const output = call.content.map(outputOf).join('');
    const isOver = call.status === 'completed' || call.status === 'failed';
    return { type: 'command', command: commandOf(call)!, ...(isOver && { output: lastPart(output) }) };
  }
  return changes.length > 0 ? { type: 'files', changes } : { type: 'tool', name: call.title || call.kind };
}

/** The command line of a call that runs one. */
export function commandOf({ kind, input, title }: ToolCall): string | undefined {
  if (kind !== 'execute') return undefined;
  const { command } = input;
  return Array.isArray(command) ? command.join(' ') : (text(command) ?? title);
}

function fileChanges({ kind, content, locations, input }: ToolCall): readonly FileChange[] {
  if (!['edit', 'delete', 'move'].includes(kind)) return [];
  const diffs = content.filter(({ type }) => type === 'diff');
  const isAbsent = (value: unknown) => value === undefined || value === null || value === '';
  if (diffs.length > 0)
    return diffs.map(({ path, oldText }) => ({
      path: String(path),
      kind: isAbsent(oldText) ? 'add' : 'update',
    }));
  const named = [...locations.map(({ path }) => path), input['file_path'], input['filePath']];
  const paths = new Set(named.filter((path) => typeof path === 'string'));
  return [...paths].map((path) => ({ path, kind: kind === 'delete' ? 'delete' : 'update' }));
}

/** The changes of a call as they are shown to a person. */
export function diffOf({ content }: ToolCall): string | undefined {
  const diffs = content.filter(({ type }) => type === 'diff');
  const prefixed = (value: unknown, sign: string) =>
    (text(value) ?? '')
      .split('\n')
      .filter((line, at, all) => at < all.length - 1 || line !== '')
      .map((line) => sign + line);
  const texts = diffs.map(({ path, oldText, newText }) =>
    [`--- ${path}`, `+++ ${path}`, ...prefixed(oldText, '-'), ...prefixed(newText, '+')].join('\n'),
  );
  return texts.length === 0 ? undefined : texts.join('\n');
}

/** The text of a piece of content. */
export function outputOf({ content }: Message): string {
  return isObject(content) ? (text(content['text']) ?? '') : '';
}

export function planEvent(update: Message): AgentEvent {
  const items = objects(update['entries']).map(({ content, status }) => ({
    text: String(content),
    completed: status === 'completed',
  }));
  return { kind: 'item', id: 'plan', phase: 'updated', item: { type: 'todo', items } };
}

/** The tokens in the reply to a prompt. The agents have different names for them. */
export function toUsage(reply: Message): Usage | undefined {
  const meta = isObject(reply['_meta']) ? reply['_meta'] : {};
  const quota = isObject(meta['quota']) ? meta['quota']['token_count'] : undefined;
  const counts = [reply['usage'], meta['usage'], quota].find(isObject);
  if (counts === undefined) return undefined;
  const count = (...names: readonly string[]) =>
    Number(names.map((name) => counts[name]).find((value) => typeof value === 'number') ?? 0);
  const cached = count('cachedReadTokens', 'cached_read_tokens');
  return {
    input_tokens: count('inputTokens', 'input_tokens'),
    cached_input_tokens: cached,
    output_tokens: count('outputTokens', 'output_tokens'),
    reasoning_output_tokens: count('thoughtTokens', 'thought_tokens'),
  };
}
