import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AutopilotOutput } from '../../src/delegate/autopilot/autopilot-output.ts';
import type { Comparison } from '../../src/delegate/autopilot/comparison.ts';
import { listRunProcesses } from '../../src/delegate/process/process-table.ts';
import { listRunIds } from '../../src/delegate/run/run-record.ts';
import { realAgents } from '../agents/real-agents.ts';
import { startMessagesModel } from '../model/messages-model.ts';
import { type Model, startResponsesModel } from '../model/responses-model.ts';
import { answer, script, type Turn } from '../model/turn.ts';
import { eventually } from './eventually.ts';
import { killHost } from './kill-host.ts';
import { resetProject } from './project.ts';
import { ServerProcess } from './server-process.ts';
import {
  type Connection,
  claude,
  createWorkbench,
  hasClaudeSandbox,
  nativeCodex,
  type Workbench,
} from './workbench.ts';

const { gemini } = realAgents;
const forGemini = 'Write a.txt with your own tools.';

/** Comparisons with the real Codex and the real Claude Code. Each has a model of its own on loopback; both models follow the script in the task. */
let responses: Model;
let messages: Omit<Model, 'config'>;
let geminiModel: Omit<Model, 'config'>;
let bench: Workbench;
let settings: Readonly<Record<string, string>>;
let server: Connection;
beforeAll(async () => {
  responses = await startResponsesModel({
    // The tools of Codex and of Gemini have different names, so each model has its own script for the same task.
    [forGemini]: [{ shell: 'echo wrong > a.txt' }, answer({ summary: 'By Codex.' })],
  });
  messages = await startMessagesModel();
  geminiModel = await gemini.startModel();
  bench = createWorkbench(responses.config);
  const path = [dirname(claude), bench.env['PATH']].join(delimiter);
  Object.assign(bench.env, { PATH: path, ANTHROPIC_BASE_URL: messages.url, ANTHROPIC_API_KEY: 'none' });
  Object.assign(bench.env, gemini.env(geminiModel));
  gemini.configure(bench.home, geminiModel);
  settings = {
    'delegate-command': await nativeCodex(),
    'delegate-answer-within-seconds': '0',
  };
  server = await bench.connect(settings);
});
afterAll(async () => {
  await bench[Symbol.asyncDispose]();
  await responses.close();
  await messages.close();
  await geminiModel.close();
});
beforeEach(() => resetProject(bench, { 'README.md': '# A project\n' }));

const project = (name: string) => join(bench.project, name);
const text = (name: string) => (existsSync(project(name)) ? readFileSync(project(name), 'utf8') : undefined);
/** The agents are told apart by what their commands find in the environment: only Codex sets CODEX_THREAD_ID. */
const write = (ofCodex: string, ofOthers: string): Turn => ({
  shell: `test -n "$CODEX_THREAD_ID" && ${ofCodex} || ${ofOthers}`,
});
const both = [{ agent: 'codex' }, { agent: 'claude' }];
const codexTwice = [{ agent: 'codex' }, { agent: 'codex', reasoning_effort: 'high' }];
const call = (task: string, more: object) => ({ task, cwd: bench.project, ...more });
const compare = async (task: string, more: object) => {
  const { record, text } = await server.call('delegate_compare', call(task, more));
  const output = record as unknown as AutopilotOutput & { readonly comparison: Comparison };
  return { output, text };
};

describe('delegate_compare', () => {
  it.runIf(hasClaudeSandbox)(
    'checks the work of each agent, suggests the best and applies its changes, and keeps the others',
    {
      timeout: 90_000,
    },
    async () => {
      const task = script(
        write("echo 'right' > a.txt", "echo 'wrong' > a.txt"),
        answer({ summary: 'Wrote it.' }),
      );
      const { output, text: report } = await compare(task, {
        candidates: both,
        checks: ['grep -q right a.txt'],
        deliver: 'winner',
      });
      const { run_id, comparison } = output;
      expect(output).toMatchObject({ status: 'completed', error: null });
      expect(comparison).toMatchObject({
        winner: `${run_id}/codex`,
        is_delivered: true,
        reasons: ['codex is completed; claude is failed.'],
        candidates: [
          {
            id: 'codex',
            status: 'completed',
            checks: 1,
            checks_passed: 1,
            changed_files: 1,
            changed_lines: 1,
          },
          { id: 'claude', status: 'failed', checks: 1, checks_passed: 0, changed_lines: 1 },
        ],
      });
      expect(report).toContain('Suggested: codex.');
      expect(text('a.txt')).toBe('right\n');
      expect((await server.call('show_run', { run_id })).record).toMatchObject({ autopilot: { comparison } });
      expect((await server.call('list_runs', {})).text).toContain(run_id);
      // The loser can still be applied, after the winner has been undone.
      expect((await server.call('apply_run', { run_id })).text).toContain('Name one of its candidates');
      await server.call('undo_run', { run_id: `${run_id}/codex` });
      expect(text('a.txt')).toBeUndefined();
      await server.call('apply_run', { run_id: `${run_id}/claude` });
      expect(text('a.txt')).toBe('wrong\n');
    },
  );

  it.runIf(hasClaudeSandbox)(
    'applies nothing by default, and prefers the smaller change, unless a judge decides',
    {
      timeout: 90_000,
    },
    async () => {
      const judged = (winner: string) =>
        script({ say: JSON.stringify({ winner, reason: 'It is more complete.' }) });
      const task = (winner: string) =>
        script(
          write('seq 9 > b.txt', 'echo 1 > b.txt'),
          answer({ summary: judged(winner), deliverables: [{ path: 'b.txt', description: 'numbers' }] }),
        );
      const { output } = await compare(task(''), { candidates: both });
      const { comparison, run_id } = output;
      expect(comparison).toMatchObject({
        winner: `${run_id}/claude`,
        is_delivered: false,
        reasons: ['claude changed 1 lines; codex changed 9 lines.'],
        candidates: [
          { id: 'claude', status: 'completed', unmet_claims: 0 },
          { id: 'codex', status: 'completed', unmet_claims: 0 },
        ],
      });
      expect(text('b.txt')).toBeUndefined();
      expect(output.aggregate.next_actions[0]).toBe(
        `Run "adjutant runs apply ${run_id}/claude" to apply its changes`,
      );
      const other = await compare(task('codex'), { candidates: both, judge: { agent: 'codex' } });
      expect(other.output.comparison).toMatchObject({
        winner: `${other.output.run_id}/codex`,
        reasons: ['The judge prefers codex: It is more complete.'],
      });
      const third = await compare(task('nobody'), { candidates: both, judge: { agent: 'codex' } });
      expect(third.output.comparison.winner).toBe(`${third.output.run_id}/claude`);
      expect(third.output.warnings).toEqual([expect.stringMatching(/^The judge was not followed, because /)]);
    },
  );

  it('compares an agent of the Agent Client Protocol with Codex', { timeout: 90_000 }, async () => {
    const turns = [
      gemini.write(project('a.txt'), 'right\n'),
      ...gemini.finish!({ summary: 'By Gemini.', deliverables: [], open_questions: [], next_actions: [] }),
    ];
    const { output } = await compare(`${forGemini} ${script(...turns)}`, {
      candidates: [{ agent: 'codex' }, { agent: 'gemini', model: gemini.model }],
      checks: ['grep -q right a.txt'],
      deliver: 'winner',
    });
    const winner = `${output.run_id}/gemini-gemini-2-5-flash`;
    expect(output).toMatchObject({
      status: 'completed',
      jobs: [{ summary: 'By Codex.' }, { summary: 'By Gemini.', protocol: 'acp' }],
      comparison: {
        winner,
        is_delivered: true,
        candidates: [
          { agent: 'gemini', status: 'completed', checks_passed: 1, changed_files: 1, changed_lines: 1 },
          { agent: 'codex', status: 'failed', checks_passed: 0 },
        ],
      },
    });
    expect(text('a.txt')).toBe('right\n');
    await server.call('undo_run', { run_id: winner });
    await server.call('apply_run', { run_id: `${output.run_id}/codex` });
    expect(text('a.txt')).toBe('wrong\n');
  });

  it('overwrites nothing that was changed meanwhile, and keeps every candidate', async () => {
    // Outside the project, because the view of a candidate need not show what is created there meanwhile.
    const signal = join(bench.folder, 'proceed');
    const command = `echo candidate > a.txt; touch started; until test -e ${signal}; do sleep 0.1; done`;
    const { run_id, output } = await start(
      script({ shell: command, timeoutMs: 30_000 }, answer({ summary: 'Wrote it.' })),
      await new ServerProcess(bench, settings).initialize(),
    );
    writeFileSync(project('a.txt'), 'of the user\n');
    writeFileSync(signal, '');
    const { comparison, ...ended } = (await output) as unknown as AutopilotOutput;
    expect(ended).toMatchObject({
      status: 'completed_with_problems',
      error: 'a.txt was not applied: it was created meanwhile with other content',
      jobs: [{}, {}],
    });
    expect(comparison).toMatchObject({ winner: expect.any(String), is_delivered: false });
    const apply = async (run: string) => (await server.call('apply_run', { run_id: run })).record as unknown;
    expect(text('a.txt')).toBe('of the user\n');
    for (const { run_id: candidate } of comparison!.candidates)
      expect((await server.call('diff_run', { run_id: candidate })).record).toMatchObject({
        state: 'waiting',
      });
    const [one, other] = comparison!.candidates.map(({ run_id: id }) => id) as [string, string];
    expect(await apply(one)).toMatchObject({ conflicts: [], marked: ['a.txt'] });
    const both = `<<<<<<< folder\nof the user\n=======\ncandidate\n>>>>>>> run ${one}\n`;
    expect(text('a.txt')).toBe(both);
    expect((await server.call('undo_run', { run_id: one })).record).toMatchObject({ conflicts: [] });
    expect(text('a.txt')).toBe('of the user\n');
    rmSync(project('a.txt'));
    const applied = await apply(other);
    expect(applied).toEqual({ files: ['a.txt', 'started'], conflicts: [] });
    expect(text('a.txt')).toBe('candidate\n');
    expect((await server.call('show_run', { run_id })).record.status).toBe('completed_with_problems');
  });

  it('refuses an agent that is not installed before any other starts', async () => {
    const sent = responses.requests.length;
    const { output } = await compare('Anything.', { candidates: [{}, { agent: 'opencode' }] });
    expect(output).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('opencode is not on the PATH'),
    });
    expect(responses.requests).toHaveLength(sent);
  });

  it('ends all candidates when it is cancelled', async () => {
    const { run_id, output } = await start(
      script({ shell: 'touch started; sleep 60', timeoutMs: 90_000 }),
      await new ServerProcess(bench, settings).initialize(),
    );
    await server.call('cancel_run', { run_id, reason: 'enough' });
    expect(await output).toMatchObject({
      status: 'cancelled',
      jobs: [{ status: 'cancelled' }, { status: 'cancelled' }],
    });
    const other = await server.call('apply_run', { run_id: `${run_id}/../${run_id}/subruns/codex` });
    expect(other.text).toContain(`Run ${run_id} has no job ../`);
    for (const id of ['codex', 'codex-2'])
      expect(await listRunProcesses(undefined, `${run_id}/${id}`)).toEqual([]);
  });

  it('survives its server and its host', async () => {
    const first = await new ServerProcess(bench, settings).initialize();
    const { run_id } = await start(
      script({ shell: 'touch started; sleep 2', timeoutMs: 9_000 }, answer({ summary: 'Survived.' })),
      first,
    );
    await first.kill('SIGKILL');
    expect(await killHost(bench, run_id)).toBe(true);
    const { record } = await server.call('collect_run', { run_id, wait_seconds: 25 });
    expect(record).toMatchObject({
      status: 'completed',
      autopilot: {
        comparison: { is_delivered: true, candidates: [{ changed_files: 1 }, { changed_files: 1 }] },
      },
    });
    expect(text('started')).toBe('');
  });
});

/** Starts a comparison of Codex with itself, and resolves when both candidates have started their commands. */
async function start(task: string, other: ServerProcess) {
  const known = await listRunIds(join(bench.home, 'runs'));
  const output = other.call('delegate_compare', call(task, { candidates: codexTwice, deliver: 'winner' }));
  const run_id = await eventually(async () => {
    const found = (await listRunIds(join(bench.home, 'runs'))).find((id) => !known.includes(id));
    expect(found).toBeDefined();
    const file = (id: string) => join(bench.home, 'runs', found!, 'subruns', id, '.workspace/upper/started');
    expect([existsSync(file('codex')), existsSync(file('codex-2'))]).toEqual([true, true]);
    return found!;
  });
  return { run_id, output };
}
