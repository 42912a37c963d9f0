import { firingStatuses } from '../../store/values.ts';
import { defineTool } from '../../tool.ts';
import { routineName } from '../definition/routine-schema.ts';
import type { OpenData } from '../firing/feature-data.ts';

/** Runs a routine now, or shows what its agent would be sent. */
export function runTool(open: OpenData) {
  return defineTool({
    name: 'run_routine',
    toolsets: ['routines'],
    scope: 'routines',
    title: 'Run Routine',
    description: 'Runs a routine now. Returns the run_id, or with dry_run the task that its agent would get.',
    phrases:
      'run start fire trigger routine now immediately test try dry run preview what would be sent automation job by hand',
    wishes: ['do the nightly check right now', 'show me what the morning brief would be told'],
    inputSchema: {
      type: 'object',
      required: ['routine'],
      properties: {
        routine: routineName,
        dry_run: { type: 'boolean', default: false, description: 'Start nothing' },
      },
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      required: ['routine'],
      properties: {
        routine: { type: 'string' },
        status: { enum: firingStatuses },
        run_id: { type: 'string' },
        reason: { type: 'string', description: 'Why no run has started yet' },
        task: { type: 'string', description: 'What the agent would be sent' },
        sandbox: { type: 'string' },
        cwd: { type: 'string' },
        notify: { type: 'string' },
      },
    },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    call: async (input, context) =>
      (await import('../actions/run.ts')).runRoutine(await open(), input, context),
  });
}
