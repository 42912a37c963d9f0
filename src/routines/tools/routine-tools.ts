import { nextPage, pageArguments } from '../../paging.ts';
import { firingStatuses } from '../../store/values.ts';
import { defineTool, hints } from '../../tool.ts';
import {
  createdShape,
  firingShape,
  listedFields,
  type RoutineInput,
  routineFields,
  routineName,
  routineShape,
} from '../definition/routine-schema.ts';
import type { OpenData } from '../firing/feature-data.ts';

/** The tools of the feature. Their work is loaded by the first call. */
export function routineTools(open: OpenData) {
  return [createTool(open), updateTool(open), deleteTool(open), listTool(open), runTool(open)] as const;
}

/** Lets a sub-agent work at a time, around events or on a request. */
function createTool(open: OpenData) {
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

const updateInput = {
  type: 'object',
  required: ['routine'],
  properties: {
    routine: routineName,
    paused: { type: 'boolean', description: 'True pauses, false resumes' },
    as_of: { type: 'string', description: 'Refused if the routine was changed after this time' },
    new_secret: {
      type: 'boolean',
      description: 'Replaces the secret of its webhook and returns the new one',
    },
    ...routineFields,
  },
  additionalProperties: false,
} as const;

function updateTool(open: OpenData) {
  return defineTool({
    name: 'update_routine',
    toolsets: ['routines'],
    scope: 'routines',
    title: 'Update Routine',
    description:
      'Changes a routine, pauses or resumes it. Takes all arguments of create_routine and returns the same. A person confirms what is not a pause.',
    phrases:
      'pause stop resume continue restart change edit routine schedule recurring task time folder sandbox confirm approve rename turn off on disable enable automation',
    inputSchema: {
      ...updateInput,
      // The type stays that of all arguments.
      properties: {
        routine: routineName,
        paused: updateInput.properties.paused,
        new_secret: updateInput.properties.new_secret,
        ...listedFields('task', 'when', 'notify'),
      } as unknown as typeof updateInput.properties,
    },
    acceptedSchema: updateInput,
    outputSchema: createdShape,
    annotations: hints.replaces,
    call: async (input, context) =>
      (await import('../actions/change.ts')).updateRoutine(await open(), input, context),
  });
}

function deleteTool(open: OpenData) {
  return defineTool({
    name: 'delete_routine',
    toolsets: ['routines'],
    scope: 'routines',
    title: 'Delete Routine',
    description: 'Deletes a routine with its history. Runs in progress go on.',
    phrases:
      'remove delete cancel end routine schedule recurring task automation for good stop forever get rid of',
    inputSchema: {
      type: 'object',
      required: ['routine'],
      properties: { routine: routineName },
      additionalProperties: false,
    },
    outputSchema: { type: 'object', required: ['deleted'], properties: { deleted: { type: 'string' } } },
    annotations: hints.replaces,
    call: async ({ routine }, context) =>
      (await import('../actions/change.ts')).deleteRoutine(await open(), routine, context),
  });
}

/** Lists routines, or shows one with its history. */
function listTool(open: OpenData) {
  return defineTool({
    name: 'list_routines',
    toolsets: ['routines'],
    scope: 'routines',
    title: 'List Routines',
    description:
      'Lists routines with status, next time and last run; with routine, that one with its history: due, run, result, and what was skipped and why.',
    phrases:
      'list show routines schedules scheduled recurring tasks automations jobs which next last history when does did run why skipped failed nightly',
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

/** Runs a routine now, or shows what its agent would be sent. */
function runTool(open: OpenData) {
  return defineTool({
    name: 'run_routine',
    toolsets: ['routines'],
    scope: 'routines',
    title: 'Run Routine',
    description: 'Runs a routine now. Returns the run_id, or with dry_run the task that its agent would get.',
    phrases:
      'run start fire trigger routine now immediately test try dry run preview what would be sent automation job by hand',
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
