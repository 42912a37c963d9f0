import { isObject, parseObject } from '../../json.ts';
import { type AgentEvent, type AgentItem, parseUsage } from './protocols/agent-event.ts';
import { toItem as toAppServerItem } from './protocols/app-server-events.ts';
import { type Message, objects } from './protocols/message.ts';

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

/** The names of items that `codex app-server` has too. */
const types: Readonly<Record<string, string>> = {
  agent_message: 'agentMessage',
  command_execution: 'commandExecution',
  file_change: 'fileChange',
  mcp_tool_call: 'mcpToolCall',
  collab_tool_call: 'collabAgentToolCall',
  web_search: 'webSearch',
};

function toItem(item: Message): AgentItem | undefined {
  const type = String(item['type']);
  if (type !== 'todo_list')
    return toAppServerItem({ ...item, type: types[type] ?? type, exitCode: item['exit_code'] });
  const items = objects(item['items']).map(({ text, completed }) => ({
    text: String(text),
    completed: completed === true,
  }));
  return { type: 'todo', items };
}
