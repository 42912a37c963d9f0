import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { present } from '../../json.ts';
import { fullArgument, lastPageOf, pageOf } from '../../paging.ts';
import { defineTool, hints } from '../../tool.ts';
import { endedRunSchema, shownRunSchema } from '../autopilot/autopilot-schema.ts';
import { eventsText, overviewLine } from '../run/run-report.ts';
import { listedStatuses, runListSchema, tokenCounts } from '../run/run-schema.ts';
import type { DelegationRuntime } from './delegation-runtime.ts';
import { type OpenRuns, runChangeTools, runId } from './run-change-tools.ts';
import { runControlTools } from './run-control-tools.ts';
import type { RunFilter } from './run-overview.ts';
import { runResult, shownRun } from './run-result.ts';
import type { Runs } from './runs.ts';

/** The tools for runs, including runs of other servers. */
export function runTools(runs: OpenRuns, runtime: () => Promise<DelegationRuntime>, collectMs: number) {
  return [
    listRuns(runs),
    showRun(runs),
    tailRun(runs),
    collectRun(runs, collectMs),
    cancelRun(runs),
    ...runControlTools(runs, runtime),
    ...runChangeTools(runs),
    cleanRuns(runs, runtime),
  ];
}

async function load(all: Runs, id: string) {
  const { overview, record, autopilot } = await all.account(id);
  return { tool: overview.tool, run: { ...record, ...present({ autopilot, host: overview.host }) } };
}

/** Does something with a run and returns its state afterwards. */
async function report(runs: OpenRuns, id: string, context: Context, work: (all: Runs) => Promise<unknown>) {
  const all = await runs(context);
  await work(all);
  const { tool, run } = await load(all, id);
  return runResult(tool, run);
}

function listRuns(runs: OpenRuns) {
  return defineTool({
    name: 'list_runs',
    toolsets: ['runs'],
    scope: 'delegate:read-only',
    core: true,
    inViews: true,
    title: 'List Runs',
    description:
      'Lists runs of sub-agents, newest first, also of other sessions, with status, task and summary.',
    searchHint: 'subagent history delegate',
    phrases:
      'list sub-agents agents running now active recent delegated jobs runs helpers busy working still going past earlier handed out this week workers tasks in progress who is doing what overview all started finished failed queue ongoing underway outsourced history person background outsourced lately for me',
    inputSchema: {
      type: 'object',
      properties: {
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: 500,
          description: 'Default: 20, or fewer long ones',
        },
        before: {
          type: 'string',
          description: '`next` of the last page',
        },
        status: { enum: listedStatuses, description: 'Status' },
        folder: { type: 'string', minLength: 1, description: 'Absolute; includes those below' },
        agent: { type: 'string', minLength: 1, description: 'E.g. codex' },
        text: { type: 'string', minLength: 1, description: 'In task, summary or error' },
        since: { type: 'string', maxLength: 100, description: 'Date or time' },
        until: { type: 'string', maxLength: 100, description: 'Date or time' },
      },
    },
    outputSchema: runListSchema,
    annotations: hints.reads,
    async call({ limit, before, ...wanted }, context) {
      // Read one run more than requested to find out whether there is another page.
      const most = limit ?? 20;
      const all = await (await runs(context)).list(most + 1, before, await toFilter(wanted));
      const listed = all.map(({ actor_id: _, ...run }) => run);
      const newest = listed.slice(0, most);
      const found = limit === undefined ? pageOf(newest, (run) => run, {}).items : newest;
      const next = listed.length > found.length ? found.at(-1)!.run_id : undefined;
      const text = [
        ...found.map(overviewLine),
        ...(next === undefined ? [] : [`There are older runs: before=${next}`]),
      ];
      return {
        structured: { runs: found, ...(next !== undefined && { next }) },
        content: [{ type: 'text', text: text.length === 0 ? noRuns(before, wanted) : text.join('\n') }],
      };
    },
  });
}

function showRun(runs: OpenRuns) {
  return defineTool({
    name: 'show_run',
    toolsets: ['delegate', 'runs'],
    scope: 'delegate:read-only',
    inViews: true,
    view: 'run',
    title: 'Show Run',
    description: 'Shows the state or result of a run, with the plan and jobs of an autopilot.',
    searchHint: 'result status subagent',
    phrases:
      'show result outcome summary state details of a run delegated finished job helper agent came out end ended succeed success fail failed conclusion touched changed files did find report deliverable what happened went learn status produced one look at plan parts',
    inputSchema: {
      type: 'object',
      required: ['run_id'],
      properties: {
        run_id: runId,
        ...fullArgument,
      },
    },
    outputSchema: shownRunSchema,
    annotations: hints.reads,
    async call({ run_id, full }, context) {
      const { tool, run } = await load(await runs(context), run_id);
      return shownRun(tool, run, full);
    },
  });
}

function tailRun(runs: OpenRuns) {
  return defineTool({
    name: 'tail_run',
    toolsets: ['runs'],
    scope: 'delegate:read-only',
    inViews: true,
    title: 'Tail Run',
    description: 'Reads the last events of a run, or those after a line: commands, messages, file changes.',
    searchHint: 'log output progress events',
    phrases:
      'follow watch live progress output events latest newest commands steps doing currently moment sub-agent run log helper agent job peek shoulder up to see working far spy monitor observe activity recent lines stream what is it how is it getting on',
    inputSchema: {
      type: 'object',
      required: ['run_id'],
      properties: {
        run_id: runId,
        after: {
          type: 'integer',
          minimum: 0,
          description: '`next` of the last call',
        },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: 1000,
          description: 'Default: 50, or fewer long ones',
        },
        deltas: { type: 'boolean', description: 'Also pieces of texts in progress' },
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
            properties: {
              line: { type: 'integer' },
              text: { type: 'string' },
              time: { type: 'string' },
              kind: { type: 'string' },
              item: { type: 'string' },
              output: { type: 'string' },
              exit_code: { type: 'integer' },
              tokens: tokenCounts,
            },
          },
        },
        next: { type: 'integer', description: 'Pass as `after` to read on' },
      },
    },
    annotations: hints.reads,
    async call({ run_id, after, limit, deltas }, context) {
      const all = await runs(context);
      const { status } = await all.show(run_id);
      const read = await all.tail(run_id, after ?? -1, limit ?? 50, deltas);
      const lines = limit === undefined ? fitting(read, after) : read;
      const next = lines.at(-1)?.line ?? after ?? 0;
      const events = lines.filter(({ text, tokens }) => text !== '' || tokens !== undefined);
      return {
        structured: { run_id, status, events, next },
        content: [{ type: 'text', text: `${eventsText(events)}\n(${status}, next: ${next})` }],
      };
    },
  });
}

function collectRun(runs: OpenRuns, collectMs: number) {
  return defineTool({
    name: 'collect_run',
    toolsets: ['delegate', 'runs'],
    scope: 'delegate:read-only',
    core: true,
    view: 'run',
    title: 'Collect Run',
    description: 'Waits for a run in progress and returns its result, or its state if it still runs.',
    searchHint: 'wait result subagent',
    phrases:
      'wait finish get answer result of a run sub-agent helper agent job done ready yet hold on until complete completes pick up fetch receive finished work collect come back return output block stay deliver hand in over await',
    inputSchema: {
      type: 'object',
      required: ['run_id'],
      properties: {
        run_id: runId,
        wait_seconds: { type: 'number', minimum: 0, description: 'Default: under a minute' },
      },
    },
    outputSchema: endedRunSchema,
    annotations: hints.reads,
    async call({ run_id, wait_seconds }, context) {
      const result = await report(runs, run_id, context, (all) =>
        all.collect(run_id, wait_seconds === undefined ? collectMs : wait_seconds * 1000, context.signal),
      );
      return { ...result, failed: result.structured.status === 'failed' };
    },
  });
}

function cancelRun(runs: OpenRuns) {
  return defineTool({
    name: 'cancel_run',
    toolsets: ['delegate', 'runs'],
    scope: 'delegate:read-only',
    inViews: true,
    title: 'Cancel Run',
    description:
      'Cancels a run, ends its processes and returns its state. Its changes are kept for apply_run.',
    searchHint: 'stop kill abort subagent',
    phrases:
      'stop cancel kill abort end interrupt terminate halt running sub-agent agent helper worker job task processes delegated quit takes too long wild hanging stuck enough shut down pull the plug break off give up wrong call off freeze runaway forget it loop',
    inputSchema: {
      type: 'object',
      required: ['run_id'],
      properties: { run_id: runId, reason: { type: 'string', description: 'Kept with the result' } },
    },
    outputSchema: endedRunSchema,
    annotations: hints.sets,
    changes: 'less space',
    call: ({ run_id, reason }, context) =>
      report(runs, run_id, context, (all) =>
        all.cancel(run_id, reason ?? 'cancel_run was called', context.signal),
      ),
  });
}

function cleanRuns(runs: OpenRuns, runtime: () => Promise<DelegationRuntime>) {
  return defineTool({
    name: 'clean_runs',
    toolsets: ['runs'],
    scope: 'admin',
    title: 'Clean Runs',
    description:
      'Deletes the files of old finished runs. Their work stays, and so do runs whose changes wait to be applied.',
    searchHint: 'delete remove old',
    phrases:
      'clean up tidy clear out sweep delete remove purge old finished runs jobs folders free disk space storage room records logs stale past last year months leftover clutter junk housekeeping trim prune agent helper traces full history wipe',
    inputSchema: {
      type: 'object',
      properties: {
        older_than_days: {
          type: 'number',
          minimum: 0,
          description: 'Default: by the settings, also by size',
        },
        keep: {
          type: 'integer',
          minimum: 0,
          default: 0,
          description: 'Newest runs to keep',
        },
        dry_run: { type: 'boolean', default: false, description: 'Delete nothing' },
      },
    },
    outputSchema: {
      type: 'object',
      required: ['removed', 'waiting', 'freed_bytes'],
      properties: {
        removed: { type: 'array', items: { type: 'string' } },
        waiting: { type: 'array', items: { type: 'string' }, description: 'Kept: changes to apply' },
        freed_bytes: { type: 'integer' },
      },
    },
    annotations: hints.replaces,
    changes: 'less space',
    async call({ older_than_days, keep = 0, dry_run = false }, context) {
      const { options } = (await runtime()).delegation;
      const rules =
        older_than_days === undefined ? options.retention : { ageMs: older_than_days * 86_400_000 };
      const plan = await (await runs(context)).clean(dry_run, { ...rules, keep });
      const { removed, waiting, removedBytes } = plan;
      const lines = [
        ...(removed.length === 0
          ? ['Nothing to remove.']
          : [dry_run ? 'Would remove:' : 'Removed:', ...removed]),
        ...(waiting.length === 0 ? [] : ['Kept, because changes wait to be applied:', ...waiting]),
      ];
      return {
        structured: { removed, waiting, freed_bytes: removedBytes },
        content: [{ type: 'text', text: lines.join('\n') }],
      };
    },
  });
}

/** The first lines that fit on a page if the caller reads on from a line, otherwise the last ones. */
function fitting<Line>(lines: readonly Line[], after: number | undefined): readonly Line[] {
  return after === undefined ? lastPageOf(lines) : pageOf(lines, (line) => line, {}).items;
}

type Wanted = Omit<RunFilter, 'since' | 'until'> & { readonly since?: string; readonly until?: string };

async function toFilter({ since, until, ...wanted }: Wanted): Promise<RunFilter> {
  const toTime = async (written: string, isEnd: boolean) => {
    const text = await pastInDigits(written);
    // A day without a time is a local day, and its end belongs to it.
    const time = new Date(text.length === 10 ? `${text}T${isEnd ? '23:59:59.999' : '00:00'}` : text);
    if (!Number.isNaN(time.getTime())) return time;
    throw new Failure('invalid-params', `list_runs: "${text}" is not a date or a time.`);
  };
  return present({
    ...wanted,
    since: since === undefined ? undefined : await toTime(since, false),
    until: until === undefined ? undefined : await toTime(until, true),
  });
}

const dayMs = 86_400_000;

/** Runs are in the past, so `monday` is the last one, and a time of day that is still to come is yesterday's. */
async function pastInDigits(written: string): Promise<string> {
  const { inDigits } = await import('../../recurrence/written-time.ts');
  const { timeZone, locale } = Intl.DateTimeFormat().resolvedOptions();
  const nowMs = Date.now();
  const read = (daysBack: number, fromMs = nowMs) =>
    inDigits(written, timeZone, fromMs, locale, 'since', fromMs - daysBack * dayMs, true);
  const isPast = (text: string) => new Date(text.length === 10 ? `${text}T00:00` : text).getTime() <= nowMs;
  for (const text of [await read(0), await read(1)]) if (isPast(text)) return text;
  return read(0, nowMs - 7 * dayMs);
}

function noRuns(before: string | undefined, wanted: object): string {
  if (Object.keys(wanted).length > 0) return 'No run matches.';
  return before === undefined ? 'There are no runs yet.' : `There are no runs before ${before}.`;
}
