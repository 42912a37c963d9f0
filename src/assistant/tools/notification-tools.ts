import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import {
  fitListsWith,
  fullArgument,
  omittedItems,
  type PageRequest,
  pageArguments,
  pageOf,
  wholeList,
} from '../../paging.ts';
import type { NotificationStatus } from '../../store/schema.ts';
import { defineTool, hints, type ValueOf } from '../../tool.ts';
import { type AssistantData, findEvent, findUser } from '../entities/entity-access.ts';
import { listShape, notificationShape } from '../entities/shapes.ts';
import { notificationView, timestamp } from '../entities/view.ts';
import type { ReportProgress, Step } from '../planning/plan-rows.ts';
import type { Planned, PlanReport } from '../planning/planning.ts';
import type { Model, PolicyName } from '../policy/policy.ts';
import { type RangeRequest, windowOf } from './event-list.ts';
import { lastNotification } from './event-names.ts';
import {
  auditFields,
  cancelFields,
  notificationRange,
  notificationWindow,
  onlyUser,
  planFields,
  snoozeFields,
  userId,
} from './fields.ts';
import { localTimesLength } from './local-times.ts';

const notificationId = {
  type: 'string',
  description: 'From list_notifications. With less_like_this, the default is last',
} as const;
const answeredId = {
  type: 'string',
  default: lastNotification,
  description: 'From list_notifications, or last: the one that arrived last',
} as const;

/** Without days, those of `usualDays` or `daysOfEvent` are listed. */
const { status, days_forward, days_back } = notificationWindow;
const { default: _forward, ...listedForward } = days_forward;
const { default: _back, ...listedBack } = days_back;
const listed = {
  type: 'object',
  properties: {
    user_id: onlyUser,
    event_id: auditFields.event_id,
    ...notificationRange,
    status,
    days_forward: listedForward,
    days_back: listedBack,
    ...pageArguments,
  },
} as const;
/** What the document of the contract assistant accepts. */
const documented = {
  type: 'object',
  properties: { user_id: onlyUser, ...notificationWindow, ...pageArguments },
} as const;

/** What is listed if the caller names no days: what comes, or everything about one event. */
const usualDays = { daysBack: 0, daysForward: 7 };
const daysOfEvent = { daysBack: 366, daysForward: 366 };

export interface PolicyCalls {
  /** The model of a policy, by default the configured one, for this caller; undefined means the built-in rules. */
  model(context: Context, policy?: PolicyName): Promise<Model | undefined>;
  /** False if the built-in rules decide for every caller. */
  readonly asksModel: boolean;
  readonly timeoutMs: number;
}

/** `unpaged` lists everything at once, as the document of the contract assistant says. */
export function notificationTools(
  data: AssistantData,
  policyCalls: PolicyCalls,
  timeoutMs: number,
  unpaged = false,
) {
  return [
    defineTool({
      name: 'list_notifications',
      toolsets: ['notifications'],
      scope: 'calendar:USER',
      title: 'List Notifications',
      description: 'Lists planned, sent and failed reminders by time, with channel, status and errors.',
      searchHint: 'reminders messages',
      phrases:
        'list reminders notifications alerts planned sent delivered upcoming status today ping pings coming up go out went gone failed missed due next when will remind nudge message text waiting which scheduled alarms did get received arrived about to be tell me told pending notices going to tell me missed any tomorrow',
      inputSchema: listed,
      acceptedSchema: unpaged ? documented : listed,
      outputSchema: listShape('notifications', notificationShape),
      annotations: hints.reads,
      timeoutMs,
      async call({ user_id, event_id, status, from, to, days_forward, days_back, limit, cursor }) {
        const page = unpaged ? wholeList : { limit, cursor };
        const usual = event_id === undefined ? usualDays : daysOfEvent;
        const days = {
          daysBack: days_back ?? usual.daysBack,
          daysForward: days_forward ?? usual.daysForward,
        };
        const range = unpaged ? days : { ...days, from, to };
        return { structured: await notificationList(data, user_id, range, page, status, event_id) };
      },
    }),
    defineTool({
      name: 'plan_notifications',
      toolsets: ['notifications'],
      scope: 'calendar:USER',
      title: 'Plan Notifications',
      description:
        'Plans the reminders of a user for the next 30 days. Built-in rules decide unless another policy is configured; quiet hours always hold.',
      searchHint: 'remind reminders schedule',
      phrases:
        'plan work out compute calculate recalculate decide figure out reminders notifications alerts to send coming days month again repeat set up prepare arrange organize when to remind new appointments schedule make sure rethink redo refresh timing replan generate alarms setup',
      inputSchema: {
        type: 'object',
        properties: { user_id: userId, ...planFields, ...fullArgument },
      },
      outputSchema: planShape,
      annotations: { ...hints.sets, openWorldHint: policyCalls.asksModel },
      timeoutMs: policyCalls.timeoutMs,
      async call({ user_id, event_id, force_replan = false, dry_run = false, full = false }, context) {
        const { planNotifications } = await import('../planning/planning.ts');
        const request = { userId: user_id, eventId: event_id, force: force_replan, dryRun: dry_run };
        const model = await policyCalls.model(context);
        const report: ReportProgress = (done, total, message) => context.progress(done, total, message);
        const result = await planNotifications(data, model, request, context.signal, report);
        const note = unpaged ? undefined : await planNote(data, user_id, event_id, result);
        const plan = { ...planView(result, dry_run), ...(note !== undefined && { note }) };
        const lists = ['errors', 'policies', 'changes', 'dropped'] as const;
        return { structured: full || unpaged ? plan : fitListsWith(localTimesLength, plan, ...lists) };
      },
    }),
    defineTool({
      name: 'cancel_notification',
      toolsets: ['notifications'],
      scope: 'calendar:USER',
      title: 'Cancel Notification',
      description:
        'Cancels one planned reminder. Only force_replan plans it again. To stop all reminders of an event, use update_event with empty reminders.',
      searchHint: 'reminder stop less fewer',
      phrases:
        'cancel stop skip do not send planned reminder notification alert alarm drop no need to remind ping message suppress leave out unnecessary hold back withdraw delete remove forget that one not necessary silence don’t tell nudge call off today gym without silent quiet about myself',
      inputSchema: {
        type: 'object',
        properties: {
          notification_id: notificationId,
          ...cancelFields,
        },
      },
      outputSchema: notificationShape,
      annotations: hints.replaces,
      timeoutMs,
      async call({ notification_id, less_like_this = false }) {
        if (notification_id === undefined)
          throw new Failure('invalid-params', 'notification_id is required; list_notifications shows it.');
        const { cancelNotification, preferFewer } = await import('../editing/notifications.ts');
        const cancel = less_like_this ? preferFewer : cancelNotification;
        return { structured: notificationView(await cancel(data, notification_id)) };
      },
    }),
    defineTool({
      name: 'acknowledge_notification',
      toolsets: ['notifications'],
      scope: 'calendar:USER',
      title: 'Acknowledge Notification',
      description:
        'Confirms that a reminder was seen. Ends the other reminders of that occurrence; later changes are still reported.',
      searchHint: 'reminder seen confirm',
      phrases:
        'acknowledge confirm seen read mark done reminder notification alert stop calling got it know noted understood quit bugging nagging pestering ringing thanks dismiss ok aware handled tick off already received roger enough heard yes shut up alarm off',
      inputSchema: { type: 'object', properties: { notification_id: answeredId } },
      outputSchema: notificationShape,
      annotations: hints.sets,
      timeoutMs,
      async call({ notification_id }, { client }) {
        const { acknowledgeNotification } = await import('../editing/notifications.ts');
        const by = client.name === '' ? 'mcp' : `mcp ${client.name}`;
        return { structured: notificationView(await acknowledgeNotification(data, notification_id, by)) };
      },
    }),
    defineTool({
      name: 'snooze_notification',
      toolsets: ['notifications'],
      scope: 'calendar:USER',
      title: 'Snooze Notification',
      description: 'Repeats a reminder later, before the event starts.',
      searchHint: 'reminder later again postpone',
      phrases:
        'snooze later again repeat remind me in minutes postpone put off delay reminder notification alert alarm ping nudge once more not now after lunch half past another time wait come back tell prod tomorrow instead hour defer hold hit me up busy right',
      inputSchema: {
        type: 'object',
        properties: {
          notification_id: answeredId,
          ...snoozeFields,
        },
        additionalProperties: false,
      },
      outputSchema: notificationShape,
      annotations: hints.adds,
      timeoutMs,
      async call({ notification_id, minutes, until }, { client }) {
        const { snoozeNotification } = await import('../editing/notifications.ts');
        const by = client.name === '' ? 'mcp' : `mcp ${client.name}`;
        return {
          structured: notificationView(
            await snoozeNotification(data, notification_id, { minutes, until }, by),
          ),
        };
      },
    }),
  ];
}

type NotificationList = ValueOf<ReturnType<typeof listShape<'notifications', typeof notificationShape>>>;

/** Lists notifications, for the tool and the resource. */
export async function notificationList(
  data: AssistantData,
  userId: string | undefined,
  range: Omit<RangeRequest, 'userId'>,
  page: PageRequest,
  status?: NotificationStatus,
  eventId?: string,
): Promise<NotificationList> {
  const { listNotifications, maxNotifications } = await import('../editing/notifications.ts');
  if (userId !== undefined) await data.store.read((db) => findUser(db, userId));
  const window = await windowOf(data, { ...range, userId });
  const rows = await listNotifications(data, { userId, status, eventId, ...window });
  const found = rows.slice(0, maxNotifications);
  const { items: notifications, next } = pageOf(found, notificationView, page, localTimesLength);
  const truncated = rows.length > maxNotifications && { truncated: true };
  return { notifications, count: found.length, ...next, ...truncated };
}

const text = { type: 'string' } as const;
const count = { type: 'integer' } as const;

const planShape = {
  type: 'object',
  required: ['notifications_planned', 'events_processed', 'plan_time', 'dry_run', 'policies', 'changes'],
  properties: {
    notifications_planned: count,
    events_processed: count,
    plan_time: { type: 'string', description: 'When this was planned' },
    dry_run: { type: 'boolean' },
    policies: {
      type: 'array',
      description: 'Who decided, why, and for how many events',
      items: {
        type: 'object',
        required: ['policy', 'reason', 'events'],
        properties: { policy: text, reason: text, events: count },
      },
    },
    changes: {
      type: 'array',
      description: 'The difference to what was planned before',
      items: {
        type: 'object',
        required: ['action', 'event_id', 'channel', 'plan_time', 'reason'],
        properties: {
          action: { enum: ['add', 'move', 'cancel', 'keep'] },
          notification_id: text,
          event_id: text,
          occurrence: text,
          channel: text,
          plan_time: text,
          previous_time: text,
          urgency: text,
          reason: text,
        },
      },
    },
    dropped: {
      type: 'array',
      description: 'What the policy wanted and the guards did not let pass',
      items: {
        type: 'object',
        required: ['event_id', 'offset_minutes', 'channel', 'reason'],
        properties: { event_id: text, occurrence: text, offset_minutes: count, channel: text, reason: text },
      },
    },
    note: { type: 'string', description: 'Why no event was processed' },
    truncated: { type: 'boolean', description: 'There are more events than one run plans' },
    errors: {
      type: 'array',
      items: { type: 'object', required: ['event_id', 'error'], properties: { event_id: text, error: text } },
    },
    ...omittedItems,
  },
} as const;

async function planNote(
  data: AssistantData,
  userId: string,
  eventId: string | undefined,
  { planned }: PlanReport,
): Promise<string | undefined> {
  if (planned.some(({ decision }) => decision !== undefined)) return undefined;
  if (planned.length > 0) return 'Nothing has changed since the last plan. force_replan decides again.';
  const { user, event } = await data.store.read(async (db) => ({
    user: await findUser(db, userId),
    event: eventId === undefined ? undefined : await findEvent(db, eventId),
  }));
  const { horizonNote } = await import('../planning/horizon.ts');
  const because = await horizonNote(data, user, event);
  return because === undefined ? 'No date is coming.' : `Nothing is planned: ${because}.`;
}

type PlanView = ValueOf<typeof planShape>;

function planView({ nowMs, planned, truncated }: PlanReport, dryRun: boolean): PlanView {
  const decided = planned.filter(({ decision }) => decision !== undefined);
  const dropped = planned.flatMap((one) =>
    one.dropped.map(({ proposal, reason }) => ({
      ...subject(one),
      offset_minutes: proposal.offsetMinutes,
      channel: proposal.channel,
      reason,
    })),
  );
  const errors = planned.flatMap((one) =>
    one.error === undefined ? [] : [{ event_id: one.listed.event.id, error: one.error }],
  );
  return {
    notifications_planned: planned.flatMap(({ steps }) => steps.filter(({ action }) => action === 'add'))
      .length,
    events_processed: decided.length,
    plan_time: timestamp(nowMs),
    dry_run: dryRun,
    policies: policiesOf(decided),
    changes: planned.flatMap((one) => one.steps.map((step) => ({ ...changeOf(step), ...subject(one) }))),
    ...(dropped.length > 0 && { dropped }),
    ...(truncated && { truncated }),
    ...(errors.length > 0 && { errors }),
  };
}

function subject({ listed: { event, occurrence } }: Planned) {
  return { event_id: event.id, ...(occurrence.key !== '' && { occurrence: occurrence.key }) };
}

function changeOf(step: Step) {
  const { action } = step;
  if (step.action === 'cancel') {
    const { id, channel, plan_ms } = step.row;
    return { action, notification_id: id, channel, plan_time: timestamp(plan_ms), reason: step.reason };
  }
  const { channel, planMs, urgency, reason } = step.desired;
  return {
    action,
    ...(step.action !== 'add' && { notification_id: step.row.id }),
    channel,
    plan_time: timestamp(planMs),
    ...(step.action === 'move' && { previous_time: timestamp(step.row.plan_ms) }),
    urgency,
    reason,
  };
}

function policiesOf(decided: readonly Planned[]): PlanView['policies'] {
  const groups = Map.groupBy(decided, ({ decision }) => JSON.stringify([decision!.policy, decision!.reason]));
  return [...groups.values()].map((group) => {
    const { policy, reason } = group[0]!.decision!;
    return { policy, reason, events: group.length };
  });
}
