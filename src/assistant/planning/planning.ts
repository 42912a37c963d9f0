import { Failure } from '../../failure.ts';
import type { JsonObject } from '../../json.ts';
import { log } from '../../log.ts';
import type { Notification } from '../../store/schema.ts';
import type { Writer } from '../../store/store.ts';
import { attendPerson } from '../attention/store-attention.ts';
import { reachableBy } from '../entities/channels.ts';
import { audit } from '../entities/decision-log.ts';
import { type AssistantData, findEvent, lockUser } from '../entities/entity-access.ts';
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
  applySteps,
  currentPlan,
  PlanProgress,
  type ReportProgress,
  releaseKeys,
  rowsOf,
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
 * about the others. Each event is stored in its own transaction, so that one failure does not affect other events.
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
  const planned: Planned[] = [];
  for (const found of subjects) {
    const decision = decisionOf.get(found);
    signal.throwIfAborted();
    if (decision === undefined) {
      planned.push(keepExisting(found));
      continue;
    }
    const subject = { ...found, prompt: await promptTextOf(data, found.listed) };
    planned.push(
      request.dryRun
        ? planSubject(subject, decision, subject.rows, request, nowMs)
        : await storePlan(data, subject, decision, request, nowMs, signal),
    );
    progress.planned(request.dryRun ? 'checked' : 'checked and stored');
  }
  if (!request.dryRun) await attendTo(data, request, planned, nowMs);
  return { nowMs, planned, truncated };
}

/** Decides what becomes a message. Planning one event concerns only the days of its reminders. */
async function attendTo(
  { store }: AssistantData,
  { userId, eventId }: PlanRequest,
  planned: readonly Planned[],
  nowMs: number,
): Promise<void> {
  const times = planned.flatMap(({ steps }) =>
    steps.flatMap((step) => [
      ...('desired' in step ? [step.desired.planMs] : []),
      ...('row' in step ? [step.row.plan_ms] : []),
    ]),
  );
  if (eventId !== undefined && times.length === 0) return;
  const window = eventId && { fromMs: Math.min(...times), toMs: Math.max(...times) };
  await store.write(async (writer) =>
    attendPerson(writer, await lockUser(writer.db, userId), nowMs, window || undefined),
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

/** Stores the plan in one transaction, after checking that the event has not changed since the decision. */
async function storePlan(
  { store }: AssistantData,
  subject: Subject & Pick<PlanInput, 'prompt'>,
  decision: Decision,
  request: PlanRequest,
  nowMs: number,
  signal: AbortSignal,
): Promise<Planned> {
  const { event, occurrence } = subject.listed;
  try {
    return await store.write(async (writer) => {
      // The caller may have cancelled while this waited for the database.
      signal.throwIfAborted();
      // The lock on the user serializes planning for that user.
      const user = await lockUser(writer.db, request.userId);
      const now = await findEvent(writer.db, event.id);
      if (now.revision !== event.revision)
        throw new Failure('conflict', 'the event changed while it was being planned; plan again');
      const rows = await rowsOf(writer.db, event.id, occurrence.key);
      const planned = planSubject({ ...subject, user }, decision, rows, request, nowMs);
      if (request.force) await releaseKeys(writer, rows);
      await applySteps(writer, event, occurrence, planned.steps, nowMs);
      await recordDecision(writer, subject, decision, planned, nowMs);
      return planned;
    });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Failure && error.kind !== 'conflict') throw error;
    if (!(error instanceof Failure)) log('error', `event ${event.id} could not be planned`, error);
    const message = error instanceof Failure ? error.message : 'the event could not be planned';
    return { listed: subject.listed, decision, steps: [], dropped: [], error: message };
  }
}

async function recordDecision(
  writer: Writer,
  { listed, fingerprint: print }: Subject,
  { policy, reason, provisional }: Decision,
  { steps, dropped }: Planned,
  nowMs: number,
): Promise<void> {
  const { event, occurrence } = listed;
  const plan = { fingerprint: provisional ? '' : print, policy, reason, planned_ms: nowMs };
  await writer.db
    .insertInto('plans')
    .values({ ...plan, event_id: event.id, occurrence: occurrence.key, user_id: event.user_id })
    .onConflict((conflict) => conflict.columns(['event_id', 'occurrence']).doUpdateSet(plan))
    .execute();
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
  await audit(writer, nowMs, [{ action: 'plan.decided', userId: event.user_id, eventId: event.id, detail }]);
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
