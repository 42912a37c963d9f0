import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RunQueue } from '../../src/delegate/run/run-queue.ts';
import type { RunOverview } from '../../src/delegate/tools/run-overview.ts';
import type { JsonObject } from '../../src/json.ts';
import { Program } from '../program.ts';
import { eventually } from './eventually.ts';
import { putFinishedRun } from './finished-run.ts';
import { writeTree } from './hostile.ts';
import { type Step, scriptedAgent, steps } from './scripted.ts';
import { type Connection, createWorkbench, type Workbench } from './workbench.ts';

let bench: Workbench;
let server: Connection;
beforeEach(async () => {
  bench = createWorkbench();
  server = await bench.connect({ 'delegate-command': scriptedAgent });
});
afterEach(() => bench[Symbol.asyncDispose]());

const run = (task: string) => server.call('delegate_run', { task, cwd: bench.project });
const messages = (method: string) =>
  server.notifications.filter((one) => one.method === method).map(({ params }) => params);

it('run_statistics › counts every listed run', async () => {
  putFinishedRun(join(bench.home, 'runs'), 1);
  await run(steps({ answer: {} }));
  const { record } = await server.call('run_statistics', { days: 3660 });
  expect(record).toMatchObject({
    agent: [
      { key: 'codex', runs: 1 },
      { key: 'unknown', runs: 1, completed: 1, duration_ms: 1000, cost_usd: null },
    ],
    day: [{ key: expect.stringMatching(/^2026-01-01|2025-12-31$/), runs: 1 }, { runs: 1 }],
  });
});

describe('list_runs', () => {
  it('finds runs by status, folder, agent, text and time', async () => {
    const ids = Array.from({ length: 250 }, (_, index) => putFinishedRun(join(bench.home, 'runs'), index));
    const long = `${'x'.repeat(200)} Größe`;
    await run(`${steps({ fail: 'no luck' })} ${long}`);
    const find = async (args: object) => {
      const { record } = await server.call('list_runs', { limit: 3, ...args });
      return (record as unknown as { runs: RunOverview[] }).runs.map(({ run_id }) => run_id);
    };
    const [failed] = await find({ status: 'failed' });
    expect(failed).toMatch(/^2/);
    expect(await find({ folder: bench.project })).toEqual([failed]);
    expect(await find({ folder: bench.folder, status: 'failed' })).toEqual([failed]);
    expect(await find({ folder: `${bench.project}s` })).toEqual([]);
    expect(await find({ agent: 'codex' })).toEqual([failed]);
    expect(await find({ agent: 'claude' })).toEqual([]);
    expect(await find({ text: 'NO LUCK' })).toEqual([failed]);
    expect(await find({ text: 'größe' })).toEqual([failed]);
    expect(await find({ text: 'did 7', status: 'completed' })).toEqual([ids[79], ids[78], ids[77]]);
    expect(await find({ text: 'did 3', before: ids[30] })).toEqual([ids[3]]);
    expect(await find({ since: '2026-01-01T04:08:00Z', until: '2026-01-01T04:09:00.000Z' })).toEqual([
      ids[249],
      ids[248],
    ]);
    expect(await find({ until: '2025-12-01' })).toEqual([]);
    const working = run(steps({ wait: 3_000 }, { answer: {} }));
    const running = await eventually(async () => {
      const found = await find({ agent: 'codex', status: 'running' });
      expect(found).toHaveLength(1);
      return found;
    });
    expect(running).toEqual([(await working).record.run_id]);
    expect((await server.call('list_runs', { since: '2026-99-99' })).text).toContain('not a date or a time');
    for (const since of ['yesterday', 'monday', '3 days ago'])
      expect(await find({ since })).toEqual([...running, failed]);
    expect((await server.call('list_runs', { since: 'soon' })).text).toContain('"soon"');
    expect((await server.call('list_runs', { agent: 'none' })).text).toBe('No run matches.');
  });

  it('returns the newest runs first, in pages', async () => {
    const ids = Array.from({ length: 7 }, (_, index) => putFinishedRun(join(bench.home, 'runs'), index));
    const page = async (args: object) => {
      const { record, text } = await server.call('list_runs', args);
      const { runs, next } = record as unknown as { runs: RunOverview[]; next?: string };
      return { ids: runs.map(({ run_id }) => run_id), next, text };
    };
    // A folder without a run does not count towards the page size.
    mkdirSync(join(bench.home, 'runs', `${ids[5]!.slice(0, -1)}f`));
    const newest = ids.toReversed();
    expect(await page({ limit: 3 })).toMatchObject({ ids: newest.slice(0, 3), next: newest[2] });
    expect(await page({ limit: 3, before: newest[2] })).toMatchObject({
      ids: newest.slice(3, 6),
      next: newest[5],
    });
    expect(await page({ limit: 3, before: newest[5] })).toMatchObject({
      ids: newest.slice(6),
      next: undefined,
    });
    expect(await page({ limit: 7 })).toMatchObject({ ids: newest, next: undefined });
    expect(await page({ before: newest[6] })).toMatchObject({
      ids: [],
      text: `There are no runs before ${newest[6]}.`,
    });
    expect(await page({ before: '../x' })).toMatchObject({ ids: [] });
  });
});

describe('a run in progress', () => {
  it('reports the last command and the remaining to-do items until it has finished', async () => {
    const todo = (completed: boolean) => ({
      type: 'item.updated',
      item: {
        id: 'todo',
        type: 'todo_list',
        items: [
          { text: 'Look', completed: true },
          { text: 'Write', completed },
        ],
      },
    });
    const { record } = await server.call(
      'delegate_run',
      {
        task: steps(
          { command: "/bin/bash -lc 'npm test'" },
          { emit: todo(false) },
          { wait: 1_500 },
          { answer: {} },
        ),
        cwd: bench.project,
      },
      { progressToken: 'p' },
    );
    const progress = messages('notifications/progress');
    expect(progress.map(({ message }) => message)).toContain('$ npm test · 1 of 2 done, next: Write');
    const counts = progress.map(({ progress: count }) => Number(count));
    expect(counts).toEqual(counts.toSorted((one, other) => one - other));
    expect(new Set(counts).size).toBe(counts.length);
    const logged = messages('notifications/message').map(({ data }) => String(data));
    expect(logged[0]).toBe(`delegate_run/${record.run_id}: started`);
    expect(logged.slice(1, -1)).not.toEqual([]);
    for (const line of logged.slice(1, -1))
      expect(line).toMatch(
        /: running \(elapsed=\d+ms turns_started=\d items_started=\d items_completed=\d last=[\w.]+\)$/,
      );
    expect(logged.at(-1)).toMatch(/: finished \(completed elapsed=\d+ms turns_started=1 items_started=1 /);
  });

  it('costs at most 1,200 characters around a short summary, and only show_run returns paths of files', async () => {
    for (const name of ['list-files', 'file-lists', 'listing'])
      writeTree(bench.project, {
        [`.agents/skills/${name}/SKILL.md`]: `---\nname: ${name}\ndescription: Lists files. ${'Long. '.repeat(40)}\n---\nx\n`,
      });
    const task = `List the files. ${steps({ command: 'ls' }, { answer: { summary: 'OK' } })}`;
    const { record, text } = await run(task);
    expect(record.status).toBe('completed');
    expect(record.selected_skills.map(({ name }) => name)).toHaveLength(3);
    expect(JSON.stringify(record).length + text.length).toBeLessThanOrEqual(1_204);
    expect(record).not.toHaveProperty('artifacts');
    expect(JSON.stringify(record)).not.toContain('SKILL.md');
    const { run_id } = record;
    const collected = await server.call('collect_run', { run_id });
    expect(JSON.stringify(collected.record).length).toBeLessThanOrEqual(1_202);
    const shown = await server.call('show_run', { run_id });
    expect(shown.record.artifacts.map(({ name }) => name)).toContain('events.jsonl');
    expect(shown.record.selected_skills[0]?.path).toContain('SKILL.md');
  });

  it('has a result that fits on a page, and show_run returns all of it on request', async () => {
    const summary = 'long '.repeat(4_000).trim();
    const first = await run(steps({ answer: { summary } }));
    const { run_id } = first.record;
    for (const { record, text } of [first, await server.call('show_run', { run_id })]) {
      expect(JSON.stringify(record).length).toBeLessThan(10_000);
      const shortened = expect.stringContaining(`show_run with run_id ${run_id} and full: true`);
      expect(record).toMatchObject({ run_id, status: 'completed', shortened });
      expect(text.length).toBeLessThan(10_000);
      expect(text).toContain('full: true returns everything');
    }
    const full = await server.call('show_run', { run_id, full: true });
    expect(full.record).toMatchObject({ summary });
    expect(full.record).not.toHaveProperty('shortened');
    expect(full.text).toContain(summary);
  });

  it('lets tail_run continue after the last event that was read', async () => {
    const { record } = await run(steps({ command: 'one' }, { command: 'two' }, { answer: {} }));
    const tail = async (more: object) => {
      const answer = await server.call('tail_run', { run_id: record.run_id, ...more });
      return answer.record as unknown as { events: { line: number; text: string }[]; next: number };
    };
    const all = await tail({});
    expect(all.events.map(({ text }) => text)).toEqual([
      `thread ${record.subagent_thread_id}`,
      'turn began',
      '$ one',
      '$ one → 0',
      '$ two',
      '$ two → 0',
      'turn completed',
    ]);
    expect((await tail({ limit: 2 })).events.map(({ text }) => text)).toEqual([
      '$ two → 0',
      'turn completed',
    ]);
    const first = await tail({ after: 0, limit: 3 });
    expect(first.events).toHaveLength(3);
    expect((await tail({ after: first.next, limit: 1 })).events[0]?.text).toBe('$ one → 0');
    expect(await tail({ after: all.next })).toMatchObject({ events: [], next: all.next });
  });
});

describe('runs', () => {
  it('are listed newest first, whichever server started them', async () => {
    expect((await server.call('list_runs', {})).text).toBe('There are no runs yet.');
    const first = await run(`First. ${steps({ answer: { summary: 'one' } })}`);
    const other = await bench.connect({ 'delegate-command': scriptedAgent });
    const second = await other.call('delegate_run', { task: steps({ fail: 'no' }), cwd: bench.project });
    const { runs } = (await server.call('list_runs', {})).record as unknown as { runs: RunOverview[] };
    expect(runs).toMatchObject([
      { run_id: second.record.run_id, status: 'failed', error: 'no' },
      {
        run_id: first.record.run_id,
        status: 'completed',
        summary: 'one',
        tool: 'delegate_run',
        cwd: bench.project,
      },
    ]);
    expect(
      ((await server.call('list_runs', { limit: 1 })).record as unknown as { runs: object[] }).runs,
    ).toHaveLength(1);
  });

  it('are removed if they are old enough and finished', async () => {
    const done = await run(steps({ answer: {} }));
    const hanging = run(steps({ hang: true }));
    const running = await eventually(async () => {
      const { runs } = (await server.call('list_runs', {})).record as unknown as { runs: RunOverview[] };
      expect(runs[0]).toMatchObject({ status: 'running', subagent_thread_id: expect.any(String) });
      return runs[0]!.run_id;
    });
    const clean = async (args: object) =>
      ((await server.call('clean_runs', args)).record as unknown as { removed: string[] }).removed;
    expect(await clean({})).toEqual([]);
    // Cleaning also removes a cancellation request that came too late.
    const queue = await RunQueue.open(join(bench.home, 'runs.sqlite'));
    queue.requestCancellation(done.record.run_dir, 'too late');
    expect(await clean({ older_than_days: 0 })).toEqual([done.record.run_id]);
    expect(queue.cancellationReason(done.record.run_dir)).toBeUndefined();
    queue.close();
    await server.call('cancel_run', { run_id: running });
    await hanging;
    expect(await clean({ older_than_days: 0, keep: 1 })).toEqual([]);
  });
});

describe('artifacts', () => {
  const contentsOf = async (uri: string) =>
    ((await server.client.request('resources/read', { uri }))['contents'] as { text: string }[])[0]!.text;

  it('are resources that can be listed and read', async () => {
    const { record } = await run(steps({ answer: { summary: 'as a resource' } }));
    const { resources } = (await server.client.request('resources/list')) as unknown as {
      resources: { uri: string; mimeType: string }[];
    };
    const { artifacts } = (await server.call('show_run', { run_id: record.run_id })).record;
    const own = resources.filter(({ uri }) => uri.startsWith(`runs://${record.run_id}/`));
    expect(own.map(({ uri }) => uri.split('/').at(-1))).toEqual(artifacts.map(({ name }) => name));
    expect(JSON.parse(await contentsOf(`runs://${record.run_id}/result.json`))).toMatchObject({
      summary: 'as a resource',
    });
    const { resourceTemplates } = await server.client.request('resources/templates/list');
    expect(resourceTemplates).toContainEqual(
      expect.objectContaining({ uriTemplate: 'runs://{run_id}/{artifact}' }),
    );
    const complete = (name: string, value: string, given: JsonObject) =>
      server.client.request('completion/complete', {
        ref: { type: 'ref/resource', uri: 'runs://{run_id}/{artifact}' },
        argument: { name, value },
        context: { arguments: given },
      });
    expect(await complete('run_id', record.run_id.slice(0, 10), {})).toMatchObject({
      completion: { values: [record.run_id] },
    });
    expect(await complete('artifact', 'th', { run_id: record.run_id })).toMatchObject({
      completion: { values: ['thread.json'] },
    });
  });

  it('do not include hidden files, links or files outside the run', async () => {
    const { record } = await run(steps({ answer: {} }));
    writeFileSync(join(bench.home, 'secret.txt'), 'x');
    symlinkSync(join(bench.home, 'secret.txt'), join(record.run_dir, 'link.txt'));
    mkdirSync(join(record.run_dir, '.hidden'));
    writeFileSync(join(record.run_dir, '.hidden', 'file'), 'x');
    for (const path of [
      `${record.run_id}/../../secret.txt`,
      `${record.run_id}/..%2F..%2Fsecret.txt`,
      `${record.run_id}/link.txt`,
      `${record.run_id}/.hidden/file`,
      `${record.run_id}/`,
      `${record.run_id}/nothing`,
      `../runs/${record.run_id}/result.json`,
      '',
    ])
      await expect(
        server.client.request('resources/read', { uri: `runs://${path}` }),
        path,
      ).rejects.toThrow();
  });

  it('notify subscribers of new files and of new events, also those of another server', async () => {
    const { record } = await run(steps({ answer: {} }));
    expect(messages('notifications/resources/list_changed')).not.toEqual([]);
    const call = run(steps({ wait: 500 }, { command: 'x' }, { wait: 500 }, { answer: {} }));
    const uri = await eventually(async () => {
      const { runs } = (await server.call('list_runs', {})).record as unknown as { runs: RunOverview[] };
      expect(runs[0]?.run_id).not.toBe(record.run_id);
      return `runs://${runs[0]!.run_id}/events.jsonl`;
    });
    const result = uri.replace('events.jsonl', 'result.json');
    const other = await bench.connect({ 'delegate-command': scriptedAgent });
    for (const { client } of [server, other])
      for (const one of [uri, result]) await client.request('resources/subscribe', { uri: one });
    await call;
    for (const { notifications } of [server, other])
      await eventually(() => {
        const updated = notifications.filter(({ method }) => method === 'notifications/resources/updated');
        expect(updated.map(({ params }) => params)).toEqual(
          expect.arrayContaining([{ uri }, { uri: result }]),
        );
      });
  });
});

describe('a run as a task', () => {
  const extension = 'io.modelcontextprotocol/tasks';
  const meta = (extensions: JsonObject) => ({
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { extensions },
  });
  const request = async (
    method: string,
    params: JsonObject,
    extensions: JsonObject = { [extension]: {} },
  ) => {
    const modern = await bench.connectModern({ 'delegate-command': scriptedAgent });
    return modern.request(method, { ...params, _meta: meta(extensions) });
  };
  const start = (task: string, extensions?: JsonObject) =>
    request('tools/call', { name: 'delegate_run', arguments: { task, cwd: bench.project } }, extensions);

  it('is returned at once and has the result when it is completed', async () => {
    const task = await start(steps({ wait: 300 }, { answer: { summary: 'as a task' } }));
    expect(task).toMatchObject({ resultType: 'task', status: 'working', ttlMs: null });
    expect(Number.isInteger(task['pollIntervalMs'])).toBe(true);
    const done = await eventually(async () => {
      const seen = await request('tasks/get', { taskId: task['taskId']! });
      expect(seen['status']).toBe('completed');
      return seen;
    });
    expect(done).toMatchObject({
      resultType: 'complete',
      taskId: task['taskId'],
      result: {
        structuredContent: { status: 'completed', summary: 'as a task' },
        content: [{ type: 'text' }],
      },
    });
  });

  it('says what the run is doing at the moment', async () => {
    const item = (type: string, item: object) => ({
      emit: { type: `item.${type}`, item: { id: 'i1', ...item } },
    });
    const command = { type: 'command_execution', command: "/bin/bash -lc 'npm test'" };
    const files = { type: 'file_change', changes: [{ path: 'src/tide.ts', kind: 'update' }] };
    const stages: [string, readonly Step[]][] = [
      ['thinking', []],
      ['running $ npm test', [item('started', command)]],
      ['thinking; last: running $ npm test', [item('completed', { ...command, exit_code: 0 })]],
      ['changing src/tide.ts', [item('started', files)]],
    ];
    const message = async (taskId: unknown) => {
      const { status, statusMessage } = await request('tasks/get', { taskId: taskId as string });
      return `${status}: ${statusMessage}`;
    };
    for (const [expected, events] of stages) {
      const { taskId } = await start(steps(...events, { hang: true }));
      await eventually(async () => expect(await message(taskId)).toBe(`working: ${expected}`));
      await request('tasks/cancel', { taskId: taskId! });
      expect(await message(taskId)).toMatch(/^cancelled: /);
    }
  });

  it('says over stdio that the run waits for others', async () => {
    const flags = ['--delegate-command', scriptedAgent, '--delegate-max-parallel', '1'];
    await using program = new Program(['serve', ...flags]);
    const ask = async (method: string, params: JsonObject) => {
      const reply = await program.request(method, { ...params, _meta: meta({ [extension]: {} }) });
      return reply['result'] as JsonObject;
    };
    const args = { task: steps({ hang: true }), cwd: bench.project };
    const call = () => ask('tools/call', { name: 'delegate_run', arguments: args });
    const [first, second] = [await call(), await call()];
    await eventually(async () =>
      expect(await ask('tasks/get', { taskId: second['taskId']! })).toMatchObject({
        status: 'working',
        statusMessage: 'waiting in the queue for other runs to finish',
      }),
    );
    for (const { taskId } of [second, first]) await ask('tasks/cancel', { taskId: taskId! });
  });

  it('can be cancelled, and cancelled again', async () => {
    const { taskId } = await start(steps({ hang: true }));
    for (let time = 0; time < 2; time += 1) {
      const ack = await request('tasks/cancel', { taskId: taskId! });
      expect(Object.keys(ack).sort()).toEqual(['_meta', 'resultType']);
    }
    expect(await request('tasks/get', { taskId: taskId! })).toMatchObject({ status: 'cancelled' });
    expect(await request('tasks/update', { taskId: taskId!, inputResponses: {} })).toMatchObject({
      resultType: 'complete',
    });
  });

  it('is only returned to clients that declare the extension', async () => {
    const plain = await start(steps({ answer: {} }), {});
    expect(plain).toMatchObject({ resultType: 'complete', structuredContent: { status: 'completed' } });
    await expect(request('tasks/get', { taskId: 'x' }, {})).rejects.toMatchObject({ code: -32021 });
    await expect(request('tasks/get', { taskId: 'x' })).rejects.toMatchObject({ code: -32602 });
  });
});

describe('the delegate contract', () => {
  it('has the documented tools and nothing else', async () => {
    const document = await bench.connect({ 'delegate-command': scriptedAgent }, { contract: 'delegate' });
    const { tools } = (await document.client.request('tools/list')) as unknown as {
      tools: { name: string; outputSchema: { properties: { status: { enum: string[] } } } }[];
    };
    expect(tools.map(({ name }) => name).filter((name) => !name.startsWith('delegate_'))).toEqual([]);
    for (const { outputSchema } of tools)
      expect(outputSchema.properties.status.enum).toEqual(['completed', 'failed', 'cancelled']);
    await expect(document.client.request('resources/list')).rejects.toMatchObject({ code: -32601 });
    await expect(document.client.request('tasks/get', { taskId: 'x' })).rejects.toMatchObject({
      code: -32601,
    });
    const { record } = await document.call('delegate_run', {
      task: `:greet ${steps({ answer: { summary: 'with the contract' } })}`,
      cwd: bench.project,
    });
    expect(record).toMatchObject({ status: 'completed', summary: 'with the contract', warnings: [] });
  });
});
