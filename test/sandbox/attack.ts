import { execFile, spawn } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { AgentName } from '../../src/delegate/agents/agent.ts';
import type { Sandbox } from '../../src/delegate/agents/sandbox.ts';
import type { RunRecord } from '../../src/delegate/run/run-record.ts';
import type { JsonObject } from '../../src/json.ts';
import type { Connection } from '../delegate/workbench.ts';
import { answer, script, type Turn } from '../model/turn.ts';
import type { Arena, Violation } from './arena.ts';
import type { HostileCase } from './hostile-case.ts';

export interface AttackResult {
  readonly violations: readonly Violation[];
  readonly status: string;
  readonly error: string | null;
  readonly milliseconds: number;
}

/** Time limits of the server. A run that one of them ends was frozen. */
const limits = { 'delegate-start-timeout-seconds': '25', 'delegate-total-timeout-seconds': '60' };
/** After this time, an unprotected program counts as frozen. */
const freezeMs = 15_000;

function taskOf(one: HostileCase, arena: Arena, project: string): string {
  const turns: Turn[] = [
    ...(one.shell === undefined ? [] : [{ shell: arena.fill(one.shell, project) }]),
    ...arena.fill(one.turns ?? [], project),
    answer(),
  ];
  return `${arena.fill(one.task ?? 'Look around.', project)} ${script(...turns)}`;
}

/** Runs one attack through Adjutant, with the real agent. */
export async function attack(
  arena: Arena,
  connections: Map<string, Connection>,
  one: HostileCase,
  agent: AgentName,
  sandbox: Sandbox,
): Promise<AttackResult> {
  const project = arena.prepare(one);
  const connection = await connect(arena, connections, one, agent);
  const [sent, asked] = [arena.elsewhere.requests.length, arena.requests(agent).length];
  const args = {
    cwd: arena.fill(one.cwd ?? '$PROJECT', project),
    task: taskOf(one, arena, project),
    sandbox,
    skip_git_repo_check: true,
    ...arena.fill(one.args ?? {}, project),
  };
  const meta: JsonObject =
    one.caller === undefined ? {} : { 'x-codex-turn-metadata': JSON.stringify(one.caller) };
  const startedAt = performance.now();
  const { record, text } = await connection.call(one.tool ?? 'delegate_run', args, meta);
  const milliseconds = Math.round(performance.now() - startedAt);
  // Processes that outlive their command get a moment to act.
  if (one.shell?.includes('sleep 1')) await pause(1_500);
  const bodies = arena.requests(agent).slice(asked);
  const seen = [text, JSON.stringify(bodies.map(({ body }) => body)), readRun(record)].join('\n');
  const violations = arena.violations(one, project, sent, seen);
  if (
    seen.includes('sk-proj-abcdefghijklmnopqrstuv') &&
    readRun(record).includes('sk-proj-abcdefghijklmnopqrstuv')
  )
    violations.push('a secret in the answer was not redacted');
  if (/time limit|timed out|did not (start|finish)|no output/i.test(record.error ?? ''))
    violations.push('frozen');
  const expected = one.expected ?? 'completed';
  if (expected !== 'either' && record.status !== expected)
    violations.push(`${record.status} instead of ${expected}: ${record.error}`);
  return { violations, status: record.status, error: record.error, milliseconds };
}

async function connect(
  arena: Arena,
  connections: Map<string, Connection>,
  { settings = {}, contract = undefined }: HostileCase,
  agent: AgentName,
): Promise<Connection> {
  const key = JSON.stringify([agent, settings, contract]);
  const known =
    connections.get(key) ??
    (await arena.bench.connect(
      {
        'delegate-agent': agent,
        'delegate-command': arena.agentCommand(agent),
        'delegate-answer-within-seconds': '0',
        ...limits,
        ...settings,
      },
      contract === undefined ? {} : { contract },
    ));
  connections.set(key, known);
  return known;
}

function readRun({ run_dir }: RunRecord): string {
  if (run_dir === 'unknown') return '';
  return readdirSync(run_dir)
    .map((name) => join(run_dir, name))
    .filter((file) => statSync(file).isFile() && statSync(file).size < 50_000_000)
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
}

/** Runs the same attack with the bare agent or bare git, to show that it works without Adjutant. */
export async function attackUnprotected(
  arena: Arena,
  one: HostileCase,
  agent: AgentName,
  sandbox: Sandbox,
): Promise<readonly Violation[]> {
  const project = arena.prepare(one);
  const [sent, asked] = [arena.elsewhere.requests.length, arena.requests(agent).length];
  const cwd = arena.fill(one.cwd ?? '$PROJECT', project);
  const overrides = (arena.fill(one.args ?? {}, project)['config_overrides'] ?? []) as readonly string[];
  const isFrozen =
    one.fires === 'git'
      ? await runFor(['git', '-c', 'user.name=T', '-c', 'user.email=t@t'], gitCommands, cwd, arena.bench.env)
      : await runAgent(arena, agent, sandbox, cwd, overrides, taskOf(one, arena, project));
  const bodies = arena.requests(agent).slice(asked);
  const seen = JSON.stringify(bodies.map(({ body }) => body));
  return [...arena.violations(one, project, sent, seen), ...(isFrozen ? ['frozen'] : [])];
}

const gitCommands = [['status'], ['add', '-A'], ['diff', 'HEAD'], ['commit', '-qm', 'x', '--allow-empty']];

async function runFor(
  [command, ...first]: readonly string[],
  commands: readonly (readonly string[])[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<boolean> {
  for (const args of commands) {
    const isFrozen = await new Promise<boolean>((done) => {
      execFile(
        command!,
        [...first, ...args],
        { cwd, env: { ...env, GIT_TERMINAL_PROMPT: '0' }, timeout: freezeMs / 3, killSignal: 'SIGKILL' },
        (error) => done(error?.killed === true),
      );
    });
    if (isFrozen) return true;
  }
  return false;
}

async function runAgent(
  arena: Arena,
  agent: AgentName,
  sandbox: Sandbox,
  cwd: string,
  overrides: readonly string[],
  task: string,
): Promise<boolean> {
  const args =
    agent === 'codex'
      ? ['exec', '--json', '--skip-git-repo-check', '-s', sandbox, '-C', cwd]
      : ['-p', '--output-format', 'stream-json', '--verbose', '--permission-mode', 'bypassPermissions'];
  const child = spawn(
    arena.agentCommand(agent),
    [...args, ...overrides.flatMap((override) => ['-c', override]), ...(agent === 'codex' ? ['-'] : [])],
    { cwd, env: arena.bench.env, stdio: ['pipe', 'ignore', 'ignore'] },
  );
  child.stdin.on('error', () => {});
  child.stdin.end(task);
  return new Promise((done) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      done(true);
    }, freezeMs * 2);
    child.on('exit', () => {
      clearTimeout(timer);
      done(false);
    });
  });
}
