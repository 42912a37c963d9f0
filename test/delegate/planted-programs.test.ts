import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AutopilotOutput } from '../../src/delegate/autopilot/autopilot-output.ts';
import { realAgents } from '../agents/real-agents.ts';
import { componentFile } from '../components.ts';
import { startMessagesModel } from '../model/messages-model.ts';
import { type Model, startResponsesModel } from '../model/responses-model.ts';
import { answer, script } from '../model/turn.ts';
import { Traps } from './hostile.ts';
import { gitIn, resetProject } from './project.ts';
import { ServerProcess } from './server-process.ts';
import { claude, createWorkbench, hasClaudeSandbox, nativeCodex, type Workbench } from './workbench.ts';

/** Tests with real agents and programs that an agent or a repository puts into a folder on the PATH of the server. */
let model: Model;
let messages: Omit<Model, 'config'>;
let bench: Workbench;
let traps: Traps;
let native: string;
beforeAll(async () => {
  [model, messages, native] = await Promise.all([startResponsesModel(), startMessagesModel(), nativeCodex()]);
  bench = createWorkbench(model.config);
  traps = new Traps(bench);
  resetProject(bench, { 'README.md': '# A project\n', '.gitignore': '.venv\nnode_modules\n' });
});
afterAll(async () => {
  await bench[Symbol.asyncDispose]();
  await model.close();
  await messages.close();
});
const systemPath = process.env['PATH']!;
beforeEach(() => {
  traps.reset();
  for (const name of ['.venv', 'node_modules'])
    rmSync(join(bench.project, name), { recursive: true, force: true });
});

/** Every program that Adjutant or an agent might look up on the PATH. */
const programs = [
  ...['git', 'sh', 'bash', 'env', 'node', 'perl', 'unshare', 'setpriv', 'mount', 'bwrap', 'socat', 'rg'],
  ...['find', 'xargs', 'cp', 'true', 'mkdir', 'cat', 'tail', 'ln', 'ps', 'codex', 'claude', 'which'],
];

/** A program that records its start, and then does what the real one would. */
const imitation = (name: string) =>
  `#!/bin/sh\n${traps.command(name)}\nPATH='${systemPath}' exec ${name} "$@"\n`;

function plant(folder: string, names: readonly string[] = programs): void {
  mkdirSync(join(bench.project, folder), { recursive: true });
  for (const name of names) {
    const file = join(bench.project, folder, name);
    writeFileSync(file, imitation(name));
    chmodSync(file, 0o755);
  }
}

const withPath = (...folders: readonly string[]) => {
  bench.env['PATH'] = [...folders, systemPath].join(delimiter);
};
const venv = () => join(bench.project, '.venv', 'bin');
const lastSent = () => JSON.stringify(model.requests.at(-1)?.body);

describe('a virtual environment of the repository on the PATH', () => {
  /** Not in a login shell, for which the system can set another PATH. */
  const printPath = { tool: 'exec_command', arguments: { cmd: 'echo "seen: $PATH"', login: false } };

  it('does not provide the git with which the work of the agent is examined', async () => {
    withPath(venv());
    const server = await bench.connect({ 'delegate-command': native });
    const planted = Buffer.from(imitation('git')).toString('base64');
    const { record } = await server.call('delegate_run', {
      task: script(
        {
          shell: `mkdir -p .venv/bin && echo ${planted} | base64 -d > .venv/bin/git && chmod +x .venv/bin/git`,
        },
        { shell: 'echo changed > README.md' },
        answer({ deliverables: [{ path: 'README.md', description: 'changed' }] }),
      ),
      cwd: bench.project,
      sandbox: 'workspace-write',
    });
    expect(record).toMatchObject({ status: 'completed', error: null });
    expect(record.evidence?.files).toEqual([
      { path: 'README.md', change: 'modified', status: 'verified' },
      { path: '.venv/bin/git', change: 'added', status: 'unreported' },
    ]);
    expect(existsSync(join(venv(), 'git'))).toBe(true);
    expect(traps.sprung).toEqual([]);
    gitIn(bench, 'checkout', '-q', '.');
  });

  it.each(['read-only', 'workspace-write', 'danger-full-access'])(
    'provides no program outside the sandbox of Codex: %s',
    async (sandbox) => {
      plant('.venv/bin');
      withPath(venv(), dirname(componentFile('.bin/codex')));
      const server = await bench.connect({ 'delegate-danger-folders': bench.project });
      const { record } = await server.call('delegate_run', {
        task: script(printPath, answer()),
        cwd: bench.project,
        sandbox,
      });
      expect(record).toMatchObject({ status: 'completed', error: null });
      const { argv } = JSON.parse(readFileSync(join(record.run_dir, 'run.json'), 'utf8'));
      expect(argv[0]).toBe(native);
      expect(traps.sprung).toEqual([]);
      expect(/seen: (\/[^"\\]*)/.exec(lastSent())?.[1]).toContain(venv());
    },
  );

  it.each(['overlay', 'copy'])(
    'provides programs only inside the sandbox of a check: %s',
    async (kind) => {
      plant('.venv/bin');
      const check = `#!/bin/sh\nread -r key < ~/.ssh/key\necho "key:$key" "variable:$REPLICA"\ntest -f new.txt\n`;
      writeFileSync(join(venv(), 'check-of-the-project'), check, { mode: 0o755 });
      mkdirSync(join(bench.env['HOME']!, '.ssh'), { recursive: true });
      writeFileSync(join(bench.env['HOME']!, '.ssh', 'key'), 'private');
      bench.env['REPLICA'] = 'postgres://me:private@127.0.0.1/shop';
      withPath(venv(), dirname(componentFile('.bin/codex')));
      const job = {
        id: 'write',
        title: 'Write',
        thinking_level: 'low',
        task: script({ shell: 'echo new > new.txt' }, answer({ summary: 'Written.' })),
        sandbox: 'workspace-write',
        depends_on: [],
        skills: [],
        acceptance: ['check-of-the-project'],
      };
      const plan = { should_delegate: true, reason: 'Many parts.', jobs: [job] };
      const server = await bench.connect({
        'autopilot-checks': 'check-of-the-project',
        // Without a namespace there is no overlay.
        ...(kind === 'copy' && { 'delegate-containment': 'subreaper' }),
      });
      const { record } = await server.call('delegate_autopilot', {
        task: `Write the file, update the tests and rewrite the docs. ${script({ say: JSON.stringify(plan) })}`,
        cwd: bench.project,
        sandbox: 'workspace-write',
      });
      expect(record).toMatchObject({
        status: 'completed',
        jobs: [{ evidence: { checks: [{ command: 'check-of-the-project', status: 'passed' }] } }],
      });
      // Without namespaces, the files of the person cannot be hidden.
      const { checks } = (record as unknown as AutopilotOutput).jobs[0]!.evidence!;
      expect(checks![0]!.output).toContain(kind === 'copy' ? 'key:private variable:' : 'key: variable:');
      expect(checks![0]!.output).not.toContain('postgres');
      expect(existsSync(join(bench.project, 'new.txt'))).toBe(true);
      rmSync(join(bench.project, 'new.txt'));
      expect(traps.sprung).toEqual([]);
    },
    60_000,
  );

  it.runIf(hasClaudeSandbox).each(['read-only', 'workspace-write'])(
    'provides no program outside the sandbox of Claude Code: %s',
    async (sandbox) => {
      plant('.venv/bin');
      withPath(venv(), dirname(claude));
      Object.assign(bench.env, realAgents.claude.env(messages), { IS_SANDBOX: '1' });
      const server = await bench.connect({ 'delegate-agent': 'claude' });
      const { record } = await server.call('delegate_run', {
        task: script({ shell: 'echo "seen: $PATH"' }, answer()),
        cwd: bench.project,
        sandbox,
      });
      expect(record).toMatchObject({ status: 'completed', error: null });
      expect(traps.sprung).toEqual([]);
      if (sandbox === 'workspace-write')
        expect(JSON.stringify(messages.requests.at(-1)?.body)).toContain(`seen: ${venv()}`);
    },
  );

  it('does not provide the Node that starts the script of an agent', async () => {
    const { gemini } = realAgents;
    const geminiModel = await gemini.startModel();
    gemini.configure(bench.home, geminiModel);
    Object.assign(bench.env, gemini.env(geminiModel));
    // It would run in the sandbox, where it cannot spring a trap.
    mkdirSync(venv(), { recursive: true });
    writeFileSync(join(venv(), 'node'), '#!/bin/sh\nexit 9\n', { mode: 0o755 });
    withPath(venv(), dirname(gemini.program!));
    const server = await bench.connect({ 'delegate-agent': 'gemini' });
    const { record } = await server.call('delegate_run', {
      task: script(...gemini.finish!(JSON.parse((answer() as { say: string }).say)), { say: 'Bye.' }),
      cwd: bench.project,
      model: gemini.model!,
    });
    await geminiModel.close();
    expect(record).toMatchObject({ status: 'completed', error: null });
  }, 120_000);
});

describe('a relative entry of the PATH', () => {
  it('provides no program of the repository in which the server was started', async () => {
    plant('node_modules/.bin');
    withPath('./node_modules/.bin', '', dirname(componentFile('.bin/codex')));
    await using server = await new ServerProcess(bench, {}, [], undefined, bench.project).initialize();
    const record = await server.call('delegate_run', { task: 'Look.', cwd: bench.project });
    expect(record).toMatchObject({ status: 'completed', error: null });
    expect(traps.sprung).toEqual([]);
  });
});

describe('an agent whose program is only in the workspace', () => {
  it.each([
    ['the PATH', () => ({})],
    ['the settings', () => ({ 'delegate-command': join(venv(), 'codex') })],
  ])('is not started, and the error says why: named by %s', async (_, settings) => {
    plant('.venv/bin', ['codex']);
    withPath(venv());
    const server = await bench.connect(settings());
    const { record } = await server.call('delegate_run', { task: 'Look.', cwd: bench.project });
    expect(record.status).toBe('failed');
    expect(record.error).toContain(`${join(venv(), 'codex')} is in the workspace`);
    expect(record.error).toContain('npm install -g @openai/codex');
    expect(traps.sprung).toEqual([]);
  });
});
