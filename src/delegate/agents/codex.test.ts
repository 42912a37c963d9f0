import { describe, expect, it } from 'vitest';
import type { AgentEvent } from './agent.ts';
import { createCodex } from './codex.ts';

const codex = createCodex({
  command: undefined,
  codexHome: '/nowhere',
  env: {},
  ownEntry: { names: [], port: 0 },
  readOnlyServers: [],
  trustedFolders: [],
  unreadable: [],
  ownFolders: [],
  userHome: '/nowhere',
  visibleFolders: [],
  visibleVariables: [],
});
const parse = (event: unknown): readonly AgentEvent[] => codex.parse(JSON.stringify(event));
const item = (fields: object, type = 'item.completed') => parse({ type, item: { id: 'item_1', ...fields } });

describe('the codex event parser', () => {
  it.each([
    '',
    'not json',
    '{',
    'null',
    '7',
    '[]',
    '{}',
    '{"type":"brand.new"}',
    '{"type":"item.completed"}',
  ])('ignores the unknown or malformed line %j', (line) => expect(codex.parse(line)).toEqual([]));

  it('reads the thread id from thread.started only', () => {
    expect(parse({ type: 'thread.started', thread_id: 't' })).toEqual([{ kind: 'thread', threadId: 't' }]);
    expect(parse({ type: 'thread.started' })).toEqual([]);
    expect(parse({ type: 'turn.started', thread_id: 'another' })).toEqual([{ kind: 'turn' }]);
  });

  it('reports the end of a turn, and treats other errors as warnings', () => {
    expect(parse({ type: 'turn.completed', usage: { input_tokens: 7, output_tokens: 2 } })).toEqual([
      {
        kind: 'completed',
        usage: { input_tokens: 7, cached_input_tokens: 0, output_tokens: 2, reasoning_output_tokens: 0 },
      },
    ]);
    expect(parse({ type: 'turn.failed', error: { message: 'no' } })).toEqual([
      { kind: 'failed', message: 'no' },
    ]);
    expect(parse({ type: 'error', message: 'Reconnecting... 1/5' })).toEqual([
      { kind: 'warning', message: 'Reconnecting... 1/5', isFailure: true },
    ]);
    expect(item({ type: 'error', message: 'unknown model' })).toEqual([
      { kind: 'warning', message: 'unknown model' },
    ]);
  });

  it('converts items and drops unknown types', () => {
    const items = [
      item({ type: 'agent_message', text: 'hello' }),
      item({ type: 'command_execution', command: "/bin/bash -lc 'npm test'", exit_code: 1 }),
      item({ type: 'command_execution', command: '/bin/zsh -lc ls', exit_code: null }, 'item.started'),
      item({
        type: 'file_change',
        changes: [
          { path: '/a', kind: 'add' },
          { path: '/b', kind: 'odd' },
        ],
      }),
      item({ type: 'mcp_tool_call', server: 's', tool: 't' }),
      item({ type: 'collab_tool_call', tool: 'spawn_agent' }),
      item({ type: 'web_search', query: 'q' }),
      item({ type: 'todo_list', items: [{ text: 'a', completed: true }, { text: 'b' }] }),
      item({ type: 'brand_new' }),
    ];
    expect(items.flat().map((event) => (event.kind === 'item' ? event.item : event))).toEqual([
      { type: 'message', text: 'hello' },
      { type: 'command', command: 'npm test', exitCode: 1 },
      { type: 'command', command: 'ls' },
      { type: 'files', changes: [{ path: '/a', kind: 'add' }] },
      { type: 'tool', name: 's.t' },
      { type: 'tool', name: 'spawn_agent' },
      { type: 'tool', name: 'web_search' },
      {
        type: 'todo',
        items: [
          { text: 'a', completed: true },
          { text: 'b', completed: false },
        ],
      },
    ]);
  });
});
