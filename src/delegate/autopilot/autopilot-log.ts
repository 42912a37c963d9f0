import { log } from '../../log.ts';
import type { Usage } from '../agents/agent.ts';
import type { RunDirectory } from '../files/run-directory.ts';
import { aggregate, overall, totalUsage } from './aggregate.ts';
import type { AutopilotOutput, JobResult, PlanSource } from './autopilot-output.ts';
import type { Decision } from './decision.ts';
import type { JobSpec } from './job-spec.ts';

/** What is known of an autopilot at any moment. Each step is on disk before the next begins, so that a crash loses none. */
export class AutopilotLog {
  decision: Decision;
  jobs: readonly JobSpec[] = [];
  source: PlanSource = 'none';
  readonly warnings: string[];
  readonly plannerUsage: (Usage | null)[] = [];
  readonly #directory: RunDirectory;
  readonly #cwd: string;
  readonly #results = new Map<string, JobResult>();
  #startedAt = new Date();
  #writing: Promise<void> = Promise.resolve();
  #told = 0;

  constructor(directory: RunDirectory, cwd: string, decision: Decision, warnings: readonly string[]) {
    this.#directory = directory;
    this.#cwd = cwd;
    this.decision = decision;
    this.warnings = [...warnings];
  }

  /** Goes on where another server had to stop. */
  resume(
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

  async note(...results: readonly JobResult[]): Promise<void> {
    for (const result of results) this.#results.set(result.id, result);
    await this.#write('autopilot_aggregate.json', () => this.#aggregateFile('running', null));
  }

  /** One line for those who watch, in the form the agents' own events have. */
  async tell(text: string): Promise<void> {
    const item = { id: `event_${++this.#told}`, type: 'agent_message', text };
    await this.#queue('events.jsonl', (name) =>
      this.#directory.appendJson(name, { type: 'item.completed', item }),
    );
  }

  /** The end, also where it came early. `refusal` says why nothing was begun. */
  async finish(isCancelled: boolean, refusal?: string): Promise<AutopilotOutput> {
    const sum = this.#sum();
    const finishedAt = new Date();
    const output: AutopilotOutput = {
      run_id: this.#directory.id,
      run_dir: this.#directory.path,
      decision: this.decision,
      plan: { jobs: this.jobs, source: this.source },
      jobs: this.results,
      aggregate: refusal === undefined ? sum.aggregate : { ...sum.aggregate, ...unbegun },
      artifacts: [],
      timing: {
        started_at: this.#startedAt.toISOString(),
        finished_at: finishedAt.toISOString(),
        duration_ms: finishedAt.getTime() - this.#startedAt.getTime(),
      },
      ...(refusal === undefined ? overall(this.results, isCancelled) : { status: 'failed', error: refusal }),
      usage: sum.usage,
      warnings: this.warnings,
    };
    await this.#write('autopilot_aggregate.json', () => ({
      ...this.#aggregateFile(output.status, output.error),
      ...output.aggregate,
    }));
    await this.#write('result.json', () => resultFile(output));
    return { ...output, artifacts: await this.#directory.artifacts().catch(() => []) };
  }

  #sum(): Pick<AutopilotOutput, 'aggregate' | 'usage'> {
    const { results, plannerUsage } = this;
    return {
      aggregate: aggregate(results, this.#cwd),
      usage: totalUsage([...plannerUsage, ...results.map(({ usage }) => usage)]),
    };
  }

  #aggregateFile(status: AutopilotOutput['status'], error: string | null): object {
    const { aggregate, usage } = this.#sum();
    return { ...aggregate, status, error, usage, jobs: this.results };
  }

  #write(name: string, content: () => object): Promise<void> {
    return this.#queue(name, () => this.#directory.writeJson(name, content()));
  }

  /** One after the other, each as things stand when its turn comes. What cannot be written must not end the work. */
  #queue(name: string, write: (name: string) => Promise<void>): Promise<void> {
    this.#writing = this.#writing
      .then(() => write(name))
      .catch((error: unknown) => log('warning', `${this.#directory.file(name)} cannot be written`, error));
    return this.#writing;
  }
}

const unbegun = {
  summary: 'Failed to select skills; codex exec was not started.',
  next_actions: ['Fix skill selection errors (skills_mode/skills names) and retry'],
};

/** In the shape of any run's result, so that whoever lists runs need not know what kind it was. */
export function resultFile(output: AutopilotOutput): object {
  return {
    status: output.status,
    ...output.timing,
    cancelled: output.status === 'cancelled',
    exit_code: null,
    signal: null,
    thread_id: null,
    error: output.error,
    ...output.aggregate,
    usage: output.usage,
    ended_processes: output.jobs.flatMap((job) => job.ended_processes),
    warnings: output.warnings,
  };
}
