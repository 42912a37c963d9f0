import type { Context } from '../../context.ts';
import { fullArgument, shorten } from '../../paging.ts';
import { defineTool, hints } from '../../tool.ts';
import { quoteLines } from '../run/run-progress.ts';
import type { ChangedFiles, RunDiff } from './run-changes.ts';
import type { Runs } from './runs.ts';

/** Opens the runs that the actor of a call may see. */
export type OpenRuns = (context: Context) => Promise<Runs>;

export const runId = {
  type: 'string',
  minLength: 1,
  description: 'From list_runs',
} as const;

const paths = {
  type: 'array',
  items: { type: 'string' },
  description: 'Only these files or folders',
} as const;
const texts = { type: 'array', items: { type: 'string' } } as const;
const changesSchema = {
  type: 'object',
  required: ['files', 'conflicts'],
  properties: {
    files: texts,
    marked: { ...texts, description: 'Files that now contain conflict markers' },
    conflicts: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'reason'],
        properties: { path: { type: 'string' }, reason: { type: 'string' } },
      },
    },
    branches: { ...texts, description: "Branches with the agent's commits" },
  },
} as const;

const announcedDiff = { type: 'object', required: ['run_id'], properties: { run_id: runId, paths } } as const;
/** Models need no more than fits on a page. */
const acceptedDiff = {
  ...announcedDiff,
  properties: { ...announcedDiff.properties, ...fullArgument },
} as const;

function diffText({ state, files, patch }: RunDiff): string {
  const lines = files.map(({ path, change }) => quoteLines(`${change}: ${path}`));
  return [`changes: ${state}`, ...lines, ...(patch === '' ? [] : ['', patch])].join('\n');
}

/** The tools that show, apply and take back the changes of runs. */
export function runChangeTools(runs: OpenRuns) {
  const report = (done: string, { files, marked, conflicts }: ChangedFiles) => {
    const lines = [
      `${done}: ${quoteLines(files.join(', ')) || 'nothing'}`,
      ...marked.map((path) => quoteLines(`Both versions, between conflict markers: ${path}`)),
      ...conflicts.map(({ path, reason }) => quoteLines(`Not changed: ${path} (${reason})`)),
    ];
    const structured = { files, conflicts, ...(marked.length > 0 && { marked }) };
    return { structured, content: [{ type: 'text' as const, text: lines.join('\n') }] };
  };
  return [
    defineTool({
      name: 'diff_run',
      toolsets: ['runs'],
      scope: 'delegate:read-only',
      inViews: true,
      title: 'Show Changes of Run',
      description:
        'Returns what a run changed, as a list of files and a patch, and whether the changes wait, are applied or were undone.',
      searchHint: 'patch changes files review',
      phrases:
        'diff patch changes of a run what did the sub-agent helper agent change which files lines review before applying compare edits',
      inputSchema: announcedDiff as unknown as typeof acceptedDiff,
      acceptedSchema: acceptedDiff,
      outputSchema: {
        type: 'object',
        required: ['state', 'files', 'patch'],
        properties: {
          state: { enum: ['none', 'waiting', 'branch', 'applied', 'undone'] },
          files: {
            type: 'array',
            items: {
              type: 'object',
              required: ['path', 'change'],
              properties: { path: { type: 'string' }, change: { enum: ['added', 'modified', 'deleted'] } },
            },
          },
          patch: { type: 'string' },
          shortened: { type: 'string', description: 'Set if something is cut: how to get the rest' },
        },
      },
      annotations: hints.reads,
      async call({ run_id, paths, full }, context) {
        const diff = await (await runs(context)).diff(run_id, paths);
        const { value, isShortened } = full ? { value: diff, isShortened: false } : shorten(diff, diffText);
        const shortened = `The list and the patch are cut. Name files with paths, or run "adjutant runs diff ${run_id}" for all.`;
        const text = isShortened ? `${diffText(value)}\n\n${shortened}` : diffText(value);
        return {
          structured: { ...value, ...(isShortened && { shortened }) },
          content: [{ type: 'text', text }],
        };
      },
    }),
    defineTool({
      name: 'apply_run',
      toolsets: ['runs'],
      scope: 'delegate:workspace-write',
      inViews: true,
      title: 'Apply Run',
      description:
        'Applies the changes of a run that wait: with apply=ask, of a failed run, or in conflict. Where the folder has changed too, texts get conflict markers, unless take decides.',
      searchHint: 'apply kept changes conflict retry',
      phrases:
        'apply deliver kept changes of failed run conflict resolved try again accept take over helper agent work merge hand in into my project files use keep what it did put in place adopt bring approve',
      inputSchema: {
        type: 'object',
        required: ['run_id'],
        properties: {
          run_id: runId,
          paths,
          take: { enum: ['run', 'folder'], description: 'Version to use in conflicts' },
          commits: { type: 'boolean', description: "Only make a branch of the agent's commits" },
        },
      },
      outputSchema: changesSchema,
      annotations: hints.replaces,
      async call({ run_id, paths, take, commits }, context) {
        const own = await runs(context);
        if (!commits) return report('Applied', await own.apply(run_id, paths, take));
        const branches = await own.branchCommits(run_id);
        const text = `Branches: ${branches.join(', ')}`;
        return { structured: { files: [], conflicts: [], branches }, content: [{ type: 'text', text }] };
      },
    }),
    defineTool({
      name: 'undo_run',
      toolsets: ['runs'],
      scope: 'delegate:workspace-write',
      inViews: true,
      title: 'Undo Run',
      description:
        'Takes back the applied changes of a run. Files that changed afterwards stay and are returned as conflicts.',
      searchHint: 'revert rollback changes files',
      phrases:
        'undo revert roll back take back changes files of a run sub-agent helper agent did restore before put back as it was reverse unwanted mess damage broke job edits withdraw original',
      inputSchema: { type: 'object', required: ['run_id'], properties: { run_id: runId, paths } },
      outputSchema: changesSchema,
      annotations: hints.replaces,
      call: async ({ run_id, paths }, context) =>
        report('Undone', await (await runs(context)).undo(run_id, paths)),
    }),
  ] as const;
}
