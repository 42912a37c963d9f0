import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startMessagesModel } from '../model/messages-model.ts';
import { type Model, startResponsesModel } from '../model/responses-model.ts';
import { answer, script, type Turn } from '../model/turn.ts';
import { eventually } from './eventually.ts';
import { type Connection, claude, createWorkbench, nativeCodex, type Workbench } from './workbench.ts';

/** Runs of the real agents in a folder in which a user works at the same time. */
let models: readonly [Model, Omit<Model, 'config'>];
let bench: Workbench;
beforeAll(async () => {
  models = [await startResponsesModel(), await startMessagesModel()];
  bench = createWorkbench(models[0].config);
  Object.assign(bench.env, {
    ANTHROPIC_BASE_URL: models[1].url,
    ANTHROPIC_API_KEY: 'sk-ant-test-key-000000',
    IS_SANDBOX: '1',
  });
});
afterAll(async () => {
  await bench[Symbol.asyncDispose]();
  for (const model of models) await model.close();
});

const file = (name: string) => join(bench.project, name);
const read = (name: string) => readFileSync(file(name), 'utf8');
const lines = (...changed: readonly [number, string][]) =>
  Array.from({ length: 20 }, (_, at) => `${new Map(changed).get(at) ?? `\tline ${at}`}\n`).join('');

const codexEdit = (at: number): Turn => ({
  shell: `apply_patch <<'END'\n*** Begin Patch\n*** Update File: shared.txt\n@@\n-\tline ${at}\n+agent ${at}\n*** End Patch\nEND`,
});
const claudeEdit = (at: number): Turn[] => [
  { tool: 'Read', arguments: { file_path: file('shared.txt') } },
  {
    tool: 'Edit',
    arguments: { file_path: file('shared.txt'), old_string: `line ${at}\n`, new_string: `agent ${at}\n` },
  },
];

const agents = {
  codex: {
    connect: async () => bench.connect({ 'delegate-command': await nativeCodex() }),
    sandbox: 'workspace-write',
    edit: (at: number) => [codexEdit(at)],
    create: () => ({
      shell: `apply_patch <<'END'\n*** Begin Patch\n*** Add File: made.txt\n+made\n*** End Patch\nEND`,
    }),
    agentLine: (at: number) => `agent ${at}`,
  },
  claude: {
    connect: () =>
      bench.connect({
        'delegate-agent': 'claude',
        'delegate-command': claude,
        'delegate-danger-folders': bench.project,
      }),
    // Its sandbox needs programs that many machines lack.
    sandbox: 'danger-full-access',
    edit: claudeEdit,
    create: () => ({ tool: 'Write', arguments: { file_path: file('made.txt'), content: 'made\n' } }),
    agentLine: (at: number) => `\tagent ${at}`,
  },
} as const;

describe.each(['codex', 'claude'] as const)('a run of %s in a shared folder', (name) => {
  const { connect, sandbox, edit, create, agentLine } = agents[name];
  let server: Connection;
  beforeAll(async () => {
    server = await connect();
    for (const made of ['made.txt', 'built.txt', 'other.txt']) rmSync(file(made), { force: true });
    for (const signal of ['waiting', 'go']) rmSync(join(bench.folder, signal), { force: true });
    writeFileSync(file('shared.txt'), lines());
    writeFileSync(file('other.txt'), 'mine\n');
  });

  it('attributes only what the agent reported writing', async () => {
    const pause = `touch ${bench.folder}/waiting; until [ -e ${bench.folder}/go ]; do sleep 0.05; done`;
    const deliverables = ['shared.txt', 'made.txt', 'built.txt'].map((path) => ({ path, description: '' }));
    const call = server.call('delegate_run', {
      task: script(
        ...edit(2),
        { shell: pause },
        ...edit(16),
        create(),
        { shell: 'echo built > built.txt' },
        answer({ deliverables }),
      ),
      cwd: bench.project,
      sandbox,
    });
    await eventually(() => expect(existsSync(join(bench.folder, 'waiting'))).toBe(true));
    writeFileSync(file('shared.txt'), lines([2, agentLine(2)], [9, 'user']));
    writeFileSync(file('other.txt'), 'mine, changed\n');
    writeFileSync(join(bench.folder, 'go'), '');
    const { record, text } = await call;
    expect(record).toMatchObject({ status: 'completed', error: null });
    expect(read('shared.txt')).toBe(lines([2, agentLine(2)], [9, 'user'], [16, agentLine(16)]));
    expect(record.evidence?.files.map(({ path, status }) => `${path} ${status}`)).toEqual([
      'shared.txt verified',
      'made.txt verified',
      'built.txt verified',
    ]);
    expect(record.evidence?.changed_during_run?.map(({ path }) => path)).toEqual([
      'built.txt',
      'other.txt',
      'shared.txt',
    ]);
    expect(text).toContain('changed_during_run (3):\n- built.txt\n');
    const patch = join(record.run_dir, 'changes.patch');
    expect(readFileSync(patch, 'utf8').match(/^[-+](?![-+]).*/gm)).toEqual([
      '+made',
      '-\tline 2',
      `+${agentLine(2)}`,
      '-\tline 16',
      `+${agentLine(16)}`,
    ]);
    execFileSync('git', ['apply', '-R', patch], { cwd: bench.project });
    expect([read('shared.txt'), read('other.txt'), read('built.txt'), existsSync(file('made.txt'))]).toEqual([
      lines([9, 'user']),
      'mine, changed\n',
      'built\n',
      false,
    ]);
  });
});
