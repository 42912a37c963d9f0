import { isObject } from '../../../json.ts';
import { type AgentEvent, type AgentItem, parseUsage, type Usage } from './agent-event.ts';
import { lastPart, type Message, objects, text } from './message.ts';

/** Translates a notification of `codex app-server`. Those that say nothing about the work yield no event. */
export function toEvent(method: string, params: Message): AgentEvent | undefined {
  switch (method) {
    case 'turn/started':
      return { kind: 'turn', id: String(isObject(params['turn']) ? params['turn']['id'] : '') };
    case 'item/started':
      return itemEvent('started', params['item']);
    case 'item/completed':
      return itemEvent('completed', params['item']);
    case 'item/agentMessage/delta':
      return deltaEvent('message', params);
    case 'item/reasoning/summaryTextDelta':
      return deltaEvent('reasoning', params);
    case 'item/commandExecution/outputDelta':
      return deltaEvent('output', params);
    case 'turn/plan/updated':
      return {
        kind: 'item',
        id: 'plan',
        phase: 'updated',
        item: {
          type: 'todo',
          items: objects(params['plan']).map(({ step, status }) => ({
            text: String(step),
            completed: status === 'completed',
          })),
        },
      };
    case 'error': {
      // The turn reports the error that ends it.
      const { error, willRetry } = params;
      return willRetry === true && isObject(error)
        ? { kind: 'warning', message: String(error['message']), isFailure: true }
        : undefined;
    }
    case 'warning':
    case 'configWarning':
    case 'deprecationNotice':
    case 'guardianWarning':
      return { kind: 'warning', message: String(params['message'] ?? params['summary'] ?? method) };
    default:
      return undefined;
  }
}

/** The token counts in a `thread/tokenUsage/updated`: of the last call of the model, and of the whole thread. */
export function toUsage(params: Message): { readonly last: Usage; readonly total: Usage } | undefined {
  const usage = isObject(params['tokenUsage']) ? params['tokenUsage'] : {};
  const [last, total] = [parseUsage(usage['last']), parseUsage(usage['total'])];
  return last && total && { last, total };
}

function deltaEvent(of: 'message' | 'reasoning' | 'output', params: Message): AgentEvent {
  return { kind: 'delta', id: String(params['itemId']), of, text: String(params['delta'] ?? '') };
}

function itemEvent(phase: 'started' | 'completed', item: unknown): AgentEvent | undefined {
  const known = isObject(item) ? toItem(item) : undefined;
  return known && { kind: 'item', id: String((item as Message)['id']), phase, item: known };
}

/** Translates an item. `codex exec` has the same ones, which `codex-events.ts` renames. */
export function toItem(item: Message): AgentItem | undefined {
  switch (item['type']) {
    case 'agentMessage':
      return { type: 'message', text: String(item['text'] ?? '') };
    case 'reasoning':
      return { type: 'reasoning', text: text(item['text']) ?? strings(item['summary']).join('\n') };
    case 'plan':
      return { type: 'message', text: String(item['text'] ?? '') };
    case 'commandExecution': {
      const { exitCode, aggregatedOutput } = item;
      return {
        type: 'command',
        command: unwrapShell(String(item['command'])),
        ...(typeof exitCode === 'number' && { exitCode }),
        ...(typeof aggregatedOutput === 'string' && { output: lastPart(aggregatedOutput) }),
      };
    }
    case 'fileChange':
      return {
        type: 'files',
        changes: objects(item['changes']).flatMap(toFileChange),
        ...(['failed', 'declined'].includes(String(item['status'])) && { failed: true }),
      };
    case 'mcpToolCall':
      return { type: 'tool', name: `${item['server']}.${item['tool']}` };
    case 'collabAgentToolCall':
    case 'dynamicToolCall':
      return { type: 'tool', name: String(item['tool']) };
    case 'webSearch':
      return { type: 'tool', name: 'web_search' };
    default:
      return undefined;
  }
}

/** Longer differences of a file are cut in events. The whole change is a file of the run. */
const maxDiffChars = 2_000;

/** A file change of either protocol: `kind` is a word in `codex exec` and an object here, which also tells the difference. */
function toFileChange({ path, kind, diff }: Message) {
  const name = isObject(kind) ? kind['type'] : kind;
  if (name !== 'add' && name !== 'delete' && name !== 'update') return [];
  const text = typeof diff === 'string' ? shortDiff(name, diff) : '';
  return [{ path: String(path), kind: name, ...(text !== '' && { diff: text }) } as const];
}

/** The content of a new or a deleted file comes without marks. */
function shortDiff(kind: 'add' | 'delete' | 'update', diff: string): string {
  const mark = { add: '+', delete: '-', update: '' }[kind];
  const text = diff.replace(/\n$/, '').replaceAll(/^/gm, mark);
  return text.length <= maxDiffChars ? text : `${text.slice(0, maxDiffChars)}…`;
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** Shortens `/bin/bash -lc 'npm test'` to `npm test`. */
export function unwrapShell(command: string): string {
  const [, quoted, bare] = /^\S*sh -l?c (?:'([^']*)'|(\S+))$/.exec(command) ?? [];
  return quoted ?? bare ?? command;
}
