import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Check, Errors } from 'typebox/schema';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ToolAnswer, ToolArguments, ToolName } from '../src/api.ts';
import type { JsonObject, JsonSchema } from '../src/json.ts';
import { type CalDavServer, startCalDav } from './caldav/server.ts';
import { scriptedAgent, steps } from './delegate/scripted.ts';
import { type Connection, createWorkbench, nativeCodex, type Workbench } from './delegate/workbench.ts';
import { startChatModel } from './model/chat-model.ts';
import { type Model, startResponsesModel } from './model/responses-model.ts';
import { script } from './model/turn.ts';

const done = { summary: 'Done.', deliverables: [], open_questions: [], next_actions: [] };
const task = steps({ answer: done });
const calendar = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'BEGIN:VEVENT',
  'UID:one@example.com',
  'DTSTAMP:20261101T080000Z',
  'DTSTART:20270301T080000Z',
  'DTEND:20270301T090000Z',
  'SUMMARY:Imported',
  'END:VEVENT',
  'END:VCALENDAR',
].join('\r\n');

const invitation = calendar.replace(
  'SUMMARY:Imported',
  'SUMMARY:Invitation\r\nORGANIZER:mailto:boss@example.com\r\nATTENDEE:mailto:ada@example.com',
);

let bench: Workbench;
let model: Model;
let server: Connection;
let caldav: CalDavServer;
let schemas: ReadonlyMap<string, JsonSchema | undefined>;
const called = new Set<string>();

beforeAll(async () => {
  model = await startResponsesModel();
  bench = createWorkbench(model.config);
  mkdirSync(join(bench.folder, 'calendars'));
  writeFileSync(join(bench.folder, 'calendars', 'work.ics'), calendar);
  caldav = await startCalDav('ada@example.com');
  caldav.objects.set('/cal/invitation.ics', invitation);
  server = await bench.connect({
    'delegate-command': scriptedAgent,
    toolsets: 'all',
    'calendars-private-hosts': '127.0.0.1',
  });
  const { tools } = await server.client.request('tools/list');
  schemas = new Map(
    (tools as readonly JsonObject[]).map(({ name, outputSchema }) => [
      String(name),
      outputSchema as JsonSchema | undefined,
    ]),
  );
});
afterAll(async () => {
  await bench[Symbol.asyncDispose]();
  await caldav.close();
  await model.close();
});

/** Calls a tool like a client and validates the result against the listed output schema. */
async function call<Name extends ToolName>(name: Name, args: ToolArguments<Name>): Promise<ToolAnswer<Name>> {
  called.add(name);
  const reply = await server.client.request('tools/call', { name, arguments: args as JsonObject });
  expect(reply['isError'], `${name}: ${JSON.stringify(reply['content'])}`).not.toBe(true);
  const answer = reply['structuredContent'];
  const schema = schemas.get(name);
  if (schema !== undefined && !Check(schema, answer))
    expect.fail(`${name} returned ${JSON.stringify(answer)}: ${JSON.stringify(Errors(schema, answer)[1])}`);
  return answer as unknown as ToolAnswer<Name>;
}

describe('every tool returns a result that matches its output schema', () => {
  it('prompt tools', async () => {
    const prompt = { name: 'greet', title: 'Greet', text: 'Say hello to {{who}}.', tags: ['social'] };
    const args = [{ name: 'who', required: true, default: 'Ada', values: ['Ada', 'Alan'], files: false }];
    await call('create_prompt', { ...prompt, arguments: args });
    await call('update_prompt', { name: 'greet', description: 'A greeting' });
    const { prompts } = await call('list_prompts', { source: 'user' });
    expect(prompts.map(({ name }) => name)).toEqual(['greet']);
    await call('search_prompts', { query: 'hello' });
    expect((await call('show_prompt', { name: 'greet' })).arguments).toEqual(args);
    await call('expand_prompt', { command: 'greet', arguments: { who: 'Grace' } });
    await call('lint_prompts', {});
    await call('export_prompts', { format: 'commands', names: ['greet'] });
    await call('import_prompts', {
      format: 'commands',
      files: [{ path: 'wave.md', text: 'Wave at {{input}}.' }],
    });
    await call('delete_prompt', { name: 'greet' });
    expect((await call('list_deleted_prompts', {})).prompts).toMatchObject([
      { name: 'greet', title: 'Greet' },
    ]);
    const { revisions } = await call('prompt_history', { name: 'greet' });
    await call('restore_prompt', { name: 'greet', revision: revisions[0]!.revision });
    await call('label_prompt', { name: 'greet', label: 'staging' });
    await call('organize_prompt', { name: 'greet', favourite: true, folder: 'social/mail' });
    await call('prompt_history', { name: 'greet', compare: 'staging' });
    await call('test_prompts', {});
    await call('prompt_usage', {});
  });

  it('trying a prompt', async () => {
    await using chat = await startChatModel(() => 'Hello, Ada.');
    const before = server;
    server = await bench.connect({
      toolsets: 'all',
      'assistant-model-url': chat.url,
      'assistant-model': 'test-model',
    });
    try {
      await call('create_prompt', { name: 'welcome', title: 'Welcome', text: 'Greet {{who}}.' });
      const trial = await call('try_prompt', { name: 'welcome', arguments: { who: 'Ada' } });
      expect(trial).toMatchObject({ answer: 'Hello, Ada.', revision: '1', model: 'test-model' });
      const kept = await call('try_prompt', {
        name: 'welcome',
        answered: {
          ...{ revision: '1', answer: 'Hi, Ada.', model: 'codex', run_id: 'r1' },
          ...{ input_tokens: 5, output_tokens: 3, duration_ms: 20 },
        },
      });
      expect(kept).toMatchObject({ answer: 'Hi, Ada.', revision: '1', run_id: 'r1' });
      expect((await call('list_trials', { name: 'welcome' })).trials).toEqual([kept, trial]);
      expect(chat.asked[0]!.body.messages).toEqual([{ role: 'user', content: 'Greet Ada.' }]);
    } finally {
      server = before;
    }
  });

  it('sub-agent tools', async () => {
    const run = await call('delegate_run', { task, cwd: bench.project });
    expect(run).toMatchObject({ status: 'completed', summary: 'Done.' });
    await call('delegate_resume', { thread_id: run.subagent_thread_id!, task, cwd: bench.project });
    const plan = { should_delegate: false, reason: 'One question.', jobs: [] };
    const small = `What is this? ${steps({ message: JSON.stringify(plan) }, { usage: {} })}`;
    expect(await call('delegate_autopilot', { task: small, cwd: bench.project })).toMatchObject({
      status: 'completed',
      decision: { should_delegate: false, reason: 'One question.' },
      jobs: [],
    });
    const own = { task: 'One part.', jobs: [{ task }], cwd: bench.project };
    expect(await call('delegate_autopilot', own)).toMatchObject({
      status: 'completed',
      jobs: [{ summary: 'Done.' }],
    });
    const compared = await call('delegate_compare', {
      task,
      cwd: bench.project,
      sandbox: 'read-only',
      candidates: [{}, {}],
    });
    expect(compared).toMatchObject({
      status: 'completed',
      comparison: { winner: expect.stringMatching(/\/codex(-2)?$/) },
    });
    await call('list_runs', { limit: 5 });
    await call('show_run', { run_id: run.run_id });
    await call('tail_run', { run_id: run.run_id });
    await call('collect_run', { run_id: run.run_id });
    await call('cancel_run', { run_id: run.run_id });
    await call('list_approvals', {});
    // The run, its continuation, the planner, the job and two candidates.
    expect((await call('run_statistics', {})).agent).toMatchObject([{ key: 'codex', completed: 6 }]);
    expect((await call('list_agents', {})).agents.map(({ name }) => name)).toContain('gemini');
    const writing = { cwd: bench.project, sandbox: 'workspace-write' } as const;
    const file = { path: 'made.txt', text: 'made' };
    const second = await call('delegate_run', { task: steps({ file }, { answer: {} }), ...writing });
    expect(await call('diff_run', { run_id: second.run_id, paths: ['made.txt'] })).toMatchObject({
      state: 'applied',
      files: [{ path: 'made.txt', change: 'added' }],
      patch: expect.stringContaining('+made'),
    });
    expect(await call('apply_run', { run_id: second.run_id })).toEqual({ files: [], conflicts: [] });
    expect(await call('undo_run', { run_id: second.run_id })).toEqual({ files: ['made.txt'], conflicts: [] });
    await call('clean_runs', { older_than_days: 0 });
  });

  it('tools for runs in progress', async () => {
    const codex = await nativeCodex();
    const live = await bench.connect({
      'delegate-command': codex,
      'delegate-approvals': 'ask',
      'delegate-answer-within-seconds': '1',
      toolsets: 'all',
    });
    const other = server;
    server = live;
    const escalated = { cmd: 'true', sandbox_permissions: 'require_escalated', justification: 'why not' };
    const { run_id } = await call('delegate_run', {
      task: script(
        { tool: 'exec_command', arguments: escalated },
        { shell: 'sleep 100', timeoutMs: 200_000 },
      ),
      cwd: bench.project,
      sandbox: 'workspace-write',
    });
    const request = async () => (await call('list_approvals', {})).approvals[0]!;
    await expect.poll(request, { timeout: 20_000 }).toMatchObject({ run_id, command: 'true' });
    const { id } = await request();
    const [waiting] = (await call('list_inbox', { kind: 'approval' })).items;
    expect(waiting).toMatchObject({
      title: 'Allow this command?',
      request: { run_id, approval_id: id, command: 'true', reason: 'why not' },
      actions: [
        { label: 'Allow once' },
        { label: 'Allow for this run' },
        { label: 'Refuse', asks: 'reason' },
      ],
    });
    await call('dismiss_inbox', { ids: [waiting!.id] });
    await call('steer_run', {
      run_id,
      message: `Go on. ${script({ shell: 'sleep 100', timeoutMs: 200_000 })}`,
    });
    await call('answer_approval', { run_id, approval_id: id, decision: 'allow_once' });
    await call('steer_run', { run_id, interrupt: true });
    await call('collect_run', { run_id });
    await call('fork_run', { run_id, task: 'Try another way.', turn: 1 });
    server = other;
  });

  it('routine tools', async () => {
    const given = { name: 'brief', task, cwd: bench.folder, when: 'webhook' };
    await call('create_routine', given);
    await call('update_routine', {
      routine: 'brief',
      when: 'every weekday at 07:00',
      budget: { day: { usd: 1 } },
    });
    await call('run_routine', { routine: 'brief', dry_run: true });
    await call('list_routines', { routine: 'brief' });
    await call('list_routines', {});
    await call('delete_routine', { routine: 'brief' });
  });

  it('user, calendar and notification tools', async () => {
    const { id } = await call('create_user', { name: 'Ada', email: 'ada@example.com', timezone: 'UTC' });
    await call('update_user', { user_id: id, quiet_start: '00:00', quiet_end: '00:00' });
    await call('get_user', { user_id: id });
    await call('list_users', {});
    await call('choose_me', { user_id: 'Ada' });
    await call('remind', { text: 'call mum', when: 'every weekday at 7' });
    await call('send_message', { text: 'The build is green', who: 'Ada', quiet_hours: 'ignore' });
    const rule = await call('set_rule', {
      user_id: id,
      rule_type: 'internal_meeting',
      rule_json: { domains: ['example.org'] },
    });
    await call('list_rules', { user_id: id });
    await call('delete_rule', { rule_id: rule.id });
    const start = new Date(Date.now() + 26 * 3_600_000).toISOString();
    const event = await call('create_event', { user_id: id, title: 'Review', start_ts: start });
    await call('update_event', { event_id: event.id, location: 'Room 1' });
    await call('get_event', { event_id: event.id });
    await call('list_events', { user_id: id });
    await call('find_time', { people: [id], duration_minutes: 30, rrule: 'FREQ=WEEKLY;COUNT=3' });
    await call('find_time', { people: ['ada@example.com'] });
    await call('plan_notifications', { user_id: id });
    const { notifications } = await call('list_notifications', { user_id: id });
    const snoozed = await call('snooze_notification', { notification_id: notifications[0]!.id });
    await call('acknowledge_notification', { notification_id: snoozed.id });
    await call('create_event', { user_id: id, title: 'Lunch', start_ts: start });
    await call('plan_notifications', { user_id: id });
    const planned = await call('list_notifications', { user_id: id, status: 'planned' });
    await call('cancel_notification', { notification_id: planned.notifications[0]!.id });
    await call('replay_notifications', { user_id: id });
    const renamed = { name: 'update_user', arguments: { user_id: id, name: 'Other' } };
    const { _meta } = await server.client.request('tools/call', {
      ...renamed,
      _meta: { 'adjutant/undo': true },
    });
    await call('undo_change', { undo: String((_meta as JsonObject)['adjutant/undo']) });
    await call('preview_messages', { user_id: id });
    await call('test_notification', { user_id: id });
    await call('list_channels', {});
    await call('list_outbox', {});
    await call('explain_notifications', { user_id: id });
    await call('import_calendar', { user_id: id, content: calendar });
    const source = join(bench.folder, 'calendars', 'work.ics');
    const { calendars } = await call('add_calendar', { user_id: id, source });
    await call('list_calendars', { user_id: id });
    await call('export_calendar', { user_id: id });
    await call('share_calendar', { user_id: id });
    await call('sync_calendar', { user_id: id });
    await call('remove_calendar', { calendar_id: calendars[0]!.id });
    const account = await call('add_calendar', { user_id: id, source: caldav.url, kind: 'caldav' });
    const event_id = account.calendars[0]!.changes![0]!.event_id;
    await call('answer_invitation', { event_id, answer: 'tentative' });
    await call('delete_event', { event_id: event.id });
    await call('delete_user', { user_id: id });
  });

  it('status and demo tools', async () => {
    await call('server_status', {});
    await call('check_health', {});
    const { entries } = await call('list_activity', { outcome: 'done' });
    expect(entries.length).toBeGreaterThan(0);
    await call('load_demo', {});
    await call('remove_demo', {});
  });

  it('no tool is missing from these tests', () => {
    expect([...schemas.keys()].filter((name) => !called.has(name))).toEqual([]);
  });
});

describe('a failed call', () => {
  const fail = async (name: string, args: JsonObject) => {
    const reply = await server.client.request('tools/call', { name, arguments: args });
    expect(reply['isError']).toBe(true);
    return (reply['_meta'] as JsonObject)['adjutant/failure'];
  };

  it('has its kind and the invalid values in _meta', async () => {
    expect(await fail('get_event', {})).toMatchObject({
      kind: 'invalid-params',
      issues: [{ path: ['event_id'], keyword: 'required' }],
    });
    expect(await fail('get_user', { user_id: 'nobody' })).toMatchObject({
      kind: 'resource-not-found',
      data: { missing: 'user' },
    });
  });
});
