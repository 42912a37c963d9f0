import { basename } from 'node:path';
import type { Actor } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { messageOf } from '../../json.ts';
import { log } from '../../log.ts';
import type { News, Outreach, OutreachMessage } from '../../outreach.ts';
import { localTime } from '../../recurrence/written-time.ts';
import type { Firing } from '../../store/schema.ts';
import type { Clock } from '../../store/store.ts';
import type { Definitions } from '../definition/definitions.ts';
import {
  type Creator,
  knownActor,
  type Routine,
  type RoutineSettings,
  refusedRun,
} from '../definition/routine.ts';
import type { PersonFacts } from '../definition/routine-input.ts';
import { type Firings, isTriggered } from './firings.ts';

export interface NewsOptions {
  readonly definitions: Definitions;
  readonly firings: Firings;
  readonly clock: Clock;
  /** Absent where nobody can be reached. */
  readonly outreach: Outreach | undefined;
  readonly settings: Pick<RoutineSettings, 'tellsErrors'>;
  readonly machine: string;
  readonly present: (creator: Creator) => Actor | undefined;
  readonly person: (written: string, actor: Actor, creates: boolean) => Promise<Pick<PersonFacts, 'id'>>;
}

/** Tells people how their routines went. Each message has a key, so that it is sent once although a process may die in between. */
export async function tellNews(
  routines: ReadonlyMap<string, Routine>,
  active: readonly Firing[],
  options: NewsOptions,
): Promise<void> {
  const { firings, definitions, settings, machine } = options;
  const busy = new Set(active.map(({ routine_id }) => routine_id));
  // While a run is in progress, more events and requests may be skipped: one message tells of all of them.
  const isEarly = (row: Firing) => row.status === 'skipped' && isTriggered(row) && busy.has(row.routine_id);
  const untold = (await firings.untold(machine)).filter((row) => !isEarly(row));
  for (const [id, rows] of Map.groupBy(untold, ({ routine_id }) => routine_id)) {
    const routine = routines.get(id);
    const missed = rows.filter(({ status }) => status === 'skipped');
    const results = rows
      .filter((row) => !missed.includes(row))
      .map((row) => endMessage(routine, row, settings));
    const isTold =
      (await sendAll(routine, results, options)) &&
      (missed.length === 0 ||
        (await sendAll(routine, [missedMessage(routine, missed, options.clock())], options, true)));
    if (isTold) await firings.markTold(rows.map((row) => row.id));
  }
  for (const routine of routines.values()) {
    if (!routine.isPauseUntold || routine.machine !== machine) continue;
    if (!(await sendAll(routine, [pauseMessage(routine, settings)], options, true))) continue;
    let isOver = true;
    await definitions.change(routine.id, (now) => {
      isOver = now.isPauseUntold === undefined || pauseKey(now) !== pauseKey(routine);
      return now.isPauseUntold && !isOver ? { isPauseUntold: false } : undefined;
    });
    // Somebody resumed or deleted the routine while the message was queued.
    if (isOver) await withdrawPause(routine, options);
  }
}

/** Withdraws the message that a routine is paused. A failure is only logged: what the person did counts. */
export async function withdrawPause(
  routine: Routine,
  { outreach }: Pick<NewsOptions, 'outreach'>,
): Promise<void> {
  if (routine.isPauseUntold === undefined) return;
  await outreach
    ?.withdraw(pauseKey(routine))
    .catch((error: unknown) =>
      log('warning', `the message that routine ${routine.name} is paused was not withdrawn`, error),
    );
}

type Message = Omit<OutreachMessage, 'person'>;

/** True if nothing is left to send. What keeps a routine from running is told to its creator if nobody gets its results. */
async function sendAll(
  routine: Routine | undefined,
  messages: readonly (Message | undefined)[],
  { outreach, present, person: find }: NewsOptions,
  isTrouble = false,
): Promise<boolean> {
  if (routine === undefined || outreach === undefined) return true;
  let person = routine.notify;
  if (person === undefined && !isTrouble) return true;
  try {
    person ??= (await find('me', knownActor(routine.creator, present), false)).id;
    for (const message of messages) if (message !== undefined) await outreach.send({ ...message, person });
    return true;
  } catch (error) {
    log(
      'warning',
      `${person ?? 'its creator'} was not told about routine ${routine.name}: ${messageOf(error)}`,
    );
    // A person who is gone cannot be told later either.
    return error instanceof Failure && error.kind !== 'unavailable';
  }
}

const endings: Readonly<Record<string, News['kind']>> = {
  completed: 'finished',
  failed: 'failed',
  cancelled: 'cancelled',
};

/** Lock screens show what happened to which routine in which folder, in the language of the person. */
function titleOf({ name, cwd }: Routine, kind: News['kind']): News {
  return { kind, name: `${name} (${basename(cwd)})` };
}

function endMessage(
  routine: Routine | undefined,
  { id, status, result, reason, run_id }: Firing,
  { tellsErrors }: NewsOptions['settings'],
): Message | undefined {
  const ending = endings[status];
  if (routine === undefined || ending === undefined) return undefined;
  // A result was asked for. An error can hold anything, such as a command, and lock screens show it.
  const text = status === 'completed' || tellsErrors ? (result ?? reason) : null;
  return {
    key: `routine/${routine.id}/${id}`,
    title: titleOf(routine, ending),
    ...(text !== null && { text }),
    ...(run_id !== null && { page: `/#/runs/${run_id}` }),
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
  const times = missed.length === 1 ? 'It missed one time' : `It missed ${missed.length} times`;
  return {
    key: `routine/${routine.id}/missed/${last.id}`,
    title: titleOf(routine, 'missed'),
    text: `${times}, the last ${localTime(last.due_ms, routine.zone, nowMs)}. ${last.reason ?? ''}`.trim(),
    urgency: 'normal',
  };
}

/** Names the message that a routine is paused. */
function pauseKey({ id, pausedMs, updatedMs }: Routine): string {
  return `routine/${id}/paused/${pausedMs ?? updatedMs}`;
}

function pauseMessage(routine: Routine, { tellsErrors }: NewsOptions['settings']): Message {
  const { name, pauseReason = '' } = routine;
  const isError = pauseReason.startsWith(refusedRun) && !tellsErrors;
  const reason = isError ? refusedRun.replace(':', '.') : pauseReason;
  return {
    key: pauseKey(routine),
    title: titleOf(routine, 'paused'),
    text: `${reason} Resume it with: adjutant routines resume ${JSON.stringify(name)}`,
    urgency: 'normal',
  };
}
