import { promises as disk } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { type Actor, type Context, identityOf, isOwner } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { isObject, type JsonObject, parseJson } from '../../json.ts';
import { isZone, resolveZone } from '../../recurrence/zone.ts';
import { leastIntervalMs } from '../schedule/due-times.ts';
import { isClockTrigger, readTrigger, type Trigger, type When } from '../schedule/trigger.ts';
import type { Creator, Routine, RoutineBudget, RoutineSettings } from './routine.ts';
import type { RoutineInput } from './routine-schema.ts';

/** Facts about the person who creates a routine. */
export interface PersonFacts {
  readonly id: string;
  readonly timezone: string;
  readonly locale: string;
}

export interface InputSources {
  readonly clock: () => number;
  readonly settings: RoutineSettings;
  /** The person that an actor means by `me`, an id, a name or a mail address. `creates` permits a new `me`. */
  readonly person: (written: string, actor: Actor, creates: boolean) => Promise<PersonFacts>;
}

type Defined = Pick<Routine, 'trigger' | 'zone' | 'when' | 'sandbox'>;

/** The fields of a routine that a call gives. Throws a `Failure` that says what is wrong. */
export async function readInput(
  input: RoutineInput,
  before: Routine | undefined,
  { actor }: Context,
  { clock, settings, person }: InputSources,
): Promise<Partial<Routine>> {
  const { name, task, cwd, when, notify, agent, model, sandbox, apply, budget, asks, missed, overlap } =
    input;
  const nowMs = clock();
  const me =
    before === undefined || when !== undefined
      ? await person('me', actor, false).catch(() => undefined)
      : undefined;
  const zone =
    input.timezone === undefined ? (before?.zone ?? me?.timezone ?? systemZone()) : readZone(input.timezone);
  const isNewTime = when !== undefined || (input.timezone !== undefined && before !== undefined);
  const trigger = isNewTime
    ? await readTrigger((when ?? before!.when) as When, zone, nowMs, me?.locale ?? 'en')
    : undefined;
  if (trigger !== undefined) refuseShortInterval(trigger, zone, nowMs, settings);
  const becomesTriggered =
    before !== undefined &&
    isClockTrigger(before.trigger) &&
    trigger !== undefined &&
    !isClockTrigger(trigger);
  const defined: Defined = {
    trigger: trigger ?? before!.trigger,
    ...{ zone, when: (when ?? before!.when) as When },
    // What was allowed at set times is not meant for whoever can trigger it.
    sandbox: sandbox ?? (becomesTriggered ? undefined : before?.sandbox) ?? 'read-only',
  };
  refuseWideTrigger(defined, actor);
  const readPerson = async (written: string) =>
    written === 'nobody' ? undefined : (await person(written, actor, written === 'me')).id;
  return {
    ...defined,
    ...(trigger !== undefined && before !== undefined && { sinceMs: nowMs }),
    ...(name !== undefined && { name: name.trim() }),
    ...(task !== undefined && { task }),
    ...(cwd !== undefined && { cwd: await readFolder(cwd) }),
    ...(notify !== undefined && { notify: await readPerson(notify) }),
    ...(agent !== undefined && { agent }),
    ...(model !== undefined && { model }),
    ...(apply !== undefined && { apply }),
    ...(budget !== undefined && { budget: budget as RoutineBudget }),
    ...(asks !== undefined && { asks }),
    ...(missed !== undefined && { missed }),
    ...(overlap !== undefined && { overlap }),
    ...(input.catch_up_hours !== undefined && { catchUpHours: input.catch_up_hours }),
  } as Partial<Routine>;
}

function systemZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

function readZone(written: string): string {
  const zone = resolveZone(written);
  if (zone === undefined || !isZone(zone))
    throw new Failure(
      'invalid-params',
      `"${written}" is not a time zone. Write, for example, Europe/Berlin.`,
    );
  return zone;
}

async function readFolder(written: string): Promise<string> {
  if (!isAbsolute(written))
    throw new Failure('invalid-params', `cwd must be an absolute path, not "${written}".`);
  const stats = await disk.stat(written).catch(() => undefined);
  if (!stats?.isDirectory())
    throw new Failure('invalid-params', `There is no folder ${written} on this machine.`);
  return resolve(written);
}

function refuseShortInterval(
  trigger: Trigger,
  zone: string,
  nowMs: number,
  { minIntervalMs }: RoutineSettings,
): void {
  if (!isClockTrigger(trigger)) return;
  const least = leastIntervalMs(trigger, zone, nowMs);
  if (least < minIntervalMs)
    throw new Failure(
      'invalid-params',
      `The routine would run every ${Math.round(least / 60_000)} minutes; the least interval is ${minIntervalMs / 60_000} minutes (routines.min_interval_minutes).`,
    );
}

/** Whoever can send an event or a request chooses what the agent reads, so only the owner may let it write. */
function refuseWideTrigger({ trigger, sandbox }: Defined, actor: Actor): void {
  if (isClockTrigger(trigger) || sandbox === 'read-only' || isOwner(actor)) return;
  throw new Failure(
    'refused',
    'A routine that events or requests trigger is read-only, because others choose what its agent reads. Only the owner can allow more.',
  );
}

/** The creator with the rights of this moment. */
export function creatorOf({ actor, meta }: Pick<Context, 'actor' | 'meta'>): Creator {
  const { name, token, rights } = actor;
  if (token?.kind === 'oauth')
    throw new Failure(
      'refused',
      'A routine runs when its creator is away, and the rights of an OAuth sign-in cannot be checked then. Create it with a named token, at the command line or on the page.',
    );
  const thread = threadOf(meta);
  return {
    name,
    identity: identityOf(actor),
    ...(token !== undefined && { token }),
    ...(rights !== undefined && { rights }),
    ...(thread !== undefined && { thread }),
  };
}

/** The limits of the calling thread, as Codex sends them, without the thread itself. */
function threadOf(meta: Context['meta']): JsonObject | undefined {
  const sent = meta['x-codex-turn-metadata'];
  const metadata = typeof sent === 'string' ? parseJson(sent) : sent;
  if (!isObject(metadata) || metadata['sandbox_mode'] === undefined) return undefined;
  const { sandbox_mode, workspaces } = metadata as JsonObject;
  return { sandbox_mode, ...(workspaces !== undefined && { workspaces }) } as JsonObject;
}
