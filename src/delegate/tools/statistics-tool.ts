import { type Context, isOwner } from '../../context.ts';
import { defineTool, hints } from '../../tool.ts';
import { type Grouping, groupings } from '../run/spending.ts';
import type { DelegationRuntime } from './delegation-runtime.ts';

const count = { type: 'integer' } as const;

const group = {
  type: 'object',
  required: [
    'key',
    'runs',
    'completed',
    'failed',
    'cancelled',
    'running',
    'tokens',
    'cost_usd',
    'duration_ms',
  ],
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
export function statisticsTools(runtime: () => Promise<DelegationRuntime>) {
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
      wishes: [
        'how much money have I burned on the helpers this month',
        'what do the agents cost me',
        'how many tokens did I use',
        'how many jobs went well and how many failed',
        'what was spent this week in total',
      ],
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
        const of = (by: Grouping) => spending.groups(by, period).map(toGroup);
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
