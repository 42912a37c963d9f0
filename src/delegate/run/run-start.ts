import type { Agent } from '../agents/agent.ts';
import { createHoldBack, type Redact } from '../files/redaction.ts';
import {
  type AgentProcess,
  type ContainedAgent,
  startAgent,
  startSession,
} from '../process/agent-process.ts';
import type { RunHooks, RunRequest } from '../record/run-request.ts';
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
  const { agent, contained, request, hooks, queue, redact, wake } = run;
  const { directory, cwd } = request;
  const { env } = options;
  const start = { directory, agent: contained, cwd, env, onExit: wake };
  const text = `${contained.invocation.preamble ?? ''}${request.prompt}`;
  const { session } = contained.invocation;
  if (session === undefined) return startAgent(start, text);
  const process = await startSession(start);
  const { streams } = process;
  const { rules, timeoutMs } = options.approvals;
  if (streams === undefined) return process;
  const live = new LiveRun({
    directory,
    agent,
    start: session,
    request,
    text,
    streams,
    redact,
    heldBack: createHoldBack(options.knownVariables ?? env),
    approvals: { rules: rules.map((rule) => parseRule(rule, options.userHome)), timeoutMs },
    onWrite: wake,
    onInterrupted(by) {
      queue.requestCancellation(directory.path, `interrupted by ${by}`);
      wake();
    },
  });
  hooks.onSession?.(directory.id, (order) => live.order(order));
  void live.run().finally(() => hooks.onSession?.(directory.id, undefined));
  return process;
}
