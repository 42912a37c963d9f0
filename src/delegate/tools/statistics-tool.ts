import { type Context, isOwner } from '../../context.ts';
import { defineTool, hints } from '../../tool.ts';
import { type Grouping, groupings, type Spending } from '../run/spending.ts';
import type { DelegationRuntime } from './delegation-runtime.ts';
import type { OpenRuns } from './run-change-tools.ts';
import type { RunOverview } from './run-overview.ts';
import type { Runs } from './runs.ts';

const count = { type: 'integer' } as const;

const counted = ['runs', 'completed', 'failed', 'cancelled', 'running'] as const;

const group = {
  type: 'object',
  required: ['key', ...counted, 'tokens', 'cost_usd', 'duration_ms'],
  properties: {
    key: { type: 'string' },
    runs: count,
    completed: count,
    failed: count,
    cancelled: count,
    running: count,
    tokens: {
      type: 'object',
      required: ['input', 'cached_input', 'output'],
      properties: { input: count, cached_input: count, output: count },
    },
    cost_usd: {
      anyOf: [{ type: 'number' }, { type: 'null' }],
      description: 'null: no agent reported it and no price is set',
    },
    duration_ms: count,
  },
} as const;
const groups = { type: 'array', items: group } as const;

/** The tool that counts runs, tokens, costs and time. */
export function statisticsTools(runs: OpenRuns, runtime: () => Promise<DelegationRuntime>) {
  return [
    defineTool({
      name: 'run_statistics',
      toolsets: ['runs'],
      scope: 'delegate:read-only',
      title: 'Run Statistics',
      description: 'Counts runs, their success, tokens, cost and time, by agent, model, folder and day.',
      searchHint: 'usage cost tokens budget spending',
      phrases:
        'statistics count how many runs jobs tokens money cost spend spent price bill expensive usage per agent model folder day week month success rate failure share time duration budget left total chart report dollars helpers',
      inputSchema: {
        type: 'object',
        properties: {
          days: {
            type: 'integer',
            minimum: 1,
            maximum: 3660,
            default: 30,
            description: 'Up to and including today',
          },
        },
      },
      outputSchema: {
        type: 'object',
        required: ['since', 'agent', 'model', 'folder', 'day'],
        properties: { since: { type: 'string' }, agent: groups, model: groups, folder: groups, day: groups },
      },
      annotations: hints.reads,
      async call({ days = 30 }, context: Context) {
        const { delegation } = await runtime();
        const { spending } = await delegation.runner.queue;
        const since = new Date();
        since.setHours(0, 0, 0, 0);
        since.setDate(since.getDate() - days + 1);
        const period = { since, ...(!isOwner(context.actor) && { actor: context.actor }) };
        const others = await uncounted(await runs(context), spending, since);
        const of = (by: Grouping) => withRuns(spending.groups(by, period).map(toGroup), others, by);
        const structured = {
          since: since.toISOString(),
          agent: of('agent'),
          model: of('model'),
          folder: of('folder'),
          day: of('day'),
        };
        const sections = groupings.flatMap((by) => [`${by}:`, ...structured[by].map(groupLine), '']);
        const text =
          structured.day.length === 0 ? `No runs since ${since.toLocaleDateString()}.` : sections.join('\n');
        return { structured, content: [{ type: 'text', text: text.trim() }] };
      },
    }),
  ] as const;
}

type Group = ReturnType<typeof toGroup>;

/**
 * Runs of the list that no agent was counted for: those of other machines, sample runs, and runs that could not start. Without
 * them, the statistics would not match the list.
 */
async function uncounted(all: Runs, spending: Spending, since: Date): Promise<readonly RunOverview[]> {
  // An autopilot is counted by its jobs.
  const counted = new Set(spending.runIds(since).map((id) => id.split('/')[0]));
  const listed = await all.list(Number.POSITIVE_INFINITY, undefined, { since });
  return listed.filter(({ run_id }) => !counted.has(run_id));
}

const keys: Readonly<Record<Grouping, (run: RunOverview) => string>> = {
  agent: ({ agent }) => agent ?? 'unknown',
  model: () => 'unknown',
  folder: ({ cwd }) => cwd,
  // The local day, as the database counts it.
  day: ({ started_at }) => new Intl.DateTimeFormat('sv').format(Date.parse(started_at)),
};

/** Adds runs to the groups that they belong to. */
function withRuns(groups: readonly Group[], runs: readonly RunOverview[], by: Grouping): readonly Group[] {
  const all = new Map(groups.map((group) => [group.key, group]));
  for (const run of runs) {
    const key = keys[by](run);
    const before = all.get(key) ?? toGroup({ key, cost_usd: null });
    const { tokens } = before;
    const { status, usage, duration_ms } = run;
    const one = (isCounted: boolean) => (isCounted ? 1 : 0);
    all.set(key, {
      ...before,
      runs: before.runs + 1,
      completed: before.completed + one(status.startsWith('completed')),
      failed: before.failed + one(status === 'failed'),
      cancelled: before.cancelled + one(status === 'cancelled'),
      running: before.running + one(status === 'running'),
      tokens: {
        input: tokens.input + (usage?.input_tokens ?? 0),
        cached_input: tokens.cached_input + (usage?.cached_input_tokens ?? 0),
        output: tokens.output + (usage?.output_tokens ?? 0),
      },
      duration_ms: before.duration_ms + Math.round(duration_ms),
    });
  }
  const order = (a: Group, b: Group) =>
    by === 'day' || a.runs === b.runs ? (a.key < b.key ? -1 : 1) : b.runs - a.runs;
  return [...all.values()].sort(order);
}

function toGroup(row: Readonly<Record<string, unknown>>) {
  const number = (name: string) => Number(row[name] ?? 0);
  return {
    key: String(row['key']),
    runs: number('runs'),
    completed: number('completed'),
    failed: number('failed'),
    cancelled: number('cancelled'),
    running: number('running'),
    tokens: {
      input: number('input_tokens'),
      cached_input: number('cached_input_tokens'),
      output: number('output_tokens'),
    },
    cost_usd: row['cost_usd'] === null ? null : number('cost_usd'),
    duration_ms: number('duration_ms'),
  };
}

function groupLine({ key, runs, completed, tokens, cost_usd, duration_ms }: Group): string {
  const cost = cost_usd === null ? '' : `, $${cost_usd.toFixed(2)}`;
  const minutes = (duration_ms / 60_000).toFixed(1);
  return `- ${key}: ${runs} run${runs === 1 ? '' : 's'}, ${completed} completed, ${tokens.input + tokens.output} tokens${cost}, ${minutes} min`;
}
