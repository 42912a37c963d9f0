import { log } from '../../log.ts';
import type { Usage } from '../agents/agent.ts';
import type { Answer } from '../run/answer.ts';
import { type RunEnd, timingSince, writeEnd } from '../run/run-state.ts';
import type { RunDirectory } from '../workspace/run-directory.ts';
import {
  type AutopilotOutput,
  aggregate,
  type JobResult,
  overallStatus,
  type PlanSource,
  totalUsage,
  undecided,
} from './autopilot-output.ts';
import { type Comparison, comparisonOutcome } from './comparison.ts';
import type { Decision, JobSpec } from './plan.ts';

/** Why an autopilot starts no job although its task may need some. */
export interface Refusal extends Pick<Answer, 'summary' | 'next_actions'> {
  readonly error: string;
}

/** The current state of an autopilot. Each step is on disk before the next one starts, so a crash loses no results. */
export class AutopilotLog {
  decision: Decision = undecided;
  jobs: readonly JobSpec[] = [];
  source: PlanSource = 'none';
  readonly warnings: string[];
  /** Set when the winner of a comparison is known. */
  comparison: Comparison | undefined;
  readonly plannerUsage: (Usage | null)[] = [];
  readonly #directory: RunDirectory;
  readonly #cwd: string;
  readonly #results = new Map<string, JobResult>();
  #startedAt = new Date();
  #writing: Promise<void> = Promise.resolve();
  #eventCount = 0;

  constructor(directory: RunDirectory, cwd: string, warnings: readonly string[]) {
    this.#directory = directory;
    this.#cwd = cwd;
    this.warnings = [...warnings];
  }

  /** Restores what a dead server has recorded. */
  restore(
    { decision, plan, jobs, timing, warnings }: AutopilotOutput,
    plannerUsage: readonly (Usage | null)[],
  ): void {
    this.decision = decision;
    this.jobs = plan.jobs;
    this.source = plan.source;
    this.warnings.splice(0, this.warnings.length, ...warnings);
    this.plannerUsage.push(...plannerUsage);
    this.#startedAt = new Date(timing.started_at);
    for (const job of jobs) this.#results.set(job.id, job);
  }

  get results(): readonly JobResult[] {
    return this.jobs.flatMap(({ id }) => this.#results.get(id) ?? []);
  }

  async writePlan(): Promise<void> {
    const { decision, jobs, source, warnings } = this;
    await this.#write('autopilot_decision.json', () => decision);
    await this.#write('autopilot_plan.json', () => ({ jobs, source, warnings }));
  }

  async recordResults(...results: readonly JobResult[]): Promise<void> {
    for (const result of results) this.#results.set(result.id, result);
    await this.#write('autopilot_aggregate.json', () => this.#aggregateFile('running', null));
  }

  /** Appends a message to `events.jsonl`, in the format of agent events. */
  async addEvent(text: string): Promise<void> {
    const item = { id: `event_${++this.#eventCount}`, type: 'agent_message', text };
    await this.#enqueueWrite('events.jsonl', (name) =>
      this.#directory.appendJson(name, { type: 'item.completed', item }),
    );
  }

  /** Writes the final result. */
  async finish(cancellationReason: string | undefined, refusal?: Refusal): Promise<AutopilotOutput> {
    const totals = this.#totals();
    const { comparison } = this;
    const refused = cancellationReason === undefined ? refusal : undefined;
    const compared = comparison && comparisonOutcome(comparison, this.results);
    if (comparison !== undefined) await this.#write('comparison.json', () => comparison);
    const output: AutopilotOutput = {
      run_id: this.#directory.id,
      run_dir: this.#directory.path,
      decision: this.decision,
      plan: { jobs: this.jobs, source: this.source },
      jobs: this.results,
      aggregate:
        compared?.aggregate ??
        (refused === undefined
          ? totals.aggregate
          : { ...totals.aggregate, summary: refused.summary, next_actions: refused.next_actions }),
      artifacts: [],
      timing: timingSince(this.#startedAt),
      ...(compared !== undefined
        ? { status: compared.status, error: compared.error }
        : refused === undefined
          ? overallStatus(this.results, cancellationReason)
          : { status: 'failed', error: refused.error }),
      usage: totals.usage,
      warnings: this.warnings,
      ...(comparison && { comparison }),
    };
    await this.#write('autopilot_aggregate.json', () => ({
      ...this.#aggregateFile(output.status, output.error),
      ...output.aggregate,
    }));
    await this.#enqueueWrite('result.json', () => writeEnd(this.#directory, endOf(output)));
    return { ...output, artifacts: await this.#directory.artifacts().catch(() => []) };
  }

  #totals(): Pick<AutopilotOutput, 'aggregate' | 'usage'> {
    const { results, plannerUsage } = this;
    return {
      aggregate: aggregate(results, this.#cwd, this.decision),
      usage: totalUsage([...plannerUsage, ...results.map(({ usage }) => usage)]),
    };
  }

  #aggregateFile(status: AutopilotOutput['status'], error: string | null): object {
    const { aggregate, usage } = this.#totals();
    return { ...aggregate, status, error, usage, jobs: this.results };
  }

  #write(name: string, content: () => object): Promise<void> {
    return this.#enqueueWrite(name, () => this.#directory.writeJson(name, content()));
  }

  /** Runs writes one after another. A failed write is only logged, so that the jobs continue. */
  #enqueueWrite(name: string, write: (name: string) => Promise<void>): Promise<void> {
    this.#writing = this.#writing
      .then(() => write(name))
      .catch((error: unknown) => log('warning', `${this.#directory.file(name)} could not be written`, error));
    return this.#writing;
  }
}

/** The end of an autopilot in the same format as that of other runs, so that all runs can be listed alike. */
export function endOf(output: AutopilotOutput): RunEnd {
  const { status, error, aggregate, usage, timing, jobs, warnings } = output;
  return {
    status: status === 'running' ? 'failed' : status,
    error,
    threadId: null,
    answer: aggregate,
    usage,
    timing,
    exitCode: null,
    signal: null,
    ended: jobs.flatMap((job) => job.ended_processes),
    warnings,
  };
}
