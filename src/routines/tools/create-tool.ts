import { defineTool } from '../../tool.ts';
import {
  createdShape,
  listedFields,
  type RoutineInput,
  routineFields,
} from '../definition/routine-schema.ts';
import type { OpenData } from '../firing/feature-data.ts';

/** Lets a sub-agent work at a time, around events or on a request. */
export function createTool(open: OpenData) {
  const inputSchema = {
    type: 'object',
    properties: routineFields,
    required: ['name', 'task', 'cwd', 'when'],
    additionalProperties: false,
  } as const;
  return defineTool({
    name: 'create_routine',
    toolsets: ['routines'],
    scope: 'routines',
    core: 'always',
    title: 'Create Routine',
    description:
      'Starts a sub-agent at set times, around events or on a webhook. Returns the next times and warnings to tell the user.',
    phrases:
      'routine schedule scheduled recurring repeat automatically cron job timer every night day week morning overnight while I sleep agent task work regularly nightly daily weekly trigger webhook before after each meeting automate automation unattended background hook',
    wishes: [
      'summarize my notes every weekday at seven',
      'let an agent check the logs each night and mail me',
      'prepare me for every meeting half an hour before it',
      'run the tests every morning and tell me what broke',
      'when somebody opens an issue, have it sorted',
      'do this every Monday',
      'automate my weekly report',
    ],
    inputSchema: {
      ...inputSchema,
      properties: listedFields('name', 'task', 'cwd', 'when', 'notify', 'agent', 'sandbox', 'budget'),
    },
    acceptedSchema: inputSchema,
    outputSchema: createdShape,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    call: async (input, context) =>
      (await import('../actions/create.ts')).createRoutine(await open(), input as RoutineInput, context),
  });
}
