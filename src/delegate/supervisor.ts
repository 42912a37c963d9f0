import { promises as disk, existsSync } from 'node:fs';
import { Failure } from '../failure.ts';
import { messageOf } from '../json.ts';
import { log } from '../log.ts';
import type { Agent, AgentName } from './agent.ts';
import { Bell } from './bell.ts';
import { type EndedProcess, endRun } from './ending.ts';
import { EventFile } from './event-file.ts';
import { finishRun } from './finish.ts';
import { Ledger, type OpenRun } from './ledger.ts';
import type { Stop } from './outcome.ts';
import { type AgentProcess, attachTo, startAgent } from './process.ts';
import { findRoot, isAlive } from './process-table.ts';
import type { Redact } from './redaction.ts';
import type { RunHooks, RunRequest, RunResult } from './run.ts';
import { RunDirectory } from './run-directory.ts';
import { RunProgress } from './run-progress.ts';

export interface SupervisorOptions {
  readonly agent: AgentName;
  readonly agents: Readonly<Record<AgentName, Agent>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly ledgerFile: string;
  /** Runs at a time, counted over all processes of the user. */
  readonly maxParallel: number;
  readonly limits: Limits;
  readonly redact: Redact;
  /** Told when a run begins, goes on or ends. */
  onChange?(directory: string, change: 'started' | 'event' | 'finished'): void;
}

/** In milliseconds; 0 for none. */
export interface Limits {
  readonly start: number;
  readonly idle: number;
  readonly total: number;
  /** Between asking an agent to stop and killing it. */
  readonly grace: number;
}

interface Following {
  readonly directory: RunDirectory;
  readonly agent: Agent;
  readonly startedAt: Date;
  readonly totalTimeoutMs: number;
  readonly process: AgentProcess;
  readonly signal: AbortSignal;
  readonly bell: Bell;
  readonly onEvent: RunHooks['onEvent'];
  readonly adopted: boolean;
}

const lookEveryMs = 100;
const askEveryMs = 250;
/** How long an agent may take to leave once its turn is over. */
const leaveWithinMs = 10_000;

/** Starts agents, follows them to their end, and takes over those whose server has died. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #live = new Map<string, Bell>();
  readonly #ending = new Set<Promise<unknown>>();
  #ledger: Promise<Ledger> | undefined;
  #sweeping: Promise<void> | undefined;
  #closed = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  get ledger(): Promise<Ledger> {
    this.#ledger ??= Ledger.open(this.#options.ledgerFile);
    return this.#ledger;
  }

  /** Runs an agent from an empty run directory to `result.json`. */
  async run(request: RunRequest, hooks: RunHooks): Promise<RunResult> {
    const work = this.#run(request, hooks);
    const settled = work.catch(() => {});
    this.#ending.add(settled);
    void settled.finally(() => this.#ending.delete(settled));
    return work;
  }

  /** The result of a run that is not to be started. */
  async refuse(directory: RunDirectory, reason: string): Promise<RunResult> {
    return finishRun({
      directory,
      agent: this.#options.agents[this.#options.agent],
      ledger: await this.ledger,
      redact: this.#options.redact,
      startedAt: new Date(),
      progress: new RunProgress(),
      spawnError: reason,
    });
  }

  async #run(request: RunRequest, hooks: RunHooks): Promise<RunResult> {
    const { directory } = request;
    const { agents, redact } = this.#options;
    const agent = agents[this.#options.agent];
    const ledger = await this.ledger;
    const bell = new Bell();
    const ring = () => bell.ring();
    hooks.signal.addEventListener('abort', ring);
    const arrived = new Date();
    const refuse = (spawnError: string) =>
      finishRun({
        directory,
        agent,
        ledger,
        redact,
        startedAt: arrived,
        progress: new RunProgress(),
        spawnError,
      });
    try {
      const prepared = await prepare(agent, request).catch((error: unknown) => {
        if (error instanceof Failure || isDiskError(error)) return messageOf(error);
        throw error;
      });
      if (typeof prepared === 'string') return await refuse(prepared);
      const totalTimeoutMs = request.totalTimeoutMs ?? this.#options.limits.total;
      ledger.enqueue({
        directory: directory.path,
        runId: directory.id,
        agent: agent.name,
        tool: request.tool,
        threadId: request.threadId ?? null,
        totalTimeoutMs,
      });
      this.#live.set(directory.path, bell);
      const stop = await this.#waitForTurn(ledger, directory.path, bell, hooks);
      if (stop !== undefined)
        return await finishRun({
          directory,
          agent,
          ledger,
          redact,
          startedAt: arrived,
          progress: new RunProgress(),
          stop,
        });
      this.#options.onChange?.(directory.path, 'started');
      const startedAt = new Date();
      const process = await startAgent(
        directory,
        prepared,
        request.prompt,
        request.cwd,
        this.#options.env,
        ring,
      );
      if (process.identity !== undefined) ledger.noteProcess(directory.path, process.identity);
      return await this.#follow(ledger, {
        directory,
        agent,
        startedAt,
        totalTimeoutMs,
        process,
        signal: hooks.signal,
        bell,
        onEvent: hooks.onEvent,
        adopted: false,
      });
    } finally {
      hooks.signal.removeEventListener('abort', ring);
      this.#live.delete(directory.path);
      for (const other of this.#live.values()) other.ring();
    }
  }

  /** Nothing when the turn has come; the reason when it never will. */
  async #waitForTurn(
    ledger: Ledger,
    directory: string,
    bell: Bell,
    hooks: RunHooks,
  ): Promise<Stop | undefined> {
    let told = false;
    for (;;) {
      const stop =
        stopOf(hooks.signal, ledger.find(directory)) ??
        (this.#closed
          ? ({ status: 'cancelled', reason: 'cancelled: the server stopped' } as const)
          : undefined);
      if (stop !== undefined) return stop;
      if (await ledger.takeTurn(directory, this.#options.maxParallel, new Date().toISOString())) {
        hooks.onState?.('running');
        return undefined;
      }
      if (!told) hooks.onState?.('waiting');
      told = true;
      // A place may be held in the name of a server that died.
      void this.sweep();
      await bell.wait(lookEveryMs);
    }
  }

  async #follow(ledger: Ledger, run: Following): Promise<RunResult> {
    const { directory, agent, bell } = run;
    const { limits, redact, onChange } = this.#options;
    const progress = new RunProgress();
    const events = new EventFile(directory.file('events.jsonl'));
    let secrets = false;
    let heard = performance.now();
    let asked = performance.now();
    let over: number | undefined;
    let stop: Stop | undefined;
    let ended: readonly EndedProcess[] = [];

    const read = async () => {
      const before = events.offset;
      for await (const line of events.lines()) {
        const clean = redact(line);
        secrets ||= clean !== line;
        for (const event of agent.parse(clean)) {
          if (event.kind === 'thread' && progress.threadId === undefined)
            ledger.noteThread(directory.path, directory.id, event.threadId);
          progress.take(event);
          run.onEvent?.(event);
        }
      }
      if (events.offset === before) return;
      heard = performance.now();
      onChange?.(directory.path, 'event');
    };

    for (;;) {
      // Asked for first: what a process wrote before it went is there when it is gone.
      const exit = await run.process.gone();
      await read();
      if (exit !== undefined) {
        if (progress.end === undefined && stop === undefined)
          ended = await endRun(undefined, directory.id, 0);
        return await finishRun({
          directory,
          agent,
          ledger,
          redact,
          progress,
          startedAt: run.startedAt,
          ...(stop !== undefined && { stop }),
          ...(exit.spawnError !== undefined && { spawnError: exit.spawnError }),
          ...(!run.adopted && { exit }),
          ended,
          secrets,
        }).finally(() => onChange?.(directory.path, 'finished'));
      }
      if (this.#closed && !run.signal.aborted) {
        ledger.release(directory.path);
        throw new Failure('unavailable', `The server stopped; the run ${directory.id} goes on without it.`);
      }
      const now = performance.now();
      if (progress.end !== undefined) over ??= now;
      const age = Date.now() - run.startedAt.getTime();
      if (stop === undefined) {
        const wanted = now - asked > askEveryMs ? ledger.find(directory.path) : undefined;
        if (wanted !== undefined) asked = now;
        stop = stopOf(run.signal, wanted) ?? timeout(run, progress, limits, age, now - heard);
        if (stop === undefined && over !== undefined && now - over > leaveWithinMs)
          stop = { status: 'failed', reason: `${agent.label} did not leave after its turn was over` };
        if (stop !== undefined) {
          ended = await endRun(run.process.identity, directory.id, limits.grace);
          continue;
        }
      }
      await bell.wait(lookEveryMs);
    }
  }

  /** Takes over what dead servers left behind. */
  sweep(): Promise<void> {
    this.#sweeping ??= this.#sweep().finally(() => {
      this.#sweeping = undefined;
    });
    return this.#sweeping;
  }

  async #sweep(): Promise<void> {
    if (this.#closed || !existsSync(this.#options.ledgerFile)) return;
    const ledger = await this.ledger;
    for (const run of ledger.open()) {
      if ((await isAlive(run.owner)) || !ledger.adopt(run)) continue;
      const work = this.#takeOver(ledger, run).catch((error: unknown) => {
        if (!(error instanceof Failure)) log('error', `the run ${run.runId} cannot be taken over`, error);
      });
      this.#ending.add(work);
      void work.finally(() => this.#ending.delete(work));
    }
  }

  async #takeOver(ledger: Ledger, run: OpenRun): Promise<void> {
    const { agents, redact } = this.#options;
    const agent = agents[run.agent];
    const directory = new RunDirectory(run.directory, run.runId, redact);
    if (!existsSync(run.directory) || existsSync(directory.file('result.json'))) {
      ledger.finish(run.directory);
      return;
    }
    const startedAt = new Date(run.startedAt ?? Date.now());
    if (run.state === 'waiting') {
      const spawnError = 'the server ended before the agent was started';
      await finishRun({
        directory,
        agent,
        ledger,
        redact,
        startedAt,
        progress: new RunProgress(),
        spawnError,
      });
      return;
    }
    const identity = run.process ?? (await findLate(run.runId));
    if (identity !== undefined && run.process === null) ledger.noteProcess(run.directory, identity);
    log('info', `following the run ${run.runId} of a server that has ended`);
    const bell = new Bell();
    this.#live.set(run.directory, bell);
    try {
      await this.#follow(ledger, {
        directory,
        agent,
        startedAt,
        totalTimeoutMs: run.totalTimeoutMs,
        process: attachTo(identity ?? { pid: 0, born: '' }),
        signal: new AbortController().signal,
        bell,
        onEvent: undefined,
        adopted: true,
      });
    } finally {
      this.#live.delete(run.directory);
    }
  }

  /** Ends what is being cancelled and lets go of the rest, which goes on by itself. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const bell of this.#live.values()) bell.ring();
    await this.#sweeping;
    await Promise.allSettled(this.#ending);
    const ledger = await this.#ledger?.catch(() => undefined);
    ledger?.close();
  }
}

/** The server may have died between starting the agent and noting its number, or while it was being started. */
async function findLate(runId: string) {
  const found = await findRoot(runId);
  if (found !== undefined) return found;
  await new Bell().wait(1_000);
  return findRoot(runId);
}

function stopOf(signal: AbortSignal, run: OpenRun | undefined): Stop | undefined {
  if (signal.aborted) return { status: 'cancelled', reason: `cancelled: ${messageOf(signal.reason)}` };
  return run?.cancel ? { status: 'cancelled', reason: `cancelled: ${run.cancel}` } : undefined;
}

function timeout(
  run: Following,
  progress: RunProgress,
  limits: Limits,
  age: number,
  silence: number,
): Stop | undefined {
  const late = (limit: number, what: string): Stop => ({
    status: 'failed',
    reason: `timed out: ${what} within ${limit / 1000} s`,
  });
  if (run.totalTimeoutMs > 0 && age > run.totalTimeoutMs) return late(run.totalTimeoutMs, 'not done');
  if (progress.threadId === undefined && limits.start > 0 && age > limits.start)
    return late(limits.start, `${run.agent.label} did not begin`);
  return limits.idle > 0 && silence > limits.idle ? late(limits.idle, 'no event') : undefined;
}

function isDiskError(error: unknown): boolean {
  return typeof (error as NodeJS.ErrnoException).code === 'string';
}

async function prepare(agent: Agent, request: RunRequest) {
  const { directory, cwd } = request;
  const stats = await disk.stat(cwd).catch(() => undefined);
  if (stats === undefined) throw new Failure('refused', `the working folder ${cwd} does not exist`);
  if (!stats.isDirectory()) throw new Failure('refused', `the working folder ${cwd} is not a folder`);
  const outputSchemaFile = directory.file('subagent_output.schema.json');
  await directory.writeText('subagent_prompt.txt', request.prompt);
  await directory.writeJson('subagent_output.schema.json', request.outputSchema);
  const invocation = await agent.invoke({
    cwd,
    sandbox: request.sandbox,
    ...(request.threadId !== undefined && { threadId: request.threadId }),
    ...(request.model !== undefined && { model: request.model }),
    ...(request.reasoningEffort !== undefined && { reasoningEffort: request.reasoningEffort }),
    configOverrides: request.configOverrides ?? [],
    skipGitRepoCheck: request.skipGitRepoCheck ?? false,
    ephemeral: request.ephemeral ?? false,
    skills: request.skills ?? 'all',
    disable: request.disable ?? [],
    outputSchemaFile,
    lastMessageFile: directory.file('last_message.json'),
  });
  await directory.writeJson('codex_exec.json', {
    argv: [invocation.command, ...invocation.args],
    run_dir: directory.path,
    codex_cwd: cwd,
    sandbox: request.sandbox,
    skip_git_repo_check: request.skipGitRepoCheck ?? false,
    config_overrides: request.configOverrides ?? [],
    subcommand_args: invocation.subcommandArgs,
    prompt_via_stdin: true,
    agent: agent.name,
    warnings: request.warnings ?? [],
  });
  return invocation;
}
