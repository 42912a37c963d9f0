import type { Problem } from '../../feature.ts';
import type { Routine } from '../definition/routine.ts';
import type { RoutineData } from '../firing/feature-data.ts';
import { nextDueTimes } from '../schedule/due-times.ts';
import { isClockTrigger } from '../schedule/trigger.ts';

/** Routines that will not run as their people expect. */
export async function findProblems({ definitions, isFiring }: RoutineData): Promise<readonly Problem[]> {
  const all = await definitions.all();
  const problem = (severity: 'warning' | 'note', message: string, remedy: string): Problem => ({
    ...{ file: '', topic: 'Routines', severity, message, remedy },
  });
  const idle = new Map<string, string[]>();
  for (const { machine, host, status, name } of all)
    if (status === 'active' && !(await isFiring(machine))) idle.set(host, [...(idle.get(host) ?? []), name]);
  return [
    ...[...idle].map(([host, names]) =>
      problem(
        'warning',
        `Nothing fires the routines of ${host}: ${names.slice(0, 5).join(', ')}${names.length > 5 ? ' and others' : ''}.`,
        `run "adjutant service install" on ${host}`,
      ),
    ),
    ...all
      .filter(({ status, isPauseUntold }) => status === 'paused' && isPauseUntold !== undefined)
      .map(({ name, pauseReason = '' }) =>
        problem(
          'warning',
          `The routine ${name} is paused. ${pauseReason}`,
          `fix the cause, then run "adjutant routines resume ${name}"`,
        ),
      ),
    ...all
      .filter(({ status }) => status === 'unconfirmed')
      .map(({ name }) =>
        problem(
          'note',
          `The routine ${name} waits for a person to confirm it.`,
          `run "adjutant routines resume ${name}"`,
        ),
      ),
  ];
}

/** What keeps a routine from running as its creator expects. */
export async function warningsFor(
  routine: Routine,
  { isFiring, clock, publicUrl }: Pick<RoutineData, 'isFiring' | 'clock' | 'publicUrl'>,
): Promise<string[]> {
  const { status, machine, host, trigger, zone, sandbox, asks } = routine;
  const isTriggered = !isClockTrigger(trigger);
  return [
    ...(status === 'unconfirmed'
      ? [
          'The routine waits until a person confirms it, in the inbox, on the page, or with: adjutant routines resume.',
        ]
      : []),
    ...((await isFiring(machine))
      ? []
      : [
          `Nothing fires routines on ${host} now. "adjutant service install" starts a worker that does, also after a restart.`,
        ]),
    ...(!isTriggered && nextDueTimes(trigger, zone, Math.max(clock(), routine.sinceMs)).length === 0
      ? ['The routine has no due time in the next five years.']
      : []),
    ...(isTriggered && sandbox !== 'read-only'
      ? [
          `Whoever can send ${trigger.kind === 'webhook' ? 'its requests' : 'such an event'} chooses what this agent reads, and the agent may write (${sandbox}).`,
        ]
      : []),
    ...(asks && sandbox === 'read-only'
      ? ['The agent never asks for permission with the sandbox read-only. Give the routine workspace-write.']
      : []),
    ...(trigger.kind === 'webhook' && publicUrl === undefined
      ? [
          'Requests reach the routine only while "adjutant serve --http" runs. delivery.public_url is not set, so the address depends on your network.',
        ]
      : []),
  ];
}
