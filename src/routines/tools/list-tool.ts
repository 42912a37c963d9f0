import { nextPage, pageArguments } from '../../paging.ts';
import { defineTool, hints } from '../../tool.ts';
import { firingShape, routineName, routineShape } from '../definition/routine-schema.ts';
import type { OpenData } from '../firing/feature-data.ts';

/** Lists routines, or shows one with its history. */
export function listTool(open: OpenData) {
  return defineTool({
    name: 'list_routines',
    toolsets: ['routines'],
    scope: 'routines',
    title: 'List Routines',
    description:
      'Lists routines with status, next time and last run; with routine, that one with its history: due, run, result, and what was skipped and why.',
    phrases:
      'list show routines schedules scheduled recurring tasks automations jobs which next last history when does did run why skipped failed nightly',
    wishes: ['what runs by itself', 'did the nightly job work', 'why did the brief not come this morning'],
    inputSchema: {
      type: 'object',
      properties: { routine: routineName, ...pageArguments },
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      required: ['routines'],
      properties: {
        routines: { type: 'array', items: routineShape },
        firings: { type: 'array', items: firingShape },
        ...nextPage,
      },
    },
    annotations: hints.reads,
    call: async (input, context) =>
      (await import('../actions/list.ts')).listRoutines(await open(), input, context),
  });
}
