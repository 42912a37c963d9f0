import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listRunProcesses } from '../../src/delegate/process/process-table.ts';
import { listRunIds, type RunRecord } from '../../src/delegate/run/run-record.ts';
import { type Model, startResponsesModel } from '../model/responses-model.ts';
import { answer, script, type Turn } from '../model/turn.ts';
import { bundle } from '../program.ts';
import { eventually } from './eventually.ts';
import { type Connection, createWorkbench, nativeCodex, type Workbench } from './workbench.ts';

/** Sessions with the real Codex and a model on loopback. */
let model: Model;
let bench: Workbench;
let server: Connection;
beforeAll(async () => {
  model = await startResponsesModel();
  bench = createWorkbench(model.config);
  // Commands cannot read Adjutant's home, where a shell would look for its settings.
  bench.env['HOME'] = join(bench.folder, 'user');
  mkdirSync(bench.env['HOME']);
  server = await bench.connect({
    'delegate-command': await nativeCodex(),
    'delegate-danger-folders': bench.folder,
    'delegate-approvals': 'ask',
  });
});
afterAll(async () => {
  await bench[Symbol.asyncDispose]();
  await model.close();
});

/** Starts a run and resolves with its id when its agent has sent the first request to the model. */
async function start(task: string, args: object = {}, client = server) {
  const before = new Set(await listRunIds(join(bench.home, 'runs')));
  const sent = model.requests.length;
  const call = client.call('delegate_run', { task, cwd: bench.project, ...args });
  const id = await eventually(async () => {
    const found = (await listRunIds(join(bench.home, 'runs'))).find((one) => !before.has(one));
    expect(found).toBeDefined();
    expect(model.requests.length).toBeGreaterThan(sent);
    return found!;
  });
  return { id, call };
}

const events = (id: string) =>
  readFileSync(join(bench.home, 'runs', id, 'events.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
const sleep: Turn = { shell: 'sleep 1.5', timeoutMs: 5_000 };
const lastInput = () => JSON.stringify(model.requests.at(-1)?.body['input']);

describe('a run of Codex', () => {
  it('ends after its last command, even if Codex reports that the command is still running', async () => {
    const slow: Turn = { shell: 'sleep 1; echo late > late.txt', timeoutMs: 250 };
    const { record } = await server.call('delegate_run', {
      task: script(slow, answer()),
      cwd: bench.project,
      sandbox: 'workspace-write',
    });
    expect(record.status).toBe('completed');
    expect(readFileSync(join(bench.project, 'late.txt'), 'utf8')).toBe('late\n');
    rmSync(join(bench.project, 'late.txt'));
  });

  it('uses app-server, and records text, commands with output, and tokens with their times', async () => {
    const { record } = await server.call('delegate_run', {
      task: script({ shell: 'echo one; echo two' }, {
        ...answer({ summary: 'Said it.' }),
        pieces: 5,
      } as Turn),
      cwd: bench.project,
    });
    expect(record).toMatchObject({ status: 'completed', error: null, summary: 'Said it.' });
    const exec = JSON.parse(readFileSync(join(record.run_dir, 'run.json'), 'utf8'));
    expect(exec).toMatchObject({ protocol: 'app-server', agent: 'codex' });
    const all = events(record.run_id);
    expect(all.every(({ at }) => /^\d{4}-.*Z$/.test(at))).toBe(true);
    expect(
      all
        .filter(({ of }) => of === 'message')
        .map(({ text }) => text)
        .join(''),
    ).toContain('Said it.');
    expect(all.find(({ item, phase }) => item?.type === 'command' && phase === 'completed')).toMatchObject({
      item: { exitCode: 0, output: expect.stringMatching(/one\ntwo\n$/) },
    });
    expect(all.filter(({ kind }) => kind === 'usage').at(-1).usage).toEqual(record.usage);
    const tail = await server.call('tail_run', { run_id: record.run_id });
    expect(tail.text).toMatch(/^\d\d:\d\d:\d\d \$ echo one; echo two → 0\n(?: {9}.*\n)* {9}one\n {9}two$/m);
    expect(tail.text).not.toContain('…');
  });

  it('gets one chance to repair an invalid answer', async () => {
    const { record } = await server.call('delegate_run', {
      task: script({ say: 'All done!' }),
      cwd: bench.project,
    });
    expect(record).toMatchObject({ status: 'completed', summary: 'Done.' });
    expect(lastInput()).toContain('the final message is not JSON');
  });
});

describe('steer_run', () => {
  it('is seen by the model in the same turn', async () => {
    const { id, call } = await start(script(sleep, answer({ summary: 'not steered' })));
    await server.call('steer_run', { run_id: id, message: `Also look left. ${script()}` });
    expect((await call).record).toMatchObject({ status: 'completed', summary: 'Done.' });
    expect(lastInput()).toContain('Also look left.');
    expect(events(id).filter(({ kind }) => kind === 'turn')).toHaveLength(1);
    expect(events(id)).toContainEqual(
      expect.objectContaining({ kind: 'steered', by: 'owner in test', message: expect.any(String) }),
    );
  });

  it('names the reason if the run cannot take a message', async () => {
    const { record } = await server.call('delegate_run', { task: 'Begin.', cwd: bench.project });
    const ended = await server.call('steer_run', { run_id: record.run_id, message: 'Hello' });
    expect(ended.text).toContain(`Run ${record.run_id} has ended (completed)`);
    const unknown = await server.call('steer_run', { run_id: 'nothing', message: 'Hello' });
    expect(unknown.text).toContain('There is no run nothing.');
    const silent = await server.call('steer_run', { run_id: record.run_id });
    expect(silent.text).toContain('steer_run needs a message for the agent, or interrupt.');
  });
});

describe('steer_run with interrupt', () => {
  it.each(['workspace-write', 'danger-full-access'])('ends the commands: %s', async (sandbox) => {
    const mark = join(bench.folder, `mark-${sandbox}`);
    const shell = `setsid -f bash -c 'exec -a ${mark} sleep 1000'; exec -a ${mark} sleep 1000`;
    const { id, call } = await start(script({ shell, timeoutMs: 600_000 }), { sandbox });
    const marked = async () =>
      (await listRunProcesses(undefined, id)).filter(({ command }) => command.startsWith(mark));
    await eventually(async () => expect(await marked()).toHaveLength(2));
    await server.call('steer_run', {
      run_id: id,
      interrupt: true,
      message: `Do this instead. ${script({ shell: 'sleep 2', timeoutMs: 9_000 }, answer({ summary: 'Did that.' }))}`,
    });
    await eventually(async () => expect(await marked()).toEqual([]));
    expect((await call).record).toMatchObject({ status: 'completed', summary: 'Did that.' });
  });

  it('without a message ends the run, and its thread can be resumed', async () => {
    const { id, call } = await start(script({ shell: 'sleep 100', timeoutMs: 600_000 }));
    // Before its command, Codex has not read the tokens of the model's answer.
    await eventually(() => expect(events(id).map(({ item }) => item?.type)).toContain('command'));
    await server.call('steer_run', { run_id: id, interrupt: true });
    const { record } = await call;
    expect(record).toMatchObject({
      status: 'cancelled',
      error: 'cancelled: interrupted by owner in test',
      usage: { input_tokens: 100 },
    });
    expect(await listRunProcesses(undefined, id)).toEqual([]);
    const resumed = await server.call('delegate_resume', {
      thread_id: record.subagent_thread_id,
      cwd: bench.project,
    });
    expect(resumed.record).toMatchObject({
      status: 'completed',
      subagent_thread_id: record.subagent_thread_id,
    });
  });
});

describe('approvals', () => {
  const escalated = (cmd: string): Turn => ({
    tool: 'exec_command',
    arguments: { cmd, sandbox_permissions: 'require_escalated', justification: 'needs the network' },
  });
  const pending = async (id: string) =>
    eventually(async () => {
      const { record } = await server.call('show_run', { run_id: id });
      expect(record.approvals).toHaveLength(1);
      return record.approvals![0]!;
    });
  const outside = (name: string) => join(bench.folder, name);

  it('wait for answer_approval, which allows or refuses', async () => {
    const { id, call } = await start(
      script(escalated(`touch ${outside('allowed')}`), escalated(`touch ${outside('refused')}`), answer()),
      { sandbox: 'workspace-write' },
    );
    const first = await pending(id);
    expect(first).toMatchObject({
      what: 'command',
      command: `touch ${outside('allowed')}`,
      reason: 'needs the network',
    });
    const answerTo = (approval: string, decision: string) =>
      server.call('answer_approval', { run_id: id, approval_id: approval, decision, reason: 'not now' });
    expect((await answerTo(first.id, 'allow_once')).text).toBe('Allowed.');
    await eventually(() => expect(existsSync(outside('allowed'))).toBe(true));
    expect((await answerTo(first.id, 'refuse')).text).toContain('already answered by owner in test');
    const second = await pending(id);
    await answerTo(second.id, 'refuse');
    expect((await call).record.status).toBe('completed');
    expect(existsSync(outside('refused'))).toBe(false);
    expect(lastInput()).toContain('not now');
  });

  it('become a form of the client that started the run', async () => {
    const asked: string[] = [];
    const client = await bench.connect(
      { 'delegate-command': await nativeCodex(), 'delegate-approvals': 'ask' },
      {
        capabilities: { elicitation: {} },
        onRequest: async (_, params) => {
          asked.push(String(params['message']));
          return { action: 'accept', content: { decision: 'allow_run' } };
        },
      },
    );
    const file = outside('by-form');
    const { record } = await client.call('delegate_run', {
      task: script(escalated(`touch ${file}`), answer()),
      cwd: bench.project,
      sandbox: 'workspace-write',
    });
    expect(record.status).toBe('completed');
    expect(asked).toEqual([expect.stringContaining(`touch ${file}`)]);
    expect(existsSync(file)).toBe(true);
  });

  it('follow the rules, and are refused after the time limit', async () => {
    const client = await bench.connect({
      'delegate-command': await nativeCodex(),
      'delegate-approvals': 'ask',
      'delegate-approval-rules': `allow touch ${outside('ruled')} in ${bench.folder},refuse rm`,
      'delegate-approval-timeout-seconds': '1',
    });
    const { record } = await client.call('delegate_run', {
      task: script(
        escalated(`touch ${outside('ruled')}`),
        escalated(`true; rm ${outside('ruled')}`),
        escalated(`touch ${outside('unanswered')}`),
        answer(),
      ),
      cwd: bench.project,
      sandbox: 'workspace-write',
    });
    expect(record.status).toBe('completed');
    expect(events(record.run_id).filter(({ kind }) => kind === 'answered')).toMatchObject([
      { decision: 'allow_once', by: expect.stringContaining('the rule "allow touch') },
      { decision: 'refuse', by: 'the rule "refuse rm"' },
      { decision: 'refuse', by: 'the time limit', reason: 'nobody answered within 1 s' },
    ]);
    expect(existsSync(outside('ruled'))).toBe(true);
    expect(existsSync(outside('unanswered'))).toBe(false);
  });

  it('are not asked by read-only runs and under a narrower ceiling', async () => {
    const task = script(escalated(`touch ${outside('never')}`), answer());
    const { record } = await server.call('delegate_run', { task, cwd: bench.project, sandbox: 'read-only' });
    expect(record.status).toBe('completed');
    const narrow = await bench.connect({
      'delegate-command': await nativeCodex(),
      'delegate-approvals': 'ask',
      'delegate-sandbox-ceiling': 'workspace-write',
    });
    const other = await narrow.call('delegate_run', { task, cwd: bench.project, sandbox: 'workspace-write' });
    expect(other.record.status).toBe('completed');
    for (const { run_id } of [record, other.record] as RunRecord[])
      expect(events(run_id).filter(({ kind }) => kind === 'approval')).toEqual([]);
    expect(existsSync(outside('never'))).toBe(false);
  });
});

describe('threads', () => {
  it('are forked at a turn, with tokens of their own', async () => {
    const { record: first } = await server.call('delegate_run', { task: 'Look.', cwd: bench.project });
    const { record: fork, text } = await server.call('fork_run', {
      run_id: first.run_id,
      task: 'Try another way.',
      turn: 1,
    });
    expect(text).toMatch(/^fork_run\n/);
    expect(fork).toMatchObject({ status: 'completed', usage: { input_tokens: 100 } });
    expect(fork.subagent_thread_id).not.toBe(first.subagent_thread_id);
    expect(lastInput()).toMatch(/Look\..*Try another way\./);
    const missing = await server.call('fork_run', { run_id: first.run_id, task: 'Again.', turn: 7 });
    expect(missing.text).toContain('has 1 turns, so there is no turn 7');
  });

  it('get no more rights than a new run when they are resumed', async () => {
    const file = join(bench.project, 'by-resumed');
    const { record } = await server.call('delegate_run', {
      task: 'Begin.',
      cwd: bench.project,
      sandbox: 'danger-full-access',
    });
    await server.call('delegate_resume', {
      thread_id: record.subagent_thread_id,
      task: script({ shell: `touch ${file}` }, answer()),
      cwd: bench.project,
    });
    expect(existsSync(file)).toBe(false);
    expect(lastInput()).toContain('Read-only file system');
  });
});

describe('adjutant runs', () => {
  const adjutant = async (...words: readonly string[]) => {
    const args = [bundle, 'runs', ...words, '--home', bench.home];
    const child = spawn(process.execPath, args, { env: bench.env, stdio: ['ignore', 'pipe', 'pipe'] });
    const [out, errors, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    return { out, errors, code };
  };

  it('watches, steers and approves from the command line', async () => {
    const file = join(bench.folder, 'from-terminal');
    const ask = { cmd: `touch ${file}`, sandbox_permissions: 'require_escalated', justification: 'test' };
    const turns: readonly Turn[] = [
      { shell: 'echo seen; sleep 1.5', timeoutMs: 9_000 },
      { tool: 'exec_command', arguments: ask },
      { ...answer({ summary: 'Written in pieces.' }), pieces: 8, pauseMs: 30 } as Turn,
    ];
    const { id, call } = await start(script(...turns), { sandbox: 'workspace-write' });
    const watching = adjutant('watch', id);
    expect(await adjutant('approve', id)).toMatchObject({
      code: 2,
      errors: expect.stringContaining('asks for no permission'),
    });
    await eventually(async () => {
      const { record } = await server.call('show_run', { run_id: id });
      expect(record.approvals).toHaveLength(1);
    });
    expect(await adjutant('approve', id)).toMatchObject({ code: 0, out: 'Allowed.\n' });
    expect((await call).record.status).toBe('completed');
    expect(existsSync(file)).toBe(true);
    const { out, code } = await watching;
    expect(code).toBe(0);
    expect(out).toMatch(/^\d\d:\d\d:\d\d \$ echo seen; sleep 1\.5$/m);
    // Indented if the command had ended when its output was read.
    expect(out).toMatch(/^(?: +|\d\d:\d\d:\d\d )?seen$/m);
    expect(out).toMatch(/^\d\d:\d\d:\d\d asks for approval \d+: \$ touch/m);
    expect(out.split('Written in pieces.')).toHaveLength(2);
    expect(out).toContain('"next_actions":[]}');
    const late = await adjutant('steer', id, 'Too', 'late');
    expect(late).toMatchObject({ code: 1, errors: expect.stringContaining('has ended (completed)') });
  });
});

describe('codex exec', () => {
  it('runs under its contract, and takes no messages', async () => {
    const documented = await bench.connect(
      { 'delegate-command': await nativeCodex() },
      { contract: 'delegate' },
    );
    const { id, call } = await start(script(sleep, answer()), {}, documented);
    const { text } = await server.call('steer_run', { run_id: id, message: 'Hello' });
    expect(text).toContain('it runs as "codex exec"');
    const { record } = await call;
    expect(record.status).toBe('completed');
    const exec = JSON.parse(readFileSync(join(record.run_dir, 'run.json'), 'utf8'));
    expect([exec.argv[1], exec.protocol]).toEqual(['exec', undefined]);
  });
});
