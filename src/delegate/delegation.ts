import { join, resolve } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { Failure } from '../failure.ts';
import type { Change, Context } from '../feature.ts';
import { messageOf } from '../json.ts';
import { log } from '../log.ts';
import type { Agent, AgentName } from './agent.ts';
import { answerSchema } from './answer.ts';
import { createClaude } from './claude.ts';
import { createCodex } from './codex.ts';
import type { DelegateOptions } from './delegate.ts';
import { type Caller, callerOf, checkOverrides, grantSandbox } from './grant.ts';
import { readJson } from './json-file.ts';
import { runMarker } from './process-table.ts';
import { loadRecord, type RunRecord } from './record.ts';
import { createRedaction, type Redact } from './redaction.ts';
import type { RunRequest, RunResult } from './run.ts';
import { RunDirectory } from './run-directory.ts';
import { type SkillSelection, selectSkills } from './skill-selection.ts';
import { asSkill, discoverSkills } from './skills.ts';
import { composePrompt, continuation } from './subagent-prompt.ts';
import { Supervisor } from './supervisor.ts';
import { Teller } from './teller.ts';
import type { ResumeInput, RunInput } from './tool-schema.ts';

export type RunTool = 'delegate_run' | 'delegate_resume';

/** A run that was asked for: under way, or refused already. */
export interface Begun {
  readonly id: string;
  readonly path: string;
  readonly done: Promise<RunRecord>;
  /** From now on the run is nobody's in particular: it goes on when its caller leaves. */
  detach(): void;
}

/** What stands behind the tools: one supervisor, the runs it has, and what a caller may have. */
export class Delegation {
  readonly options: DelegateOptions;
  readonly redact: Redact;
  readonly supervisor: Supervisor;
  readonly #agents: Readonly<Record<AgentName, Agent>>;
  readonly #begun = new Set<Promise<unknown>>();

  constructor(options: DelegateOptions, publish: (change: Change) => void) {
    this.options = options;
    this.redact = createRedaction(options.env);
    this.#agents = {
      codex: createCodex({ ...options, command: options.agent === 'codex' ? options.command : undefined }),
      claude: createClaude({ ...options, command: options.agent === 'claude' ? options.command : undefined }),
    };
    this.supervisor = new Supervisor({
      ...options,
      agents: this.#agents,
      redact: this.redact,
      onChange: (path, change) => {
        if (change === 'event') publish({ kind: 'resource', uri: `runs://${runIdOf(path)}/events.jsonl` });
        else publish({ kind: 'resources' });
      },
    });
  }

  /** The agent that a run was given to. */
  async agentOf(runDirectory: string): Promise<Agent> {
    const exec = await readJson(join(runDirectory, 'codex_exec.json'));
    return this.#agents[exec?.['agent'] === 'claude' ? 'claude' : 'codex'];
  }

  /** Delegates are not to delegate: not by a marked environment, and not from a thread that a run has started. */
  async refuseDelegates(caller: Caller): Promise<void> {
    const marked = this.options.env[runMarker] !== undefined;
    const ledger = await this.supervisor.ledger;
    if (marked || caller.threads.some((thread) => ledger.knowsThread(thread)))
      throw new Failure('refused', 'A sub-agent may not start sub-agents; do the task yourself.');
  }

  async begin(tool: RunTool, input: RunInput | ResumeInput, context: Context): Promise<Begun> {
    const { runsDir, onDisconnect } = this.options;
    const received = new Date();
    let directory: RunDirectory;
    try {
      directory = await RunDirectory.create(runsDir, this.redact);
      await directory.writeJson('request.json', {
        tool,
        received_at: received.toISOString(),
        request: input,
      });
    } catch (error) {
      return unbegun(`The run directory cannot be made in ${runsDir}: ${messageOf(error)}`, received);
    }
    const controller = new AbortController();
    const abort = () => {
      const gone = isDisconnect(context.signal.reason);
      if (!gone || onDisconnect === 'cancel') controller.abort(context.signal.reason);
    };
    if (context.signal.aborted) abort();
    context.signal.addEventListener('abort', abort, { once: true });
    const teller = new Teller(context, tool, directory.id);
    const done = this.#work(tool, input, directory, context, controller.signal, teller).finally(() =>
      context.signal.removeEventListener('abort', abort),
    );
    const settled = done.catch((error: unknown) => {
      if (!(error instanceof Failure)) log('error', `the run ${directory.id} broke off`, error);
    });
    this.#begun.add(settled);
    void settled.finally(() => this.#begun.delete(settled));
    return {
      id: directory.id,
      path: directory.path,
      done,
      detach() {
        teller.mute();
        context.signal.removeEventListener('abort', abort);
      },
    };
  }

  async #work(
    tool: RunTool,
    input: RunInput | ResumeInput,
    directory: RunDirectory,
    context: Context,
    signal: AbortSignal,
    teller: Teller,
  ): Promise<RunRecord> {
    let status = 'failed';
    try {
      const result = await this.#attempt(tool, input, directory, context, signal, teller);
      const record = await loadRecord(directory.path, directory.id, result);
      if (record === undefined) throw new Error(`the run ${directory.id} has lost its directory`);
      status = record.status;
      return record;
    } finally {
      teller.finished(status);
    }
  }

  async #attempt(
    tool: RunTool,
    input: RunInput | ResumeInput,
    directory: RunDirectory,
    context: Context,
    signal: AbortSignal,
    teller: Teller,
  ): Promise<RunResult> {
    try {
      const caller = callerOf(context.meta);
      await this.refuseDelegates(caller);
      const request = await this.#request(tool, input, directory, caller);
      return await this.supervisor.run(request, {
        signal,
        onEvent: (event) => teller.event(event),
        onState: (state) => teller.state(state),
      });
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'refused') throw error;
      return await this.supervisor.refuse(directory, error.message);
    }
  }

  async #request(
    tool: RunTool,
    input: RunInput | ResumeInput,
    directory: RunDirectory,
    caller: Caller,
  ): Promise<RunRequest> {
    const cwd = resolve(input.cwd);
    const overrides = input.config_overrides ?? [];
    checkOverrides(overrides);
    const grant = await grantSandbox(input.sandbox, cwd, caller, this.options);
    const warnings = grant.warning === undefined ? [] : [grant.warning];
    const { task, role } = await this.#fromLibrary(input, warnings);
    const threadId = 'thread_id' in input ? input.thread_id.toLowerCase() : undefined;
    const selection = await this.#selectSkills(directory, input, task, cwd);
    if (selection.errors.length > 0)
      throw new Failure('refused', `${selection.errors.join('; ')}; ${this.options.agent} was not started`);
    const effort =
      input.reasoning_effort ??
      (overrides.some((override) => /^\s*model_reasoning_effort\s*=/.test(override))
        ? undefined
        : this.options.reasoningEffort);
    return {
      directory,
      tool,
      prompt: composePrompt({
        role,
        cwd,
        task: task.trim() === '' ? continuation : task,
        skills: selection.selected,
        ...(threadId !== undefined && { context: `Resume thread_id: ${threadId}`, followUp: true }),
      }),
      outputSchema: answerSchema,
      cwd,
      sandbox: grant.sandbox,
      ...(threadId !== undefined && { threadId }),
      ...(input.model !== undefined && { model: input.model }),
      ...(effort !== undefined && { reasoningEffort: effort }),
      configOverrides: overrides,
      skipGitRepoCheck: input.skip_git_repo_check,
      skills: input.skills_mode === 'auto' ? 'all' : 'named',
      warnings,
    };
  }

  /** `:command text` and roles that have a prompt of their own are written out. */
  async #fromLibrary(
    input: RunInput | ResumeInput,
    warnings: string[],
  ): Promise<{ task: string; role: string }> {
    const { expandPrompt } = this.options;
    const task = input.task ?? '';
    const [, command, text = ''] = /^:([\w./-]+)(?:\s+([\s\S]*))?$/.exec(task) ?? [];
    const expanded = command === undefined ? undefined : await expandPrompt?.(command, text);
    if (command !== undefined && expanded === undefined)
      warnings.push(`There is no prompt "${command}"; the task was taken as it stands.`);
    const described = await expandPrompt?.(input.role, '').catch(() => undefined);
    return {
      task: expanded ?? task,
      role: described === undefined ? input.role : `${input.role}\n${described.trim()}\n`,
    };
  }

  async #selectSkills(
    directory: RunDirectory,
    input: RunInput | ResumeInput,
    task: string,
    cwd: string,
  ): Promise<SkillSelection> {
    const index = await discoverSkills({
      cwd,
      codexHome: this.options.codexHome,
      userHome: this.options.userHome,
      includeRepo: input.include_repo_skills,
      includeGlobal: input.include_global_skills,
    });
    const blank = input.skills_mode === 'auto' && task.trim() === '';
    // Where there are no skills at all, that none fits is no news.
    const idle = blank || (input.skills_mode === 'auto' && index.skills.length === 0);
    const selection = selectSkills(
      {
        mode: idle ? 'none' : input.skills_mode,
        task,
        requested: input.skills ?? [],
        maxSkills: input.max_skills,
      },
      index.skills,
    );
    const told: SkillSelection = blank
      ? {
          ...selection,
          warnings: [
            'skills_mode=auto ignored because delegate_resume task is empty; selected_skills is empty.',
          ],
        }
      : selection;
    await directory.writeJson('skills_index.json', { roots: index.roots, skills: index.skills.map(asSkill) });
    await directory.writeJson('selected_skills.json', told);
    return told;
  }

  /** What a run has come to after at most so long; the run goes on if it takes longer. */
  async within(begun: Begun, milliseconds: number): Promise<RunRecord> {
    if (milliseconds === 0) return begun.done;
    const limit = new AbortController();
    const late = after(milliseconds, undefined, { signal: limit.signal }).catch(() => undefined);
    try {
      const record = await Promise.race([begun.done, late]);
      if (record !== undefined) return record;
    } finally {
      limit.abort();
    }
    return this.handOver(begun);
  }

  /** Lets the run go on without its caller; tells how it stands. */
  async handOver(begun: Begun): Promise<RunRecord> {
    begun.detach();
    return (await loadRecord(begun.path, begun.id)) ?? begun.done;
  }

  async close(): Promise<void> {
    await this.supervisor.close();
    await Promise.allSettled(this.#begun);
  }
}

function runIdOf(path: string): string {
  return /[^\\/]+$/.exec(path)?.[0] ?? path;
}

function isDisconnect(reason: unknown): boolean {
  return reason instanceof Failure && reason.data?.['disconnected'] === true;
}

/** Nothing could be written, not even the request; the caller is told in the usual shape. */
function unbegun(error: string, received: Date): Begun {
  const moment = received.toISOString();
  const record: RunRecord = {
    run_id: 'unknown',
    run_dir: 'unknown',
    subagent_thread_id: null,
    selected_skills: [],
    summary: 'The run was not started.',
    deliverables: [],
    open_questions: [],
    next_actions: [],
    artifacts: [],
    timing: { started_at: moment, finished_at: moment, duration_ms: 0 },
    status: 'failed',
    error,
    usage: null,
    evidence: null,
    warnings: [],
    ended_processes: [],
  };
  return { id: 'unknown', path: 'unknown', done: Promise.resolve(record), detach: () => {} };
}
