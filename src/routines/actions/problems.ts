import type { Problem } from '../../feature.ts';
import type { RoutineData } from '../firing/feature-data.ts';

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
