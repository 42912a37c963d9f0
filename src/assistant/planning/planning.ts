import type { Insertable } from 'kysely';
import { Failure } from '../../failure.ts';
import type { JsonObject } from '../../json.ts';
import { log } from '../../log.ts';
import type { Notification, Tables } from '../../store/schema.ts';
import type { Writer } from '../../store/store.ts';
import { attendPerson, attendTimes } from '../attention/store-attention.ts';
import { reachableBy } from '../entities/channels.ts';
import { type AuditEntry, audit } from '../entities/decision-log.ts';
import { type AssistantData, lockUser, notFound, type Reader } from '../entities/entity-access.ts';
import type { Listed } from '../entities/occurrence-list.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { kindOf } from '../entities/reminders.ts';
import { isImportant } from '../entities/rules.ts';
import { dateIn } from '../entities/view.ts';
import { decide } from '../policy/decide.ts';
import type { Dropped } from '../policy/guards.ts';
import type { Decision, Model, Neighbour, PolicyInput } from '../policy/policy.ts';
import { planDigest } from './digest.ts';
import { type PlanInput, planOccurrence } from './plan-occurrence.ts';
import type { Step } from './plan-rows.ts';
import {
  AddedRows,
  applySteps,
  currentPlan,
  dueTimes,
  PlanProgress,
  type ReportProgress,
  releaseKeys,
} from './plan-rows.ts';
import {
  copyDecision,
  limit,
  loadSubjects,
  type PlanRequest,
  personalDecision,
  type Subject,
} from './plan-subjects.ts';
import { promptTextOf } from './prompt-text.ts';

/** Result of planning for one occurrence. */
export interface Planned {
  readonly listed: Listed;
  /** Absent if an earlier decision is still valid. */
  readonly decision?: Decision;
  readonly steps: readonly Step[];
  readonly dropped: readonly Dropped[];
  readonly error?: string;
}

export interface PlanReport {
  readonly nowMs: number;
  /** True if there are more occurrences than one run plans. The nearest ones are planned. */
  readonly truncated: boolean;
  readonly planned: readonly Planned[];
}

/**
 * Plans notifications for the coming events of a user. A decision made from the same facts stays valid; the policy decides
 * about the others. Plans are stored in batches; if one fails, its events are stored one by one, so that one failure does
 * not affect other events.
 */
export async function planNotifications(
  data: AssistantData,
  model: Model | undefined,
  request: PlanRequest,
  signal: AbortSignal,
  report: ReportProgress = () => {},
): Promise<PlanReport> {
  const nowMs = data.clock();
  if (!request.dryRun)
    await data.store.write(async (writer) => {
      await reviveMissed(writer, request.userId, nowMs);
      await planDigest(writer, data, await lockUser(writer.db, request.userId), nowMs);
    });
  const { subjects, truncated } = await loadSubjects(data, model, request, nowMs);
  const undecided = subjects.filter(({ decided }) => request.force || !decided);
  const personal = new Map(
    undecided.flatMap((subject) => {
      const { event, occurrence } = subject.listed;
      const decision =
        subject.copyIn === undefined
          ? personalDecision({ ...subject, event, occurrence })
          : copyDecision(subject.copyIn);
      return decision === undefined ? [] : [[subject, decision] as const];
    }),
  );
  const open = undecided.filter((subject) => !personal.has(subject));
  const progress = new PlanProgress(undecided.length, model?.name, report);
  const asked = new Set(open);
  const settled = new Map(
    model === undefined
      ? []
      : subjects.filter((one) => !asked.has(one)).map((one) => [one, personal.get(one)]),
  );
  const decisions = await decide(
    model,
    open.map((subject) => policyInput(subject, nowMs, settled)),
    signal,
    (count) => progress.answered(personal.size + count),
  );
  const decisionOf = new Map([
    ...personal,
    ...open.map((subject, index) => {
      const decision = decisions[index]!;
      const { occurrence } = subject.listed;
      const proposals = limit(decision.proposals, { ...subject, occurrence });
      return [subject, { ...decision, proposals }] as const;
    }),
  ]);
  const planned = new Map<Subject, Planned>();
  for (const subject of subjects) if (!decisionOf.has(subject)) planned.set(subject, keepExisting(subject));
  const decided = subjects.filter((subject) => decisionOf.has(subject));
  for (let from = 0; from < decided.length; from += batchSize) {
    signal.throwIfAborted();
    const part = decided.slice(from, from + batchSize);
    const batch: Decided[] = [];
    for (const found of part)
      batch.push([{ ...found, prompt: await promptTextOf(data, found.listed) }, decisionOf.get(found)!]);
    const results = request.dryRun
      ? batch.map(([subject, decision]) => planSubject(subject, decision, subject.rows, request, nowMs))
      : await storePlans(data, batch, request, nowMs, signal);
    for (const [index, found] of part.entries()) {
      planned.set(found, results[index]!);
      progress.planned(request.dryRun ? 'checked' : 'checked and stored');
    }
  }
  const inOrder = subjects.map((subject) => planned.get(subject)!);
  if (!request.dryRun) await attendTo(data, request, inOrder, nowMs);
  return { nowMs, planned: inOrder, truncated };
}

/** Decides what becomes a message. Planning one event concerns only the days of its reminders. */
async function attendTo(
  { store }: AssistantData,
  { userId, eventId }: PlanRequest,
  planned: readonly Planned[],
  nowMs: number,
): Promise<void> {
  const times = planned.flatMap(({ steps }) => steps.flatMap(dueTimes));
  await store.write(async (writer) =>
    eventId === undefined
      ? attendPerson(writer, await lockUser(writer.db, userId), nowMs)
      : attendTimes(writer, userId, times, nowMs),
  );
}

/** `settled` are the events about which no model decides now, with the decision of the user if it is new. */
function policyInput(
  { user, rules, listed, rows }: Subject,
  nowMs: number,
  settled: ReadonlyMap<Subject, Decision | undefined>,
): PolicyInput {
  const { event, occurrence, zone } = listed;
  const dayOf = ({ startMs }: Listed['occurrence']) => dateIn(zone, startMs);
  const sameDay = [...settled].filter(([one]) => dayOf(one.listed.occurrence) === dayOf(occurrence));
  const history = rows.filter(
    ({ status, plan_ms, change }) => status !== 'planned' || plan_ms <= nowMs || change !== null,
  );
  return {
    event,
    occurrence,
    preferences: preferencesOf(user, kindOf(event, occurrence)),
    reachable: reachableBy(user),
    rules,
    history,
    nowMs,
    ...(sameDay.length > 0 && { sameDay: sameDay.map(([one, decision]) => neighbour(one, decision)) }),
  };
}

function neighbour({ listed: { occurrence }, rows }: Subject, decision: Decision | undefined): Neighbour {
  const planned = rows
    .filter(({ status, parent_id }) => status === 'planned' && parent_id === null)
    .map(({ channel, plan_ms: atMs }) => ({ channel, atMs }));
  const wanted = decision?.proposals.map(({ channel, offsetMinutes }) => ({
    channel,
    atMs: occurrence.startMs + offsetMinutes * 60_000,
  }));
  return { occurrence, reminders: wanted ?? planned };
}

function planSubject(
  { user, rules, listed, prompt }: Pick<Subject, 'user' | 'rules' | 'listed'> & Pick<PlanInput, 'prompt'>,
  decision: Decision,
  rows: readonly Notification[],
  { force }: PlanRequest,
  nowMs: number,
): Planned {
  const { event, occurrence } = listed;
  const important = isImportant(event, rules);
  const { proposals, reason, why = reason } = decision;
  const current = currentPlan(rows, event);
  const plan = planOccurrence({
    ...{ user, event, occurrence, prompt, nowMs, important, proposals, why, rows, force },
    // Only the user's own settings end all reminders of an event.
    ...(decision.policy !== 'preference' && {
      current: { ...current, proposals: limit(current.proposals, { occurrence, rules }) },
    }),
  });
  return { listed, decision, ...plan };
}

function keepExisting({ listed, rows }: Subject): Planned {
  const kept = rows.filter(({ status, parent_id }) => status === 'planned' && parent_id === null);
  const steps = kept.map((row): Step => ({ action: 'keep', row, desired: desiredFromRow(row) }));
  return { listed, steps, dropped: [] };
}

function desiredFromRow(row: Notification) {
  const { slot, channel, urgency, plan_ms: planMs, payload, reason } = row;
  return { slot, channel, urgency, planMs, payload, reason: reason ?? '' };
}

type Decided = readonly [Subject & Pick<PlanInput, 'prompt'>, Decision];

/** Plans in one transaction. A commit takes longer than planning an event. */
const batchSize = 25;

/** Stores plans in one transaction, after checking that no event has changed since its decision. */
async function storePlans(
  data: AssistantData,
  batch: readonly Decided[],
  request: PlanRequest,
  nowMs: number,
  signal: AbortSignal,
): Promise<readonly Planned[]> {
  try {
    return await data.store.write(async (writer) => {
      // The caller may have cancelled while this waited for the database.
      signal.throwIfAborted();
      // The lock on the user serializes planning for that user.
      const user = await lockUser(writer.db, request.userId);
      const ids = [...new Set(batch.map(([{ listed }]) => listed.event.id))];
      const revisions = await revisionsOf(writer.db, ids);
      const rows = Map.groupBy(await rowsOfAll(writer.db, ids), rowKey);
      const added = new AddedRows();
      const plans: Insertable<Tables['plans']>[] = [];
      const results: Planned[] = [];
      for (const [subject, decision] of batch) {
        const { event, occurrence } = subject.listed;
        const revision = revisions.get(event.id);
        if (revision === undefined) notFound('event');
        if (revision !== event.revision)
          throw new Failure('conflict', 'the event changed while it was being planned; plan again');
        const own = rows.get(rowKey({ event_id: event.id, occurrence: occurrence.key })) ?? [];
        const planned = planSubject({ ...subject, user }, decision, own, request, nowMs);
        if (request.force) await releaseKeys(writer, own);
        await applySteps(writer, event, occurrence, planned.steps, nowMs, added);
        plans.push(planRow(subject, decision, nowMs));
        added.entries.push(decidedEntry(subject, decision, planned));
        results.push(planned);
      }
      await added.store(writer, nowMs);
      await storeDecisions(writer, plans);
      return results;
    });
  } catch (error) {
    signal.throwIfAborted();
    if (batch.length > 1) {
      // One failure must not affect other events.
      const results: Planned[] = [];
      for (const one of batch) results.push(...(await storePlans(data, [one], request, nowMs, signal)));
      return results;
    }
    if (error instanceof Failure && error.kind !== 'conflict') throw error;
    const [[{ listed }, decision]] = batch as readonly [Decided];
    if (!(error instanceof Failure)) log('error', `event ${listed.event.id} could not be planned`, error);
    const message = error instanceof Failure ? error.message : 'the event could not be planned';
    return [{ listed, decision, steps: [], dropped: [], error: message }];
  }
}

async function revisionsOf(db: Reader, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await db.selectFrom('events').select(['id', 'revision']).where('id', 'in', ids).execute();
  return new Map(rows.map(({ id, revision }) => [id, revision]));
}

function rowsOfAll(db: Reader, ids: readonly string[]): Promise<Notification[]> {
  const rows = db.selectFrom('notifications').selectAll().where('event_id', 'in', ids);
  return rows.orderBy('plan_ms').execute();
}

function rowKey({ event_id, occurrence }: Pick<Notification, 'event_id' | 'occurrence'>): string {
  return `${event_id} ${occurrence}`;
}

function planRow(
  { listed: { event, occurrence }, fingerprint: print }: Subject,
  { policy, reason, provisional }: Decision,
  nowMs: number,
): Insertable<Tables['plans']> {
  return {
    ...{ event_id: event.id, occurrence: occurrence.key, user_id: event.user_id },
    ...{ fingerprint: provisional ? '' : print, policy, reason, planned_ms: nowMs },
  };
}

async function storeDecisions({ db }: Writer, rows: readonly Insertable<Tables['plans']>[]): Promise<void> {
  await db
    .insertInto('plans')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['event_id', 'occurrence']).doUpdateSet(({ ref }) => ({
        fingerprint: ref('excluded.fingerprint'),
        policy: ref('excluded.policy'),
        reason: ref('excluded.reason'),
        planned_ms: ref('excluded.planned_ms'),
      })),
    )
    .execute();
}

function decidedEntry(
  { listed: { event, occurrence } }: Subject,
  { policy, reason }: Decision,
  { steps, dropped }: Planned,
): AuditEntry {
  const count = (action: Step['action']) => steps.filter((step) => step.action === action).length;
  const detail: JsonObject = {
    occurrence: occurrence.key,
    policy,
    reason,
    add: count('add'),
    move: count('move'),
    cancel: count('cancel'),
    keep: count('keep'),
    dropped: dropped.map(
      ({ reason: why, proposal }) => `${proposal.channel} ${proposal.offsetMinutes}: ${why}`,
    ),
  };
  return { action: 'plan.decided', userId: event.user_id, eventId: event.id, detail };
}

/** Clocks of different machines differ by less than this. */
const toleranceMs = 60_000;

/**
 * Plans reminders again that are marked as missed although their time has not come: a worker whose clock was ahead did
 * that. Its report of missed reminders is cancelled.
 */
async function reviveMissed(writer: Writer, userId: string, nowMs: number): Promise<void> {
  const { db } = writer;
  const revived = await db
    .updateTable('notifications')
    .set(({ ref }) => ({
      status: 'planned',
      next_ms: ref('plan_ms'),
      attempts: 0,
      error: null,
      owner: null,
      lease_ms: null,
      updated_ms: nowMs,
    }))
    .where('user_id', '=', userId)
    .where('status', '=', 'missed')
    .where('plan_ms', '>', nowMs + toleranceMs)
    .returning(['id', 'event_id'])
    .execute();
  if (revived.length === 0) return;
  await db
    .updateTable('notifications')
    .set({ status: 'cancelled', reason: 'the reminders were not missed', updated_ms: nowMs })
    .where('user_id', '=', userId)
    .where('status', '=', 'planned')
    .where('event_id', '=', '')
    .where('key', 'like', 'missed/%')
    .where('plan_ms', '>', nowMs + toleranceMs)
    .execute();
  for (const { id } of revived) writer.changed({ kind: 'notification', id, userId });
  await audit(
    writer,
    nowMs,
    revived.map(({ id, event_id: eventId }) => ({
      action: 'notification.revived',
      userId,
      eventId,
      notificationId: id,
      detail: { reason: 'a worker with a wrong clock marked it as missed' },
    })),
  );
}
