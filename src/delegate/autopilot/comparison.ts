import { readRegularFile } from '../../regular-file.ts';
import type { ValueOf } from '../../tool.ts';
import type { Answer } from '../run/answer.ts';
import { unmetClaims } from '../workspace/evidence.ts';
import type { AutopilotOutput, JobResult } from './autopilot-output.ts';
import type { AutopilotRequest, ComparisonRequest } from './autopilot-request.ts';
import type { comparisonSchema } from './autopilot-schema.ts';
import type { JobSpec } from './plan.ts';

type Shown = ValueOf<typeof comparisonSchema>;
type Candidate = Shown['candidates'][number];
/** The work of one candidate in figures. Where its changes are now is found out when the comparison is loaded. */
export type Standing = Required<Omit<Candidate, 'model' | 'delivery'>> & Candidate;
export interface Comparison extends Shown {
  readonly candidates: readonly Standing[];
}

/** One job for each candidate, with the same task. */
export function candidateJobs(
  { task, role, sandbox, input }: AutopilotRequest,
  { candidates, checks }: ComparisonRequest,
  defaultAgent: string,
): readonly JobSpec[] {
  const ids = new Set<string>();
  return candidates.map(({ agent = defaultAgent, ...choice }) => {
    const name = [agent, choice.model]
      .filter(Boolean)
      .join('-')
      .replaceAll(/[^\w-]+/g, '-');
    let id = name;
    for (let count = 2; ids.has(id); count += 1) id = `${name}-${count}`;
    ids.add(id);
    return {
      id,
      title: [agent, choice.model, choice.reasoning_effort].filter(Boolean).join(' '),
      thinking_level: 'medium',
      role,
      task,
      sandbox,
      agent,
      ...choice,
      depends_on: [],
      acceptance: checks,
      skills_mode: input.skills_mode,
      ...(input.skills && { skills: input.skills }),
      max_skills: input.max_skills,
    };
  });
}

export async function measure(jobs: readonly JobSpec[], results: readonly JobResult[]): Promise<Standing[]> {
  return Promise.all(
    results.map(async (result) => {
      const { agent = '', model, acceptance } = jobs.find(({ id }) => id === result.id)!;
      const { evidence, usage, patch } = result;
      const text = patch === undefined ? '' : await readRegularFile(patch.path).catch(() => '');
      return {
        run_id: result.run_id,
        id: result.id,
        agent,
        ...(model !== undefined && { model }),
        status: result.status,
        checks_passed: evidence?.checks?.filter(({ status }) => status === 'passed').length ?? 0,
        checks: acceptance.length,
        unmet_claims: evidence === null ? 0 : unmetClaims(evidence, true).length,
        changed_files: evidence?.files.filter(({ change }) => change !== undefined).length ?? 0,
        changed_lines: text.match(/^[+-](?![+-]{2} )/gm)?.length ?? 0,
        tokens: usage === null ? null : usage.input_tokens + usage.output_tokens,
        cost_usd: result.cost_usd ?? null,
        duration_ms: result.timing.duration_ms,
      };
    }),
  );
}

/** A measure by which one candidate is better than another. The lower value wins; `undefined` if it is unknown. */
type Criterion = readonly [value: (one: Standing) => number | undefined, describe: (one: Standing) => string];

const criteria: readonly Criterion[] = [
  [
    ({ status }) => (status === 'completed' ? 0 : status === 'completed_with_problems' ? 1 : 2),
    ({ status }) => `is ${status.replaceAll('_', ' ')}`,
  ],
  [
    ({ checks_passed }) => -checks_passed,
    ({ checks, checks_passed }) => `passed ${checks_passed} of ${checks} checks`,
  ],
  [({ unmet_claims }) => unmet_claims, ({ unmet_claims }) => `has ${unmet_claims} unmet claims`],
  // A candidate that changed nothing has not necessarily done less, but a change can be reviewed.
  [
    ({ changed_lines }) => (changed_lines === 0 ? 1 : 0),
    ({ changed_lines }) => (changed_lines === 0 ? 'changed nothing' : 'changed files'),
  ],
  [({ changed_lines }) => changed_lines, ({ changed_lines }) => `changed ${changed_lines} lines`],
  [({ cost_usd }) => cost_usd ?? undefined, ({ cost_usd }) => `cost $${cost_usd?.toFixed(4)}`],
  [({ duration_ms }) => duration_ms, ({ duration_ms }) => `took ${(duration_ms / 1000).toFixed(1)} s`],
];

/** The first criterion in which the two differ. */
function difference(one: Standing, other: Standing) {
  for (const [value, describe] of criteria) {
    const [mine, theirs] = [value(one), value(other)];
    if (mine !== undefined && theirs !== undefined && mine !== theirs)
      return { order: mine - theirs, describe };
  }
  return undefined;
}

/** The best candidate first. Equal ones stay in the order of the call. */
export function rank(standings: readonly Standing[]): readonly Standing[] {
  return standings.toSorted((one, other) => difference(one, other)?.order ?? 0);
}

export function hasCompleted({ status }: Pick<Standing, 'status'>): boolean {
  return status.startsWith('completed');
}

/** Why the first candidate is better than each other one. */
export function reasonsFor(winner: Standing, others: readonly Standing[]): readonly string[] {
  return others.map((other) => {
    const found = difference(winner, other);
    return found === undefined
      ? `${winner.id} and ${other.id} are equal in every measure.`
      : `${winner.id} ${found.describe(winner)}; ${other.id} ${found.describe(other)}.`;
  });
}

/** The status and the answer of the whole comparison. */
export function comparisonOutcome(
  { winner, reasons, is_delivered, candidates }: Comparison,
  results: readonly JobResult[],
): Pick<AutopilotOutput, 'status' | 'error'> & { readonly aggregate: Answer } {
  const lines = candidates.map(
    (one) =>
      `${one.id} (${one.status}): ${one.checks_passed} of ${one.checks} checks passed, ${one.unmet_claims} unmet claims, ${one.changed_lines} lines in ${one.changed_files} files, ${one.tokens ?? 'unknown'} tokens, ${one.cost_usd === null ? 'unknown cost' : `$${one.cost_usd.toFixed(4)}`}, ${(one.duration_ms / 1000).toFixed(1)} s`,
  );
  const best = results.find(({ run_id }) => run_id === winner);
  const conflicts = best?.patch?.conflicts ?? [];
  const errors = results.filter(({ error }) => error !== null).map(({ id, error }) => `${id}: ${error}`);
  const suggestion =
    best === undefined ? 'No candidate has completed.' : `Suggested: ${best.id}. ${reasons.join(' ')}`;
  const apply = (run: string) => `Run "adjutant runs apply ${run}" to apply its changes`;
  return {
    status: best === undefined ? 'failed' : conflicts.length > 0 ? 'completed_with_problems' : 'completed',
    error:
      best === undefined
        ? errors.join('; ') || 'no candidate has completed'
        : conflicts.length > 0
          ? best.error
          : null,
    aggregate: {
      summary: [suggestion, ...lines, ...(best === undefined ? [] : [best.summary.trim()])].join('\n'),
      deliverables: best?.deliverables ?? [],
      open_questions: best?.open_questions ?? [],
      next_actions: [
        ...(best?.patch !== undefined && !is_delivered ? [apply(best.run_id)] : []),
        ...(best?.next_actions ?? []),
      ],
    },
  };
}
