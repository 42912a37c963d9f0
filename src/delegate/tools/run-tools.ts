import { defineTool } from '../../tool.ts';
import { autopilotReport } from '../autopilot/autopilot-report.ts';
import { shownRunSchema } from '../autopilot/autopilot-schema.ts';
import { runListSchema } from '../delegation/run-schema.ts';
import { runReport } from '../record/run-report.ts';
import type { Runs } from '../sharing/runs.ts';

const runId = {
  type: 'string',
  minLength: 1,
  description: 'The run_id of a run, as returned by list_runs.',
} as const;
const readOnly = { readOnlyHint: true, openWorldHint: false } as const;

/** The tools that list, show, cancel and remove runs, including runs of other servers. */
export function runTools(runs: () => Promise<Runs>, collectMs: number) {
  const report = async (id: string, work: (all: Runs) => Promise<unknown>) => {
    const all = await runs();
    await work(all);
    const { overview, record, autopilot } = await all.account(id);
    const text = autopilot === undefined ? runReport(overview.tool, record) : autopilotReport(autopilot);
    const { host } = overview;
    return {
      structured: { ...record, ...(autopilot && { autopilot }), ...(host !== undefined && { host }) },
      content: [{ type: 'text' as const, text }],
    };
  };
  return [
    defineTool({
      name: 'list_runs',
      title: 'List Runs',
      description:
        'List the newest runs of sub-agents with their state: waiting, running, completed, failed or cancelled.',
      inputSchema: {
        type: 'object',
        properties: {
          limit: {
            type: 'integer',
            minimum: 1,
            maximum: 500,
            default: 20,
            description: 'Most runs to list.',
          },
          before: {
            type: 'string',
            description: 'List only runs older than this run_id. Use `next` of the previous page.',
          },
        },
      },
      outputSchema: runListSchema,
      annotations: readOnly,
      async call({ limit = 20, before }) {
        // Read one run more than requested to find out whether there is another page.
        const listed = await (await runs()).list(limit + 1, before);
        const found = listed.slice(0, limit);
        const next = listed.length > limit ? found.at(-1)!.run_id : undefined;
        const text = found.map(
          ({ run_id, status, duration_ms, task, summary, host }) =>
            `${run_id}  ${status}  ${duration_ms}ms${host === undefined ? '' : `  on ${host}`}  ${task || summary}`,
        );
        return {
          structured: { runs: found, ...(next !== undefined && { next }) },
          content: [{ type: 'text', text: text.length === 0 ? noRuns(before) : text.join('\n') }],
        };
      },
    }),
    defineTool({
      name: 'show_run',
      title: 'Show Run',
      description: 'Show one run as its tool would answer it, finished or not.',
      inputSchema: { type: 'object', required: ['run_id'], properties: { run_id: runId } },
      outputSchema: shownRunSchema,
      annotations: readOnly,
      call: ({ run_id }) => report(run_id, async () => {}),
    }),
    defineTool({
      name: 'tail_run',
      title: 'Tail Run',
      description: 'Read the last events of a run, or those after a line: commands, messages, file changes.',
      inputSchema: {
        type: 'object',
        required: ['run_id'],
        properties: {
          run_id: runId,
          after: {
            type: 'integer',
            minimum: 0,
            description: 'Read only lines after this one. Use `next` of the previous call.',
          },
          limit: {
            type: 'integer',
            minimum: 1,
            maximum: 1000,
            default: 50,
            description: 'Most lines to read.',
          },
        },
      },
      outputSchema: {
        type: 'object',
        required: ['run_id', 'status', 'events', 'next'],
        properties: {
          run_id: { type: 'string' },
          status: { type: 'string' },
          events: {
            type: 'array',
            items: {
              type: 'object',
              required: ['line', 'text'],
              properties: { line: { type: 'integer' }, text: { type: 'string' } },
            },
          },
          next: { type: 'integer', description: 'What to give as `after` to read on from here.' },
        },
      },
      annotations: readOnly,
      async call({ run_id, after, limit = 50 }) {
        const all = await runs();
        const { status } = await all.show(run_id);
        const lines = await all.tail(run_id, after ?? -1, limit);
        const events = lines.filter(({ text }) => text !== '');
        return {
          structured: { run_id, status, events, next: lines.at(-1)?.line ?? after ?? 0 },
          content: [{ type: 'text', text: events.map(({ text }) => text).join('\n') || 'No events yet.' }],
        };
      },
    }),
    defineTool({
      name: 'collect_run',
      title: 'Collect Run',
      description: 'Wait for a run that was still going on when its call answered, and get its result.',
      inputSchema: {
        type: 'object',
        required: ['run_id'],
        properties: {
          run_id: runId,
          wait_seconds: { type: 'number', minimum: 0, description: 'How long to wait at most.' },
        },
      },
      outputSchema: shownRunSchema,
      annotations: readOnly,
      call: ({ run_id, wait_seconds }, { signal }) =>
        report(run_id, (all) =>
          all.collect(run_id, wait_seconds === undefined ? collectMs : wait_seconds * 1000, signal),
        ),
    }),
    defineTool({
      name: 'cancel_run',
      title: 'Cancel Run',
      description: 'End a run with every process it has started, and get what is known of it.',
      inputSchema: {
        type: 'object',
        required: ['run_id'],
        properties: { run_id: runId, reason: { type: 'string', description: 'Why; kept with the result.' } },
      },
      outputSchema: shownRunSchema,
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
      call: ({ run_id, reason }, { signal }) =>
        report(run_id, (all) => all.cancel(run_id, reason ?? 'cancel_run was called', signal)),
    }),
    defineTool({
      name: 'clean_runs',
      title: 'Clean Runs',
      description: 'Remove the directories of finished runs that are older than some days.',
      inputSchema: {
        type: 'object',
        properties: {
          older_than_days: {
            type: 'number',
            minimum: 0,
            default: 30,
            description: 'The least age to remove.',
          },
          keep: {
            type: 'integer',
            minimum: 0,
            default: 0,
            description: 'How many of the newest to keep in any case.',
          },
        },
      },
      outputSchema: {
        type: 'object',
        required: ['removed'],
        properties: { removed: { type: 'array', items: { type: 'string' } } },
      },
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
      async call({ older_than_days = 30, keep = 0 }) {
        const removed = await (await runs()).clean(older_than_days * 86_400_000, keep);
        return {
          structured: { removed },
          content: [
            {
              type: 'text',
              text: removed.length === 0 ? 'Nothing to remove.' : `Removed:\n${removed.join('\n')}`,
            },
          ],
        };
      },
    }),
  ];
}

function noRuns(before: string | undefined): string {
  return before === undefined ? 'There are no runs yet.' : `There are no runs before ${before}.`;
}
