import { dirname } from 'node:path';
import type { Agent } from '../agents/agent.ts';
import { exceededBudget, narrowBudget, priceOf } from './budget.ts';
import type { DelegateOptions } from './delegate-options.ts';
import type { Stop } from './outcome.ts';
import type { RunProgress } from './run-progress.ts';
import type { RunRequest } from './run-request.ts';
import { readCall } from './run-state.ts';
import type { CountedRun, Spending } from './spending.ts';

type MeterOptions = Pick<DelegateOptions, 'budgets' | 'prices'>;

const updateIntervalMs = 1_000;

/** Counts what a run uses while it is in progress, and says when a budget is used up. */
export class RunMeter {
  readonly #spending: Spending;
  readonly #run: CountedRun;
  readonly #options: MeterOptions;
  readonly #autopilot: string | undefined;
  #lastUsage: RunProgress['usage'];
  #updatedAt = 0;

  private constructor(spending: Spending, run: CountedRun, options: MeterOptions) {
    this.#spending = spending;
    this.#run = run;
    this.#options = options;
    this.#autopilot = autopilotOf(run.tool, run.directory);
  }

  /** Starts to count a run. */
  static async start(
    spending: Spending,
    { directory, tool, model, cwd, budget }: RunRequest,
    agent: Agent,
    { budgets, prices }: MeterOptions,
  ): Promise<RunMeter> {
    const limit = narrowBudget(budgets.run, budget);
    const options = { prices, budgets: { ...budgets, ...(limit && { run: limit }) } };
    const isPart = tool === 'delegate_autopilot';
    const call = await readCall(isPart ? dirname(dirname(directory.path)) : directory.path);
    const run: CountedRun = {
      directory: directory.path,
      runId: directory.id,
      tool,
      agent: agent.name,
      model,
      cwd,
      actor: call?.actorId ?? call?.actor,
      startedAt: new Date(),
    };
    spending.start(run);
    return new RunMeter(spending, run, options);
  }

  /** Records what the run has used so far. Returns the reason to stop it, or not to start it, if a budget is used up. */
  measure({ usage, costUsd }: Pick<RunProgress, 'usage' | 'costUsd'>, isStart = false): Stop | undefined {
    const now = Date.now();
    if (usage === this.#lastUsage && now - this.#updatedAt < updateIntervalMs) return undefined;
    this.#lastUsage = usage;
    this.#updatedAt = now;
    const { directory, model, agent, startedAt } = this.#run;
    const milliseconds = now - startedAt.getTime();
    const usd = costUsd ?? priceOf(usage, model, agent, this.#options.prices);
    this.#spending.update(directory, usage, usd, milliseconds);
    const tokens = (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0);
    const own = { tokens, usd: usd ?? 0, milliseconds };
    return exceededBudget(own, this.#spending, this.#options.budgets, {
      autopilot: this.#autopilot,
      now: new Date(now),
      isStart,
    });
  }
}

/** The directory of the autopilot that a run is part of. The runs of an autopilot are in folders of its own folder. */
export function autopilotOf(tool: unknown, directory: string): string | undefined {
  return tool === 'delegate_autopilot' ? dirname(dirname(directory)) : undefined;
}
