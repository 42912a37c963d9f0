import { promises as disk } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { readRegularFile } from '../../regular-file.ts';
import type { Agent } from '../agents/agent.ts';
import { createHoldBack, type Redact } from '../files/redaction.ts';
import type { RunDirectory } from '../files/run-directory.ts';
import {
  type AgentProcess,
  type ContainedAgent,
  startAgent,
  startSession,
} from '../process/agent-process.ts';
import type { RunHooks, RunRequest } from '../record/run-request.ts';
import type { SessionStart } from '../session/agent-session.ts';
import { parseRule } from '../session/approval-rules.ts';
import { LiveRun } from './live-run.ts';
import type { RunQueue } from './run-queue.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface StartOptions {
  readonly env: Environment;
  /** Variables whose secret values are redacted. Default: `env`. */
  readonly knownVariables?: Environment;
  readonly userHome: string;
  /** How requests for permission are answered. */
  readonly approvals: { readonly rules: readonly string[]; readonly timeoutMs: number };
}

interface ReadyRun {
  readonly agent: Agent;
  readonly contained: ContainedAgent;
  readonly request: RunRequest;
  readonly hooks: RunHooks;
  readonly queue: RunQueue;
  readonly redact: Redact;
  /** Wakes the loop that follows the run. */
  readonly wake: () => void;
}

/** Starts the agent of a run, and drives its session if it has one. */
export async function startRun(run: ReadyRun, options: StartOptions): Promise<AgentProcess> {
  const { contained, request, wake } = run;
  const { directory, cwd } = request;
  const { env } = options;
  const start = { directory, agent: contained, cwd, env, onExit: wake };
  const text = `${contained.invocation.preamble ?? ''}${request.prompt}`;
  const { session } = contained.invocation;
  if (session === undefined) return startAgent(start, text);
  for (let attempt = 1; ; attempt += 1) {
    const process = await startSession(start);
    const isOpen = await startConversation(run, session, text, process, options);
    if (isOpen || attempt === maxAttempts || !(await hasLostRace(directory))) return process;
    // The next attempt writes its own error output.
    await disk.rm(directory.file('stderr.log'), { force: true });
    await pause(attempt * 100);
  }
}

/** Drives the session of a run. Resolves to false if the agent exits at once. */
async function startConversation(
  { agent, request, hooks, queue, redact, wake }: ReadyRun,
  start: SessionStart,
  text: string,
  { streams }: AgentProcess,
  options: StartOptions,
): Promise<boolean> {
  const { directory } = request;
  if (streams === undefined) return true;
  const { rules, timeoutMs } = options.approvals;
  const live = new LiveRun({
    directory,
    agent,
    start,
    request,
    text,
    streams,
    redact,
    heldBack: createHoldBack(options.knownVariables ?? options.env),
    approvals: { rules: rules.map((rule) => parseRule(rule, options.userHome)), timeoutMs },
    onWrite: wake,
    onInterrupted(by) {
      queue.requestCancellation(directory.path, `interrupted by ${by}`);
      wake();
    },
  });
  hooks.onSession?.(directory.id, (order) => live.order(order));
  void live.run().finally(() => hooks.onSession?.(directory.id, undefined));
  // An agent that takes longer is followed like any other, so that it can be cancelled.
  return Promise.race([live.opened, pause(openTimeoutMs, true, { ref: false })]);
}

/** Several agents that create the same database at the same time can fail. */
async function hasLostRace(directory: RunDirectory): Promise<boolean> {
  const errors = await readRegularFile(directory.file('stderr.log')).catch(() => '');
  return errors.includes('failed to initialize sqlite state runtime');
}

const maxAttempts = 5;
const openTimeoutMs = 2_000;
