import { isObject, parseObject } from '../../../json.ts';
import type { AgentEvent, AgentItem, Usage } from './agent-event.ts';
import { lastPart, type Message, objects } from './message.ts';

/** Parses one line of `claude -p --output-format stream-json`. */
export function parseClaudeLine(line: string): readonly AgentEvent[] {
  const message = parseObject(line);
  return message === undefined ? [] : toEvents(message);
}

export function toEvents(event: Message): readonly AgentEvent[] {
  switch (event['type']) {
    case 'system':
      return event['subtype'] === 'init'
        ? [{ kind: 'thread', threadId: String(event['session_id']) }, { kind: 'turn' }]
        : [];
    case 'assistant':
      return contentBlocks(event).flatMap((block, at) => toStarted(block, `${messageId(event)}-${at}`));
    case 'user':
      return contentBlocks(event).flatMap(toCompleted);
    case 'result':
      return [toEnd(event)];
    default:
      return [];
  }
}

function contentBlocks({ message }: Message): readonly Message[] {
  return objects(isObject(message) ? message['content'] : undefined);
}

function messageId({ message }: Message): string {
  return String(isObject(message) ? (message['id'] ?? '') : '');
}

function toStarted(block: Message, textId: string): readonly AgentEvent[] {
  const item = itemOf(block);
  const phase = block['type'] === 'tool_use' ? 'started' : 'completed';
  return item === undefined ? [] : [{ kind: 'item', id: String(block['id'] ?? textId), phase, item }];
}

function itemOf(block: Message): AgentItem | undefined {
  switch (block['type']) {
    case 'text':
      return { type: 'message', text: String(block['text']) };
    case 'thinking':
      return { type: 'reasoning', text: String(block['thinking']) };
    case 'tool_use':
      return toItem(String(block['name']), isObject(block['input']) ? block['input'] : {});
    default:
      return undefined;
  }
}

function toItem(name: string, input: Message): AgentItem {
  const path = input['file_path'] ?? input['notebook_path'];
  if (name === 'Bash') return { type: 'command', command: String(input['command']) };
  if (['Edit', 'MultiEdit', 'NotebookEdit'].includes(name))
    return { type: 'files', changes: [{ path: String(path), kind: 'update' }] };
  if (name === 'Write') return { type: 'files', changes: [{ path: String(path), kind: 'add' }] };
  if (name === 'TodoWrite' && Array.isArray(input['todos']))
    return {
      type: 'todo',
      items: input['todos']
        .filter(isObject)
        .map((todo) => ({ text: String(todo['content']), completed: todo['status'] === 'completed' })),
    };
  return { type: 'tool', name };
}

function toCompleted(block: Message): readonly AgentEvent[] {
  if (block['type'] !== 'tool_result') return [];
  const id = String(block['tool_use_id']);
  return [{ kind: 'item', id, phase: 'completed', item: { type: 'tool', name: 'result' } }];
}

/** The text that a tool returned. Of a long text, only the end is kept. */
export function resultText(message: Message, id: string): string {
  const content = contentBlocks(message).find((block) => block['tool_use_id'] === id)?.['content'];
  const parts = Array.isArray(content) ? objects(content).map((part) => part['text'] ?? '') : [content];
  return lastPart(parts.join(''));
}

export function toEnd(event: Message): Extract<AgentEvent, { kind: 'completed' | 'failed' }> {
  const usage = toUsage(event['usage']);
  const text = String(event['result'] ?? event['subtype']);
  if (event['is_error'] === true || event['subtype'] !== 'success') {
    const errors = Array.isArray(event['errors']) ? event['errors'].join('; ') : '';
    return { kind: 'failed', message: errors || text, ...(usage !== undefined && { usage }) };
  }
  const structured = event['structured_output'];
  return {
    kind: 'completed',
    usage,
    message: structured === undefined ? text : JSON.stringify(structured),
    ...(typeof event['total_cost_usd'] === 'number' && { costUsd: event['total_cost_usd'] }),
  };
}

export function toUsage(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const cached = Number(usage['cache_read_input_tokens'] ?? 0);
  const written = Number(usage['cache_creation_input_tokens'] ?? 0);
  return {
    // Claude Code reports cached tokens separately; `input_tokens` of a tool result includes them.
    input_tokens: Number(usage['input_tokens'] ?? 0) + cached + written,
    cached_input_tokens: cached,
    output_tokens: Number(usage['output_tokens'] ?? 0),
    reasoning_output_tokens: 0,
  };
}
