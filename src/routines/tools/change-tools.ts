import { defineTool, hints } from '../../tool.ts';
import { createdShape, listedFields, routineFields, routineName } from '../definition/routine-schema.ts';
import type { OpenData } from '../firing/feature-data.ts';

/** Changes, pauses, resumes and deletes routines. */
export function changeTools(open: OpenData) {
  return [updateTool(open), deleteTool(open)];
}

const updateInput = {
  type: 'object',
  required: ['routine'],
  properties: {
    routine: routineName,
    paused: { type: 'boolean', description: 'True pauses, false resumes' },
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
    wishes: [
      'stop the nightly report for now',
      'let the morning brief come at eight instead',
      'turn that job on again',
    ],
    inputSchema: {
      ...updateInput,
      // The type stays that of all arguments.
      properties: {
        routine: routineName,
        paused: updateInput.properties.paused,
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
    wishes: ['I no longer need the weekly report', 'get rid of that nightly job'],
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
