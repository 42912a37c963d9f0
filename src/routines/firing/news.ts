import { basename } from 'node:path';
import { Failure } from '../../failure.ts';
import { messageOf } from '../../json.ts';
import { log } from '../../log.ts';
import type { Outreach, OutreachMessage } from '../../outreach.ts';
import { localTime } from '../../recurrence/written-time.ts';
import type { Firing } from '../../store/schema.ts';
import type { Clock } from '../../store/store.ts';
import type { Definitions } from '../definition/definitions.ts';
import type { Routine } from '../definition/routine.ts';
import type { Firings } from './firings.ts';

export interface NewsOptions {
  readonly definitions: Definitions;
  readonly firings: Firings;
  readonly clock: Clock;
  /** Absent where nobody can be reached. */
  readonly outreach: Outreach | undefined;
}

/** Tells people how their routines went. Each message has a key, so that it is sent once although a process may die in between. */
export async function tellNews(
  routines: ReadonlyMap<string, Routine>,
  machine: string,
  options: NewsOptions,
): Promise<void> {
  const { firings, definitions } = options;
  const byRoutine = Map.groupBy(await firings.untold(machine), ({ routine_id }) => routine_id);
  for (const [id, rows] of byRoutine) {
    const routine = routines.get(id);
    const missed = rows.filter(({ status }) => status === 'skipped');
    const messages = [
      ...rows.filter((row) => !missed.includes(row)).map((row) => endMessage(routine, row)),
      ...(missed.length === 0 ? [] : [missedMessage(routine, missed, options.clock())]),
    ];
    if (await sendAll(routine, messages, options)) await firings.markTold(rows.map((row) => row.id));
  }
  for (const routine of routines.values()) {
    if (!routine.isPauseUntold || routine.machine !== machine) continue;
    if (await sendAll(routine, [pauseMessage(routine)], options))
      await definitions.change(routine.id, ({ isPauseUntold }) =>
        isPauseUntold ? { isPauseUntold: false } : undefined,
      );
  }
}

type Message = Omit<OutreachMessage, 'person'>;

/** True if nothing is left to send. */
async function sendAll(
  routine: Routine | undefined,
  messages: readonly (Message | undefined)[],
  { outreach }: NewsOptions,
): Promise<boolean> {
  const person = routine?.notify;
  if (person === undefined || outreach === undefined) return true;
  try {
    for (const message of messages) if (message !== undefined) await outreach.send({ ...message, person });
    return true;
  } catch (error) {
    log('warning', `${person} was not told about routine ${routine!.name}: ${messageOf(error)}`);
    // A person who is gone cannot be told later either.
    return error instanceof Failure && error.kind !== 'unavailable';
  }
}

const endings = {
  completed: 'is done',
  failed: 'failed',
  cancelled: 'was cancelled',
} as const;

function endMessage(
  routine: Routine | undefined,
  { id, status, result, reason, run_id }: Firing,
): Message | undefined {
  const ending = (endings as Readonly<Record<string, string>>)[status];
  if (routine === undefined || ending === undefined) return undefined;
  const text = result ?? reason;
  return {
    key: `routine/${routine.id}/${id}`,
    title: `${routine.name} ${ending} (${basename(routine.cwd)})`,
    ...(text !== null && { text }),
    ...(run_id !== null && { page: `/runs/${run_id}` }),
    urgency: 'normal',
  };
}

function missedMessage(
  routine: Routine | undefined,
  missed: readonly Firing[],
  nowMs: number,
): Message | undefined {
  if (routine === undefined) return undefined;
  const last = missed.at(-1)!;
  const times = missed.length === 1 ? 'a time' : `${missed.length} times`;
  return {
    key: `routine/${routine.id}/missed/${last.id}`,
    title: `${routine.name} missed ${times} (${basename(routine.cwd)})`,
    text: `No worker ran on ${routine.host} when it was due, the last time ${localTime(last.due_ms, routine.zone, nowMs)}. ${last.reason ?? ''}`.trim(),
    urgency: 'normal',
  };
}

function pauseMessage({ id, name, cwd, pauseReason = '', updatedMs }: Routine): Message {
  return {
    key: `routine/${id}/paused/${updatedMs}`,
    title: `${name} is paused (${basename(cwd)})`,
    text: `${pauseReason} Resume it with: adjutant routines resume ${JSON.stringify(name)}`,
    urgency: 'normal',
  };
}
