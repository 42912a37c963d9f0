import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AutopilotOutput } from '../../src/delegate/autopilot/autopilot-output.ts';
import { listRunIds } from '../../src/delegate/run/run-record.ts';
import type { JsonObject } from '../../src/json.ts';
import { type Model, startResponsesModel } from '../model/responses-model.ts';
import { answer, script } from '../model/turn.ts';
import { bundle } from '../program.ts';
import { autopilotTask, job } from './autopilot-task.ts';
import { eventually } from './eventually.ts';
import { allowOnce, escalatedTurn, formClientMeta, outsideFile } from './permission-request.ts';
import { ServerProcess } from './server-process.ts';
import { type Connection, createWorkbench, nativeCodex, type Workbench } from './workbench.ts';

/** Jobs of autopilots with the real Codex: what their agents ask, and what people can tell them. */
let model: Model;
let bench: Workbench;
let settings: Readonly<Record<string, string>>;
let server: Connection;
beforeAll(async () => {
  model = await startResponsesModel();
  bench = createWorkbench(model.config);
  settings = {
    'delegate-command': await nativeCodex(),
    'delegate-approvals': 'ask',
    'delegate-answer-within-seconds': '0',
  };
  server = await bench.connect(settings);
});
afterAll(async () => {
  await bench[Symbol.asyncDispose]();
  await model.close();
});

const writing = { sandbox: 'workspace-write' };
const outside = (name: string) => outsideFile(bench, name);
const escalated = (name: string) => escalatedTurn(bench, name);
const call = (task: string) => ({ task, cwd: bench.project });
const ids = () => listRunIds(join(bench.home, 'runs'));
const statuses = (output: unknown) =>
  (output as AutopilotOutput).jobs.map(({ id, status }) => `${id} ${status}`);

interface Request {
  readonly id: string;
  readonly run_id: string;
  readonly command: string;
}
const approvals = async (client: Connection) =>
  ((await client.call('list_approvals', {})).record as unknown as { approvals: Request[] }).approvals;

/** Starts an autopilot, and resolves with its id when these jobs have started their commands. */
async function start(task: string, ...jobs: readonly string[]) {
  const known = await ids();
  const output = server.call('delegate_autopilot', call(task));
  const id = await eventually(async () => {
    const found = (await ids()).find((one) => !known.includes(one));
    expect(found).toBeDefined();
    return found!;
  });
  const file = (name: string) => join(bench.home, 'runs', id, 'subruns', name, '.workspace/upper/started');
  await eventually(() => expect(jobs.map((name) => existsSync(file(name)))).not.toContain(false));
  return { id, output };
}

describe('a job that asks for permission', () => {
  it('asks the client that started the autopilot, and is refused if nobody answers', async () => {
    const asked: string[] = [];
    const client = await bench.connect(
      { ...settings, 'delegate-approval-timeout-seconds': '2' },
      {
        capabilities: { elicitation: {} },
        async onRequest(_, params) {
          asked.push(String(params['message']));
          return String(params['message']).includes('late') ? { action: 'cancel' } : allowOnce;
        },
      },
    );
    const task = autopilotTask(
      job('yes', writing, escalated('by-form'), answer({ summary: 'Allowed.' })),
      job('no', writing, escalated('late'), answer({ summary: 'Went on.' })),
    );
    const { record } = await client.call('delegate_autopilot', call(task));
    expect(record).toMatchObject({ status: 'completed' });
    const { run_id } = record;
    expect(asked.sort()).toEqual([
      expect.stringContaining(
        `Job "Job no" (run ${run_id}/no) asks for permission: $ touch ${outside('late')}`,
      ),
      expect.stringContaining(
        `Job "Job yes" (run ${run_id}/yes) asks for permission: $ touch ${outside('by-form')}`,
      ),
    ]);
    expect([existsSync(outside('by-form')), existsSync(outside('late'))]).toEqual([true, false]);
    const { text } = await client.call('tail_run', { run_id });
    expect(text).toMatch(/^yes: approval \S+: allow_once by owner in test$/m);
    expect(text).toMatch(/^no: approval \S+: refuse by the time limit/m);
    expect(await approvals(client)).toEqual([]);
  });

  it('outlives the server, and another server answers it', async () => {
    await using first = await new ServerProcess(bench, settings).initialize();
    const asking = (id: string) => job(id, writing, escalated(`killed-${id}`), answer());
    first.begin('delegate_autopilot', call(autopilotTask(asking('one'), asking('two'))));
    const open = await eventually(async () => {
      const found = await approvals(server);
      expect(found).toHaveLength(2);
      return found;
    });
    await first.kill('SIGKILL');
    const [run] = open[0]!.run_id.split('/');
    expect(open.map(({ run_id }) => run_id).sort()).toEqual([`${run}/one`, `${run}/two`]);
    const shown = await server.call('show_run', { run_id: run });
    expect(shown.record.approvals).toHaveLength(2);
    expect(shown.text).toContain(`answer_approval (run_id ${run}/one)`);
    for (const { run_id, id } of open)
      await server.call('answer_approval', {
        run_id,
        approval_id: id,
        decision: run_id.endsWith('one') ? 'allow_once' : 'refuse',
      });
    const { record } = await server.call('collect_run', { run_id: run });
    expect(record).toMatchObject({ status: 'completed' });
    expect([existsSync(outside('killed-one')), existsSync(outside('killed-two'))]).toEqual([true, false]);
  });

  it('asks a client of revision 2026-07-28 by the result of its call, or by its task', async () => {
    const client = await bench.connectModern(settings);
    const params = (name: string) => ({
      name: 'delegate_autopilot',
      arguments: call(autopilotTask(job('asks', writing, escalated(name), answer()))),
    });
    const request = { ...params('by-result'), _meta: formClientMeta() };
    const reply = await client.request('tools/call', request);
    expect(reply['resultType']).toBe('input_required');
    const [[key, form]] = Object.entries(reply['inputRequests'] as JsonObject) as [[string, JsonObject]];
    expect(form).toMatchObject({ params: { message: expect.stringContaining('Job "Job asks"') } });
    const ended = await client.request('tools/call', {
      ...request,
      inputResponses: { [key]: allowOnce },
      requestState: reply['requestState']!,
    });
    expect(ended['structuredContent']).toMatchObject({ status: 'completed', jobs: [{ id: 'asks' }] });
    expect(existsSync(outside('by-result'))).toBe(true);

    const asTask = formClientMeta({ 'io.modelcontextprotocol/tasks': {} });
    const { taskId } = await client.request('tools/call', { ...params('by-task'), _meta: asTask });
    const asked = await eventually(async () => {
      const task = await client.request('tasks/get', { taskId: taskId!, _meta: asTask });
      expect(task['status']).toBe('input_required');
      return Object.keys(task['inputRequests'] as JsonObject);
    });
    const inputResponses = { [asked[0]!]: allowOnce };
    await client.request('tasks/update', { taskId: taskId!, inputResponses, _meta: asTask });
    await eventually(async () =>
      expect(await client.request('tasks/get', { taskId: taskId!, _meta: asTask })).toMatchObject({
        status: 'completed',
      }),
    );
    expect(existsSync(outside('by-task'))).toBe(true);
  });
});

describe('the id of a job', () => {
  const working = (id: string, more: object = {}) =>
    job(id, { ...writing, ...more }, { shell: 'touch started; sleep 20', timeoutMs: 60_000 }, answer());

  it('shows its events, steers it and interrupts it with a message', async () => {
    const { id, output } = await start(autopilotTask(working('busy')), 'busy');
    const run_id = `${id}/busy`;
    await eventually(async () => {
      const tail = await server.call('tail_run', { run_id, deltas: true });
      expect(tail.record.status).toBe('running');
      expect(tail.text).toContain('touch started');
    });
    expect((await server.call('steer_run', { run_id, message: 'Look left.' })).text).toContain(
      'has the message',
    );
    const message = `Stop that. ${script(answer({ summary: 'Did that.' }))}`;
    await server.call('steer_run', { run_id, interrupt: true, message });
    expect((await output).record).toMatchObject({ status: 'completed', jobs: [{ summary: 'Did that.' }] });
    const { record, text } = await server.call('show_run', { run_id });
    expect(record).toMatchObject({ run_id, status: 'completed', summary: 'Did that.' });
    expect(text).toContain('Did that.');
    expect(readFileSync(join(record.run_dir, 'events.jsonl'), 'utf8')).toContain('Look left.');
    const watched = spawnSync(
      process.execPath,
      [bundle, 'runs', 'watch', `${id}/busy`, '--home', bench.home],
      { env: bench.env, cwd: bench.project, encoding: 'utf8' },
    );
    expect(watched).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('interrupted by owner in test'),
    });
    const unknown = await server.call('tail_run', { run_id: `${id}/../busy` });
    expect(unknown.text).toContain(`Run ${id} has no job`);
  });

  it('cancels only that job and the jobs that depend on it', async () => {
    const { id, output } = await start(
      autopilotTask(working('doomed'), working('spared'), job('after', { depends_on: ['doomed'] })),
      'doomed',
      'spared',
    );
    const { record } = await server.call('cancel_run', { run_id: `${id}/doomed`, reason: 'not this one' });
    expect(record).toMatchObject({
      run_id: `${id}/doomed`,
      status: 'cancelled',
      error: 'cancelled: not this one',
    });
    await server.call('steer_run', {
      run_id: `${id}/spared`,
      interrupt: true,
      message: script(answer()),
    });
    const ended = (await output).record;
    expect(statuses(ended)).toEqual(['doomed cancelled', 'spared completed', 'after skipped']);
    expect(ended).toMatchObject({ status: 'failed', error: 'doomed: cancelled: not this one' });
    const skipped = await server.call('show_run', { run_id: `${id}/after` });
    expect(skipped.record).toMatchObject({
      status: 'cancelled',
      summary: 'Skipped because Job doomed (doomed) did not complete.',
    });
  });
});
