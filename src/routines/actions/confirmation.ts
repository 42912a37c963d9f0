import { basename } from 'node:path';
import type { Context } from '../../context.ts';
import { isObject } from '../../json.ts';
import { singleLine } from '../../single-line.ts';
import type { Routine } from '../definition/routine.ts';

/** What a person is shown before a routine may fire. */
export type Proposal = Pick<Routine, 'name' | 'task' | 'cwd' | 'when' | 'sandbox'> & Partial<Routine>;

/**
 * Whether a person wants this. On the page and at the command line, the person made the call; every other client is asked, if it can
 * show a form. Call this before anything with a side effect, because `ask` may run the tool again from its start.
 */
export async function isConfirmed(routine: Proposal, context: Context): Promise<boolean> {
  if (context.isPersonal) return true;
  if (!context.can('elicitation')) return false;
  const { confirm_routine: answer } = await context.ask({
    confirm_routine: {
      method: 'elicitation/create',
      params: {
        mode: 'form',
        message: describe(routine),
        requestedSchema: {
          type: 'object',
          required: ['confirm'],
          properties: { confirm: { type: 'boolean', title: 'Let it run', default: false } },
        },
      },
    },
  });
  return (
    answer?.['action'] === 'accept' && isObject(answer['content']) && answer['content']['confirm'] === true
  );
}

function describe({ name, task, cwd, when, sandbox }: Proposal): string {
  const time = typeof when === 'string' ? when : JSON.stringify(when);
  return [
    `Let the routine "${singleLine(name)}" run by itself?`,
    `When: ${singleLine(time, 300)}`,
    `Folder: ${cwd} (${basename(cwd)}), ${sandbox}`,
    `Task: ${task.slice(0, 2000)}`,
  ].join('\n');
}
