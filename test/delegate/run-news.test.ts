import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { announceSender, hasSender } from '../../src/assistant/delivery/heartbeat.ts';
import { createStore } from '../../src/store/store.ts';
import { Access } from '../../src/toolsets/access.ts';
import { actorWith } from '../../src/toolsets/scopes.ts';
import { type Model, startResponsesModel } from '../model/responses-model.ts';
import { answer, script } from '../model/turn.ts';
import { eventually } from './eventually.ts';
import { escalatedTurn } from './permission-request.ts';
import { ServerProcess } from './server-process.ts';
import { type Connection, createWorkbench, nativeCodex, type Workbench } from './workbench.ts';

/** What people are told of runs of the real Codex. No worker runs, so the messages wait. */
let model: Model;
let bench: Workbench;
let settings: Readonly<Record<string, string>>;
let client: Connection;
beforeAll(async () => {
  model = await startResponsesModel();
  bench = createWorkbench(model.config);
  settings = {
    'delegate-command': await nativeCodex(),
    'delegate-approvals': 'ask',
    'delegate-approvers': 'ben',
  };
  client = await bench.connect(settings);
  const quiet = { quiet_start: '00:00', quiet_end: '00:00', timezone: 'UTC' };
  for (const [id, locale] of [
    ['ada', 'en'],
    ['ben', 'de'],
  ])
    await client.call('create_user', { id, name: id, email: `${id}@example.com`, locale, ...quiet });
  await client.call('choose_me', { user_id: 'ada' });
});
afterAll(async () => {
  await bench[Symbol.asyncDispose]();
  await model.close();
});

interface Told {
  readonly user_id: string;
  readonly subject: string;
  readonly status: string;
}
const told = async (user: string): Promise<readonly string[]> => {
  const { record } = await client.call('list_notifications', { user_id: user, days_back: 1 });
  const { notifications } = record as unknown as { notifications: Told[] };
  return notifications.map(({ subject, status }) => `${status}: ${subject}`);
};
const run = (task: string, more: object = {}) =>
  client.call('delegate_run', { task, cwd: bench.project, ...more });

it('tells the person whom the call names, in the language of the person, once', async () => {
  await run(script(answer()), { notify: 'ben' });
  await run(script(answer({ open_questions: ['Which one?'] })), { notify: 'ben' });
  await run(script({ refuse: 'no' }), { notify: 'ben' });
  await eventually(async () =>
    expect((await told('ben')).toSorted()).toEqual([
      'planned: project: Der Agent hat Fragen',
      'planned: project: Der Lauf ist fertig',
      'planned: project: Der Lauf ist gescheitert',
    ]),
  );
});

it('refuses to start a run for a person who is unknown', async () => {
  const { text } = await run(script(answer()), { notify: 'carl' });
  expect(text).toContain('nobody is called "carl"');
});

it('tells me if the client has left before the end, and not before', async () => {
  await run(script(answer()));
  const leaving = await new ServerProcess(bench, {
    ...settings,
    'delegate-on-disconnect': 'finish',
  }).initialize();
  leaving.begin('delegate_run', {
    task: script({ shell: 'sleep 2' }, answer({ summary: 'Left.' })),
    cwd: bench.project,
  });
  // Once the agent has a conversation, the run host has taken over from the server that is killed.
  await eventually(async () => {
    const { record } = await client.call('list_runs', {});
    const [newest] = (record as unknown as { runs: { status: string; subagent_thread_id: string | null }[] })
      .runs;
    expect(newest).toMatchObject({ status: 'running', subagent_thread_id: expect.any(String) });
  });
  await leaving.kill('SIGKILL');
  await eventually(async () => expect(await told('ada')).toEqual(['planned: project: the run has finished']));
});

it('withdraws the news of a run that goes on', async () => {
  const { record } = await run(script(answer({ open_questions: ['Which one?'] })), { notify: 'me' });
  const question = 'project: the agent has questions';
  await eventually(async () => expect(await told('ada')).toContain(`planned: ${question}`));
  await client.call('delegate_resume', {
    thread_id: record.subagent_thread_id,
    task: script(answer()),
    cwd: bench.project,
  });
  await eventually(async () => expect(await told('ada')).toContain(`cancelled: ${question}`));
});

describe('a request for permission', () => {
  const question = 'project: the agent asks for permission';
  const ask = async (name: string, more: Readonly<Record<string, string>> = {}) => {
    const own = await bench.connect({ ...settings, ...more });
    const done = own.call('delegate_run', {
      task: script(escalatedTurn(bench, name), answer()),
      cwd: bench.project,
      sandbox: 'workspace-write',
    });
    const request = await eventually(async () => {
      const { record } = await own.call('list_approvals', {});
      const [first] = (record as unknown as { approvals: Request[] }).approvals;
      expect(first).toBeDefined();
      return first!;
    });
    const answerIt = (decision: string) =>
      own.call('answer_approval', { run_id: request.run_id, approval_id: request.id, decision });
    return { done, request, answerIt };
  };
  interface Request {
    readonly id: string;
    readonly run_id: string;
    readonly asked_at: string;
    readonly expires_at: string;
  }

  it('is told to me and the approvers, until it is answered', async () => {
    const { done, answerIt, request } = await ask('told');
    await eventually(async () => {
      expect(await told('ada')).toContain(`planned: ${question}`);
      expect(await told('ben')).toContain('planned: project: Der Agent bittet um Erlaubnis');
    });
    // Nobody can be reached, because no worker is running.
    expect(Date.parse(request.expires_at) - Date.parse(request.asked_at)).toBe(300_000);
    await answerIt('allow_once');
    expect((await done).record.status).toBe('completed');
    await eventually(async () => expect(await told('ada')).toContain(`cancelled: ${question}`));
  });

  it('is answered by an approver who has signed in, and by nobody else', async () => {
    const signIn = (id: string, ...more: readonly string[]) =>
      bench.connect(settings, {
        access: new Access([], true, actorWith(`token ${id}`, [`calendar:${id}`, ...more])),
      });
    const { done, request } = await ask('signed-in');
    const answerAs = (by: Connection, decision: string) =>
      by.call('answer_approval', { run_id: request.run_id, approval_id: request.id, decision });
    const inboxOf = async (of: Connection) =>
      ((await of.call('list_inbox', {})).record as unknown as { items: readonly object[] }).items;
    const other = await signIn('ada-2', 'approvals');
    expect(await inboxOf(other)).toEqual([]);
    expect((await answerAs(other, 'refuse')).text).toMatch(
      /Only the owner and the people in delegate.approvers/,
    );
    await expect(answerAs(await signIn('ben'), 'allow_once')).rejects.toThrow('the scope approvals');
    const ben = await signIn('ben', 'approvals');
    expect(await inboxOf(ben)).toMatchObject([
      {
        kind: 'approval',
        request: { command: expect.any(String) },
        actions: [{ label: 'Allow once' }, { label: 'Allow for this run' }, { label: 'Refuse' }],
      },
    ]);
    await answerAs(ben, 'allow_once');
    expect((await done).record.status).toBe('completed');
  });

  it('waits for an hour if a worker is running, unless a setting says otherwise', async () => {
    const store = createStore(join(bench.home, 'adjutant.db'));
    const announced = announceSender({ store, clock: Date.now }, 'worker');
    try {
      await eventually(async () => expect(await hasSender(store, 'email', Date.now())).toBe(true));
      const lifetimeOf = async (name: string, more: Readonly<Record<string, string>> = {}) => {
        const { done, answerIt, request } = await ask(name, more);
        await answerIt('refuse');
        await done;
        return Date.parse(request.expires_at) - Date.parse(request.asked_at);
      };
      expect(await lifetimeOf('reachable')).toBe(3_600_000);
      expect(await lifetimeOf('explicit', { 'delegate-approval-timeout-seconds': '90' })).toBe(90_000);
    } finally {
      await announced.end();
      await store.close();
    }
  });

  it('stops the time limits of its run', async () => {
    const { done, answerIt } = await ask('waiting', { 'delegate-idle-timeout-seconds': '4' });
    await pause(5_000);
    await answerIt('allow_once');
    expect((await done).record).toMatchObject({ status: 'completed', error: null });
  });
});
