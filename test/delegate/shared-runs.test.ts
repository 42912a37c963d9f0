import { once } from 'node:events';
import { existsSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listRunProcesses } from '../../src/delegate/process/process-table.ts';
import type { RunOverview } from '../../src/delegate/tools/run-overview.ts';
import { createRecords } from '../../src/store/records.ts';
import { startResponsesModel } from '../model/responses-model.ts';
import { answer, script } from '../model/turn.ts';
import { type Postgres, startPostgres } from '../postgres.ts';
import { eventually } from './eventually.ts';
import { putFinishedRun } from './finished-run.ts';
import { escalatedTurn, outsideFile } from './permission-request.ts';
import { scriptedAgent, steps } from './scripted.ts';
import { ServerProcess } from './server-process.ts';
import { type Connection, createWorkbench, nativeCodex, type Workbench } from './workbench.ts';

let postgres: Postgres;
let databases = 0;
let url: string;
let benches: Workbench[] = [];
beforeAll(async () => {
  postgres = await startPostgres();
});
beforeEach(async () => {
  databases += 1;
  url = await postgres.createDatabase(`runs_${databases}`);
});
afterEach(async () => {
  for (const bench of benches) await bench[Symbol.asyncDispose]();
  benches = [];
});
afterAll(() => postgres?.close());

/** Simulates a machine: it has its own home and shares only the database. */
function machine(): Workbench {
  const bench = createWorkbench();
  benches.push(bench);
  return bench;
}
const settings = () => ({ 'delegate-command': scriptedAgent, 'assistant-database-url': url });
const serve = (bench: Workbench) => bench.connect(settings());
const run = async (server: Connection, bench: Workbench, task: string, more: object = {}) =>
  (await server.call('delegate_run', { task, cwd: bench.project, ...more })).record;
const listed = async (server: Connection) =>
  ((await server.call('list_runs', {})).record as unknown as { runs: RunOverview[] }).runs;
const read = async (server: Connection, uri: string) => {
  const { contents } = await server.client.request('resources/read', { uri });
  return (contents as { text: string }[])[0]!.text;
};

describe('runs of several machines on one database', () => {
  it('are listed and shown on every machine with their files, even after their machine is gone', async () => {
    const [here, there] = [machine(), machine()];
    const [one, other] = [await serve(here), await serve(there)];
    const own = await run(other, there, steps({ answer: { summary: 'Mine.' } }));
    const made = await run(
      one,
      here,
      steps(
        { command: 'ls -la' },
        { usage: { input_tokens: 7, cached_input_tokens: 0, output_tokens: 5, reasoning_output_tokens: 0 } },
        { file: { path: join(here.project, 'made.txt'), text: 'made\n' } },
        { answer: { summary: 'Done.' } },
      ),
      { sandbox: 'workspace-write' },
    );
    await one.close();
    rmSync(here.folder, { recursive: true, force: true });
    const runs = await eventually(async () => {
      const found = await listed(other);
      expect(found).toHaveLength(2);
      return found;
    });
    expect(runs[0]).toMatchObject({
      run_id: made.run_id,
      status: 'completed',
      summary: 'Done.',
      host: hostname(),
    });
    expect(runs[1]).toMatchObject({ run_id: own.run_id });
    expect(runs[1]).not.toHaveProperty('host');
    const { record, text } = await other.call('show_run', { run_id: made.run_id });
    expect(record).toMatchObject({ ...made, host: hostname() });
    expect(text).toContain('Done.');
    expect(await read(other, `runs://${made.run_id}/changes.patch`)).toContain('+made');
    expect((await other.call('tail_run', { run_id: made.run_id })).text).toContain('$ ls -la');
    const { resources } = await other.client.request('resources/list', {});
    expect((resources as { uri: string }[]).map(({ uri }) => uri)).toContain(
      `runs://${made.run_id}/result.json`,
    );
    await expect(read(other, `runs://${made.run_id}/nothing.txt`)).rejects.toThrow(
      `nothing.txt of run ${made.run_id} can only be read on ${hostname()}.`,
    );
    await expect(read(other, `runs://${made.run_id}/constructor`)).rejects.toThrow('can only be read on');
  });

  it('are listed while in progress and can be cancelled from another machine', async () => {
    const [here, there] = [machine(), machine()];
    const [one, other] = [await serve(here), await serve(there)];
    const answer = run(one, here, steps({ child: 'sleep 1000' }, { hang: true }));
    const run_id = await eventually(async () => {
      const [found] = await listed(other);
      expect(found).toMatchObject({ status: 'running', host: hostname() });
      return found!.run_id;
    });
    const { record } = await other.call('cancel_run', { run_id, reason: 'not needed' });
    expect(record).toMatchObject({ run_id, status: 'cancelled' });
    expect(record.error).toContain('not needed');
    expect((await answer).status).toBe('cancelled');
    expect(await listRunProcesses(undefined, run_id)).toEqual([]);
  });

  it('ask for permission on every machine, and the first answer counts', async () => {
    const model = await startResponsesModel();
    const here = createWorkbench(model.config);
    const there = machine();
    try {
      const approving = { 'delegate-command': await nativeCodex(), 'delegate-approvals': 'ask' };
      const one = await here.connect({ ...settings(), ...approving });
      const others = [await serve(there), await serve(there)];
      const task = script(escalatedTurn(here, 'from-afar'), answer());
      const done = run(one, here, task, { sandbox: 'workspace-write' });
      const request = await eventually(async () => {
        const { record } = await others[0]!.call('list_approvals', {});
        const [first] = (record as unknown as { approvals: { id: string; run_id: string }[] }).approvals;
        expect(first).toBeDefined();
        return first!;
      });
      const { run_id, id } = request;
      const decide = (server: Connection, decision: string) =>
        server.call('answer_approval', { run_id, approval_id: id, decision });
      const texts = await Promise.all([decide(others[0]!, 'allow_once'), decide(others[1]!, 'refuse')]);
      const accepted = texts.map(({ text }) => text).filter((text) => /^(Allowed|Refused)/.test(text));
      expect(accepted).toHaveLength(1);
      expect((await done).status).toBe('completed');
      expect(existsSync(outsideFile(here, 'from-afar'))).toBe(accepted[0] === 'Allowed.');
    } finally {
      await here[Symbol.asyncDispose]();
      await model.close();
    }
  });

  it('notify the clients of every machine', async () => {
    const [here, there] = [machine(), machine()];
    const other = await serve(there);
    const one = await serve(here);
    await eventually(async () => {
      await run(one, here, steps({ answer: {} }));
      expect(other.notifications.map(({ method }) => method)).toContain(
        'notifications/resources/list_changed',
      );
    });
  });

  it('finish while the database is down and are published when it is back', async () => {
    const [here, there] = [machine(), machine()];
    const one = await serve(here);
    await run(one, here, steps({ answer: { summary: 'before' } }));
    await postgres.stop('crash');
    const made = await run(one, here, steps({ answer: { summary: 'meanwhile' } }));
    expect(made).toMatchObject({ status: 'completed', summary: 'meanwhile' });
    expect((await listed(one)).map(({ summary }) => summary)).toEqual(['meanwhile', 'before']);
    await eventually(async () => {
      const { record } = await one.call('server_status', {});
      expect(JSON.stringify(record)).toContain(
        'The runs of this machine could not be shared with other machines',
      );
    });
    await postgres.start();
    const other = await serve(there);
    await eventually(async () => {
      expect((await listed(other)).map(({ summary }) => summary)).toEqual(['meanwhile', 'before']);
    });
  });

  it('are published if they are older than the database, and removed by clean_runs', async () => {
    const [here, there] = [machine(), machine()];
    const alone = await here.connect({ 'delegate-command': scriptedAgent });
    const made = await run(alone, here, steps({ answer: { summary: 'old' } }));
    await alone.close();
    const [one, other] = [await serve(here), await serve(there)];
    await eventually(async () => {
      expect((await listed(other)).map(({ run_id }) => run_id)).toEqual([made.run_id]);
    });
    await one.call('clean_runs', { older_than_days: 0 });
    expect(await listed(other)).toEqual([]);
    await expect(other.call('show_run', { run_id: made.run_id })).resolves.toMatchObject({
      text: expect.stringContaining(`There is no run ${made.run_id}`),
    });
  });

  it('are published with the files of their directory, but without linked files', async () => {
    const [here, there] = [machine(), machine()];
    const id = putFinishedRun(join(here.home, 'runs'), 1);
    writeFileSync(join(here.home, 'private.txt'), 'not for others');
    symlinkSync(join(here.home, 'private.txt'), join(here.home, 'runs', id, 'link.txt'));
    const [, other] = [await serve(here), await serve(there)];
    await eventually(async () => expect(await listed(other)).toHaveLength(1));
    expect(await read(other, `runs://${id}/result.json`)).toContain('Did 1');
    await expect(read(other, `runs://${id}/link.txt`)).rejects.toThrow('can only be read on');
  });

  it('show the events of another agent', async () => {
    const [here, there] = [machine(), machine()];
    const id = putFinishedRun(join(here.home, 'runs'), 1);
    const put = (name: string, value: object) =>
      writeFileSync(join(here.home, 'runs', id, name), JSON.stringify(value));
    put('codex_exec.json', { agent: 'claude' });
    put('events.jsonl', {
      type: 'assistant',
      message: { content: [{ type: 'text', text: 'Hello from Claude.' }] },
    });
    const [one, other] = [await serve(here), await serve(there)];
    await eventually(async () => expect(await listed(other)).toHaveLength(1));
    await one.close();
    rmSync(here.folder, { recursive: true, force: true });
    expect((await other.call('tail_run', { run_id: id })).text).toMatch(
      /^Hello from Claude.\n\(completed, next: \d+\)$/,
    );
  });

  it('are listed although the database contains runs in an unknown format', async () => {
    const here = machine();
    const id = putFinishedRun(join(here.home, 'runs'), 1);
    const records = createRecords(url);
    const strange = ['2030-01-01_000000000_000000000001', '2030-01-01_000000000_000000000002'];
    const values = [{ host: 'x' }, { host: 'x', overview: { run_id: '../..' }, record: {} }];
    for (const [at, next] of values.entries())
      await records.change('run', strange[at]!, () => ({ next, entry: {} }));
    await records.close();
    const one = await serve(here);
    expect((await listed(one)).map(({ run_id }) => run_id)).toEqual([id]);
    expect((await one.call('show_run', { run_id: strange[0]! })).text).toContain('There is no run');
  });

  it('are listed, and the server stops, while the database does not answer', async () => {
    const here = machine();
    const id = putFinishedRun(join(here.home, 'runs'), 1);
    const { hostname: host, port } = new URL(url);
    let isSilent = false;
    const sockets: Socket[] = [];
    const gate = createServer((near) => {
      const far = connect(Number(port), host);
      sockets.push(near, far);
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        from.on('data', (chunk) => isSilent || to.write(chunk));
        from.on('error', () => {});
        from.on('close', () => to.destroy());
      }
    });
    await once(gate.listen(0, '127.0.0.1'), 'listening');
    const silent = new URL(url);
    silent.port = String((gate.address() as AddressInfo).port);
    const one = await here.connect({ ...settings(), 'assistant-database-url': silent.href });
    await run(one, here, steps({ answer: {} }));
    isSilent = true;
    expect((await listed(one)).map(({ run_id }) => run_id)).toContain(id);
    await one.close();
    for (const socket of sockets) socket.destroy();
    gate.close();
  });

  it('of a killed server are published by the next server on its machine', async () => {
    const [here, there] = [machine(), machine()];
    const other = await serve(there);
    const server = await new ServerProcess(here, settings()).initialize();
    const task = steps({ wait: 1_000 }, { answer: { summary: 'survived' } });
    server.begin('delegate_run', { task, cwd: here.project });
    const run_id = await eventually(async () => {
      const [found] = await listed(other);
      expect(found?.status).toBe('running');
      return found!.run_id;
    });
    await server.kill('SIGKILL');
    await serve(here);
    await eventually(async () => {
      expect((await listed(other))[0]).toMatchObject({ run_id, status: 'completed', summary: 'survived' });
    });
    expect(existsSync(join(there.home, 'runs', run_id))).toBe(false);
  });
});
