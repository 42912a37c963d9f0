import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import { type Model, startResponsesModel } from '../model/responses-model.ts';
import { answer, script } from '../model/turn.ts';
import { playStorm } from './approval-storm.ts';
import { eventually } from './eventually.ts';
import { playLinkStorm } from './link-storm.ts';
import { allowOnce, escalatedTurn, formClientMeta, outsideFile } from './permission-request.ts';
import { ServerProcess } from './server-process.ts';
import { type Connection, createWorkbench, nativeCodex, type Workbench } from './workbench.ts';

/** Requests for permission of the real Codex, answered in other ways than by the tool or the form of the same server. */
let model: Model;
let bench: Workbench;
let settings: Readonly<Record<string, string>>;
beforeAll(async () => {
  model = await startResponsesModel();
  bench = createWorkbench(model.config);
  settings = { 'delegate-command': await nativeCodex(), 'delegate-approvals': 'ask' };
});
afterAll(async () => {
  await bench[Symbol.asyncDispose]();
  await model.close();
});

const outside = (name: string) => outsideFile(bench, name);
const escalated = (name: string) => escalatedTurn(bench, name);
const call = (task: string) => ({
  name: 'delegate_run',
  arguments: { task, cwd: bench.project, sandbox: 'workspace-write' },
});

it('answers each request once, by the client that started the run', async () => {
  const report = await playStorm(bench, { runs: 3, clients: 2, approvals: 9 });
  expect(report).toMatchObject({ asked: 9, problems: [] });
});

it('lets each person decide once by a link, and only what the person may', async () => {
  const report = await playLinkStorm(20);
  expect(report).toMatchObject({ messages: 80, expired: 2, problems: [] });
});

/** The decisions about a run in the security log, oldest first. */
const recordedDecisions = async (client: Pick<Connection, 'call'>, run_id: string) => {
  const { record } = await client.call('list_activity', { action: 'answer_approval' });
  const { entries } = record as unknown as { entries: { target: string; outcome: string }[] };
  return entries.filter(({ target }) => target === `run_id=${run_id}`).map(({ outcome }) => outcome);
};

describe('a form in a client', () => {
  it('puts the decision into the security log', async () => {
    const onRequest = async () => allowOnce;
    const client = await bench.connect(settings, { capabilities: { elicitation: {} }, onRequest });
    const { arguments: args } = call(script(escalated('recorded'), answer()));
    const { record } = await client.call('delegate_run', args);
    expect(existsSync(outside('recorded'))).toBe(true);
    expect(await recordedDecisions(client, record.run_id)).toEqual(['done']);
  });

  const ask = async (name: string, more: Readonly<Record<string, string>> = {}) => {
    let shown: (() => void) | undefined;
    const isShown = new Promise<void>((resolve) => {
      shown = resolve;
    });
    const client = await bench.connect(
      { ...settings, ...more },
      {
        capabilities: { elicitation: {} },
        onRequest: () => {
          shown!();
          return new Promise<JsonObject>(() => {});
        },
      },
    );
    const { arguments: args } = call(script(escalated(name), answer()));
    const run = client.call('delegate_run', args);
    await isShown;
    const withdrawn = () =>
      client.notifications
        .filter(({ method }) => method === 'notifications/cancelled')
        .map((one) => one.params);
    return { run, withdrawn };
  };

  it('is withdrawn when somebody else has answered', async () => {
    const { run, withdrawn } = await ask('elsewhere');
    expect(withdrawn()).toEqual([]);
    const other = await bench.connect(settings);
    const { record } = await other.call('list_approvals', {});
    const { approvals } = record as unknown as { approvals: { id: string; run_id: string }[] };
    const [{ run_id, id }] = approvals as [{ id: string; run_id: string }];
    await other.call('answer_approval', { run_id, approval_id: id, decision: 'allow_once' });
    expect((await run).record.status).toBe('completed');
    expect(withdrawn()).toEqual([{ requestId: expect.any(String), reason: 'Answered by owner in test.' }]);
    expect(existsSync(outside('elsewhere'))).toBe(true);
  });

  it('is withdrawn when the request expires', async () => {
    const { run, withdrawn } = await ask('late', { 'delegate-approval-timeout-seconds': '1' });
    expect((await run).record.status).toBe('completed');
    expect(withdrawn()).toEqual([
      { requestId: expect.any(String), reason: expect.stringMatching(/^Answered by the time limit/) },
    ]);
    expect(existsSync(outside('late'))).toBe(false);
  });
});

describe('a client of revision 2026-07-28', () => {
  it('gets the request as the result of its call, and repeats the call with the answer', async () => {
    const client = await bench.connectModern(settings);
    const turns = [escalated('first'), escalated('second'), answer({ summary: 'Asked twice.' })];
    const task = `Ask twice. ${script(...turns)}`;
    let reply = await client.request('tools/call', { ...call(task), _meta: formClientMeta() });
    for (const name of ['first', 'second']) {
      expect(reply['resultType']).toBe('input_required');
      const [[key, form]] = Object.entries(reply['inputRequests'] as JsonObject) as [[string, JsonObject]];
      expect(form).toMatchObject({
        method: 'elicitation/create',
        params: { message: expect.stringContaining(outside(name)) },
      });
      const answers = { inputResponses: { [key]: allowOnce }, requestState: reply['requestState']! };
      reply = await client.request('tools/call', { ...call(task), ...answers, _meta: formClientMeta() });
    }
    expect(reply['structuredContent']).toMatchObject({ status: 'completed', summary: 'Asked twice.' });
    expect([existsSync(outside('first')), existsSync(outside('second'))]).toEqual([true, true]);
    const { runs } = (
      await client.request('tools/call', { name: 'list_runs', arguments: {}, _meta: formClientMeta() })
    )['structuredContent'] as unknown as { runs: { task: string }[] };
    expect(runs.filter((run) => run.task.startsWith('Ask twice.'))).toHaveLength(1);
    const { run_id } = reply['structuredContent'] as { run_id: string };
    expect(await recordedDecisions(await bench.connect(settings), run_id)).toEqual(['done', 'done']);
  });

  it('answers the request of a task with tasks/update', async () => {
    const client = await bench.connectModern(settings);
    const request = (method: string, params: JsonObject) =>
      client.request(method, { ...params, _meta: formClientMeta({ 'io.modelcontextprotocol/tasks': {} }) });
    const { taskId } = await request('tools/call', call(script(escalated('by-task'), answer())));
    const asked = await eventually(async () => {
      const task = await request('tasks/get', { taskId: taskId! });
      expect(task['status']).toBe('input_required');
      return task['inputRequests'] as JsonObject;
    });
    const [id] = Object.keys(asked);
    await request('tasks/update', { taskId: taskId!, inputResponses: { [id!]: allowOnce } });
    await eventually(async () =>
      expect(await request('tasks/get', { taskId: taskId! })).toMatchObject({ status: 'completed' }),
    );
    expect(existsSync(outside('by-task'))).toBe(true);
  });
});

it('a request outlives its server, and another server answers it', async () => {
  await using first = await new ServerProcess(bench, settings).initialize();
  const { arguments: args } = call(script(escalated('after-kill'), answer()));
  first.begin('delegate_run', args);
  const second = await bench.connect(settings);
  const pending = await eventually(async () => {
    const { record } = await second.call('list_approvals', {});
    const { approvals } = record as unknown as { approvals: { id: string; run_id: string }[] };
    expect(approvals).toHaveLength(1);
    return approvals[0]!;
  });
  await first.kill('SIGKILL');
  const { run_id, id } = pending;
  await second.call('answer_approval', { run_id, approval_id: id, decision: 'allow_once' });
  const { record } = await second.call('collect_run', { run_id });
  expect(record.status).toBe('completed');
  expect(existsSync(outside('after-kill'))).toBe(true);
});
