import { createHash } from 'node:crypto';
import type { Context } from '../../context.ts';
import { isObject } from '../../json.ts';
import { singleLine } from '../../single-line.ts';
import type { Routine } from '../definition/routine.ts';

/** What a person is shown before a routine may fire. */
type Proposal = Pick<Routine, 'name' | 'task' | 'cwd' | 'when' | 'sandbox'> &
  Partial<Pick<Routine, 'zone' | 'apply' | 'asks' | 'agent' | 'model' | 'budget' | 'notify'>>;

/**
 * Whether a person wants this. On the page and at the command line, the person made the call; every other client is asked, if it can
 * show a form. Call this before anything with a side effect, because `ask` may run the tool again from its start.
 */
export async function isConfirmed(routine: Proposal, context: Context): Promise<boolean> {
  if (context.isPersonal) return true;
  if (!context.can('elicitation')) return false;
  const message = `Let the routine "${singleLine(routine.name)}" run by itself?\n${describe(routine)}`;
  // The tool may run again after the answer, which is then only good for what the person was shown.
  const key = `confirm_${createHash('sha256').update(message).digest('hex').slice(0, 32)}`;
  const { [key]: answer } = await context.ask({
    [key]: {
      method: 'elicitation/create',
      params: {
        mode: 'form',
        message,
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

/** Everything that a person decides on, uncut: the end of a long task counts as much as its beginning. */
export function describe(proposal: Proposal): string {
  const { task, cwd, when, zone, sandbox, apply, asks, agent, model, budget, notify } = proposal;
  const rights = [
    sandbox,
    ...(sandbox === 'read-only' ? [] : [`changes: ${apply ?? 'ask'}`]),
    ...(asks ? ['may ask for permission'] : []),
    ...(agent === undefined ? [] : [`agent ${singleLine(agent)}`]),
    ...(model === undefined ? [] : [`model ${singleLine(model)}`]),
  ];
  const time = singleLine(typeof when === 'string' ? when : JSON.stringify(when), 2000);
  return [
    `When: ${time}${zone === undefined ? '' : ` (${zone})`}`,
    `Folder: ${singleLine(cwd, 2000)}`,
    `Rights: ${rights.join(', ')}`,
    `Budget: ${budget === undefined ? 'none' : JSON.stringify(budget)}`,
    ...(notify === undefined ? [] : [`Result to: ${singleLine(notify)}`]),
    `Task: ${task}`,
  ].join('\n');
}
