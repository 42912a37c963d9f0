import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../../json.ts';
import { AcpConversation } from './acp-conversation.ts';
import type { AgentStreams } from './agent-conversation.ts';
import { openAppServer } from './app-server.ts';
import { type ApprovalRequest, approvalDecisions, shownRequest } from './approval.ts';
import { openClaudeConversation } from './claude-conversation.ts';

/** Returns what the agent asks for, as people see it, after these messages of the agent. */
async function ask(
  open: (streams: AgentStreams) => Promise<unknown>,
  ...messages: readonly JsonObject[]
): Promise<ApprovalRequest> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const send = (message: JsonObject) => output.write(`${JSON.stringify(message)}\n`);
  input.on('data', (line) => {
    const { id, method } = JSON.parse(String(line)) as JsonObject;
    if (method !== undefined && id !== undefined)
      send({ id, result: { sessionId: 's', thread: { id: 't' } } });
  });
  const asked = Promise.withResolvers<ApprovalRequest>();
  await open({
    input,
    output,
    emit: (event) => event.kind === 'approval' && asked.resolve(event.request),
  });
  for (const message of messages) send(message);
  return shownRequest(await asked.promise);
}

const refuseOnly = ['refuse'];

it('nobody can allow a request that is cut or that does not say what it is about', () => {
  const whole = 'x'.repeat(64 * 1024);
  const request = { id: '1', what: 'files', diff: whole, decisions: approvalDecisions } as const;
  expect(shownRequest(request)).toEqual(request);
  expect(shownRequest({ ...request, reason: `${whole}y` }).decisions).toEqual(approvalDecisions);
  expect(shownRequest({ ...request, diff: `${whole}rm` })).toEqual({
    ...request,
    diff: `${whole}\n… 2 more characters are not shown`,
    decisions: refuseOnly,
  });
  expect(shownRequest({ ...request, arguments: `${whole}rm` }).decisions).toEqual(refuseOnly);
  expect(shownRequest({ ...request, diff: ' \n' }).decisions).toEqual(refuseOnly);
  expect(shownRequest({ ...request, what: 'tool', tool: 'deploy' }).decisions).toEqual(refuseOnly);
});

const codex = (method: string, params: JsonObject, changes?: readonly JsonObject[]) =>
  ask(
    (streams) =>
      openAppServer(
        { protocol: 'app-server', options: { method: 'thread/start', params: {}, turn: {} } },
        streams,
      ),
    ...(changes === undefined
      ? []
      : [{ method: 'item/started', params: { item: { id: 'i', type: 'fileChange', changes } } }]),
    { id: 7, method: `item/${method}/requestApproval`, params: { itemId: 'i', ...params } },
  );

it('Codex: shows the wanted permissions whole, and what a file change does', async () => {
  const wanted = { fileSystem: { write: [`/${'w'.repeat(600)}`] } };
  const rights = await codex('permissions', { cwd: '/srv', reason: 'to build', permissions: wanted });
  expect(rights).toMatchObject({ what: 'permissions', reason: 'to build', decisions: approvalDecisions });
  expect(JSON.parse(rights.arguments!)).toEqual(wanted);
  const command = await codex('commandExecution', {
    command: 'make',
    additionalPermissions: { network: { enabled: true } },
  });
  expect(command.arguments).toContain('"enabled": true');
  const move = { path: '/a', kind: { type: 'update', move_path: '/b' }, diff: '@@\n-x' };
  const files = await codex('fileChange', { grantRoot: '/srv' }, [
    move,
    { path: '/c', kind: { type: 'delete' }, diff: 'old' },
  ]);
  expect(files).toMatchObject({
    diff: 'update /a to /b\n@@\n-x\ndelete /c\nold',
    decisions: approvalDecisions,
  });
  expect(files.arguments).toContain('"grantRoot": "/srv"');
  const unknown = await codex('fileChange', {});
  expect(unknown.decisions).toEqual(refuseOnly);
  expect(await codex('fileChange', {}, [{ path: '/d', kind: { type: 'add' } }])).toEqual(unknown);
});

const claude = (tool_name: string, input: JsonObject, permission_suggestions: JsonObject[] = []) =>
  ask((streams) => openClaudeConversation({ protocol: 'stream-json', options: {} }, streams), {
    type: 'control_request',
    request_id: '7',
    request: { subtype: 'can_use_tool', tool_name, input, permission_suggestions },
  });

it.each([
  ['NotebookEdit', { notebook_path: '/n', new_source: 'rm()', edit_mode: 'insert' }, '+rm()', 'insert'],
  ['Edit', { file_path: '/f', old_string: 'a', new_string: 'b', replace_all: true }, '-a\n+b', 'replace_all'],
  ['MultiEdit', { file_path: '/f', edits: [{ new_string: 'evil' }] }, '+++ /f', 'evil'],
])('Claude Code: shows all arguments of %s', async (tool, input, diff, other) => {
  const request = await claude(tool, input);
  expect(request).toMatchObject({ what: 'files', decisions: approvalDecisions });
  expect(request.diff).toContain(diff);
  expect(request.arguments).toContain(other);
});

it.each([
  ['Read', 'tool', { file_path: '/etc/passwd' }],
  ['WebSearch', 'tool', { query: 'secrets of the firm' }],
  ['Skill', 'tool', { skill: 'deploy', args: 'production' }],
  ['mcp__shop__run', 'tool', { command: 'make', target: 'production' }],
  ['WebFetch', 'network', { url: 'https://x.example/?token=1', prompt: 'read' }],
])('Claude Code: shows the whole arguments of %s', async (tool, what, input) => {
  const request = await claude(tool, input);
  expect(request).toMatchObject({ what, tool, decisions: approvalDecisions });
  expect(JSON.parse(request.arguments!)).toEqual(input);
  expect(request.command).toBeUndefined();
});

it('Claude Code: shows what a command asks for besides its text', async () => {
  const input = { command: 'make', description: 'Build', dangerouslyDisableSandbox: true };
  const request = await claude('Bash', input);
  expect(request).toMatchObject({ what: 'command', command: 'make', reason: 'Build' });
  expect(JSON.parse(request.arguments!)).toEqual({ dangerouslyDisableSandbox: true });
});

it('Claude Code: shows the rules that it grants if a request is allowed for the run', async () => {
  const rules = [{ toolName: 'Bash', ruleContent: 'npm:*' }];
  const request = await claude('Bash', { command: 'npm test' }, [{ type: 'addRules', rules }]);
  expect(request.command).toBe('npm test');
  expect(JSON.parse(request.arguments!)).toEqual({ allowed_for_the_run: [{ type: 'addRules', rules }] });
});

const acp = (toolCall: JsonObject) =>
  ask(
    async (streams) => {
      const options = { label: 'Agent', cwd: '/srv', isFork: false, canFork: false, mcpServers: [] };
      const files = { answerFile: '/nowhere', finishTool: 'finish_run', finishHint: '' };
      const more = { approvals: 'ask', countsTokens: false, settings: {} } as const;
      const conversation = new AcpConversation({ ...options, ...files, ...more }, streams);
      await conversation.open();
    },
    {
      id: 7,
      method: 'session/request_permission',
      params: { toolCall: { toolCallId: 'c', ...toolCall }, options: [{ kind: 'allow_always' }] },
    },
  );

it('the Agent Client Protocol: shows the arguments of a call, not only the title that the agent chose', async () => {
  const input = { name: 'web', replicas: 0 };
  const words = [{ type: 'content', content: { type: 'text', text: 'It is safe.' } }];
  const tool = await acp({ kind: 'other', title: 'Tidy up', rawInput: input, content: words });
  expect(tool).toMatchObject({ what: 'tool', tool: 'Tidy up', reason: 'It is safe.' });
  expect(JSON.parse(tool.arguments!)).toEqual(input);
  expect(tool.decisions).toEqual(approvalDecisions);
  const command = await acp({ kind: 'execute', title: 'x', rawInput: { command: 'make', directory: '/' } });
  expect(command).toMatchObject({ what: 'command', command: 'make', decisions: approvalDecisions });
  expect(JSON.parse(command.arguments!)).toEqual({ directory: '/' });
  expect((await acp({ kind: 'other', title: 'Tidy up' })).decisions).toEqual(refuseOnly);
});
