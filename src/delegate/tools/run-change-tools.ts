import type { Context } from '../../context.ts';
import { defineTool, hints } from '../../tool.ts';
import { quoteLines } from '../record/run-progress.ts';
import type { Runs } from '../sharing/runs.ts';

/** Opens the runs that the actor of a call may see. */
export type OpenRuns = (context: Context) => Promise<Runs>;

export const runId = {
  type: 'string',
  minLength: 1,
  description: 'From list_runs',
} as const;

const changesInput = { type: 'object', required: ['run_id'], properties: { run_id: runId } } as const;
const changesSchema = {
  type: 'object',
  required: ['files', 'conflicts'],
  properties: {
    files: { type: 'array', items: { type: 'string' } },
    conflicts: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'reason'],
        properties: { path: { type: 'string' }, reason: { type: 'string' } },
      },
    },
  },
} as const;

/** The tools that deliver or take back the changes of isolated runs. */
export function runChangeTools(runs: OpenRuns) {
  const changeFiles = async (
    id: string,
    what: 'apply' | 'undo',
    context: Context,
    paths?: readonly string[],
  ) => {
    const changed = await (await runs(context)).changeFiles(id, what, paths);
    const { files, conflicts } = changed;
    const lines = [
      `${what === 'apply' ? 'Delivered' : 'Undone'}: ${quoteLines(files.join(', ')) || 'nothing'}`,
      ...conflicts.map(({ path, reason }) => quoteLines(`Not changed: ${path} (${reason})`)),
    ];
    return { structured: changed, content: [{ type: 'text' as const, text: lines.join('\n') }] };
  };
  return [
    defineTool({
      name: 'apply_run',
      toolsets: ['runs'],
      scope: 'delegate:workspace-write',
      inViews: true,
      title: 'Apply Run',
      description:
        'Delivers the changes that an isolated run has kept because it failed or because of conflicts. Returns the delivered files and the remaining conflicts.',
      searchHint: 'deliver kept changes conflict retry',
      phrases:
        'apply deliver kept changes of failed run conflict resolved try again accept take over helper agent work merge hand in into my project files use keep what it did put in place adopt bring approve',
      inputSchema: changesInput,
      outputSchema: changesSchema,
      annotations: hints.replaces,
      call: ({ run_id }, context) => changeFiles(run_id, 'apply', context),
    }),
    defineTool({
      name: 'undo_run',
      toolsets: ['runs'],
      scope: 'delegate:workspace-write',
      inViews: true,
      title: 'Undo Run',
      description:
        'Takes back the changes that an isolated run has delivered. Files that were changed afterwards stay as they are and are returned as conflicts.',
      searchHint: 'revert rollback changes files',
      phrases:
        'undo revert roll back take back changes files of a run sub-agent helper agent did restore before put back as it was reverse unwanted mess damage broke job edits withdraw original',
      inputSchema: {
        ...changesInput,
        properties: {
          run_id: runId,
          paths: { type: 'array', items: { type: 'string' }, description: 'Only these files' },
        },
      },
      outputSchema: changesSchema,
      annotations: hints.replaces,
      call: ({ run_id, paths }, context) => changeFiles(run_id, 'undo', context, paths),
    }),
  ] as const;
}
