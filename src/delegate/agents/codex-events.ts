import { isObject, parseObject } from '../../json.ts';
import type { AgentEvent, AgentItem, Usage } from './agent.ts';
import { toFileChange, unwrapShell } from './protocols/app-server-events.ts';
import { objects } from './protocols/message.ts';

/** Parses one line of `codex exec --json`. */
export function parseEvent(line: string): readonly AgentEvent[] {
  const event = parseObject(line);
  switch (event?.['type']) {
    case 'thread.started':
      return typeof event['thread_id'] === 'string' ? [{ kind: 'thread', threadId: event['thread_id'] }] : [];
    case 'turn.started':
      return [{ kind: 'turn' }];
    case 'item.started':
    case 'item.updated':
    case 'item.completed':
      return parseItem(event['type'].slice('item.'.length) as Phase, event['item']);
    // Codex also reports retries as errors. Only `turn.failed` ends the turn.
    case 'error':
      return [{ kind: 'warning', message: String(event['message']), isFailure: true }];
    case 'turn.completed':
      return [{ kind: 'completed', usage: parseUsage(event['usage']) }];
    case 'turn.failed': {
      const error = event['error'];
      return [{ kind: 'failed', message: String(isObject(error) ? error['message'] : error) }];
    }
    default:
      return [];
  }
}

type Phase = 'started' | 'updated' | 'completed';

function parseItem(phase: Phase, item: unknown): readonly AgentEvent[] {
  if (!isObject(item)) return [];
  if (item['type'] === 'error') return [{ kind: 'warning', message: String(item['message']) }];
  const known = toItem(item);
  return known === undefined ? [] : [{ kind: 'item', id: String(item['id']), phase, item: known }];
}

function toItem(item: Readonly<Record<string, unknown>>): AgentItem | undefined {
  switch (item['type']) {
    case 'agent_message':
      return { type: 'message', text: String(item['text']) };
    case 'reasoning':
      return { type: 'reasoning', text: String(item['text']) };
    case 'command_execution':
      return {
        type: 'command',
        command: unwrapShell(String(item['command'])),
        ...(typeof item['exit_code'] === 'number' && { exitCode: item['exit_code'] }),
      };
    case 'file_change':
      return { type: 'files', changes: objects(item['changes']).flatMap(toFileChange) };
    case 'mcp_tool_call':
      return { type: 'tool', name: `${item['server']}.${item['tool']}` };
    case 'collab_tool_call':
      return { type: 'tool', name: String(item['tool']) };
    case 'web_search':
      return { type: 'tool', name: 'web_search' };
    case 'todo_list':
      return {
        type: 'todo',
        items: objects(item['items']).map(({ text, completed }) => ({
          text: String(text),
          completed: completed === true,
        })),
      };
    default:
      return undefined;
  }
}

export function parseUsage(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined;
  return {
    input_tokens: Number(usage['input_tokens'] ?? 0),
    cached_input_tokens: Number(usage['cached_input_tokens'] ?? 0),
    output_tokens: Number(usage['output_tokens'] ?? 0),
    reasoning_output_tokens: Number(usage['reasoning_output_tokens'] ?? 0),
  };
}
