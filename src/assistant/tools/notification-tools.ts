import type { Context } from '../../context.ts';
import { defineTool, type ValueOf } from '../../tool.ts';
import { type AssistantData, findUser } from '../entities/entity-access.ts';
import { listShape, notificationShape } from '../entities/shapes.ts';
import { notificationView } from '../entities/view.ts';
import type { ReportProgress } from '../planning/plan-progress.ts';
import { planShape, planView } from '../planning/plan-view.ts';
import type { Model } from '../policy/policy.ts';
import type { NotificationStatus } from '../store/schema.ts';
import { notificationWindow, planFields, userId } from './fields.ts';

const dayMs = 86_400_000;
const notificationId = { type: 'string', description: 'Notification ID' } as const;

export interface Planner {
  /** The model that decides for this caller; undefined means the built-in rules. */
  model(context: Context): Promise<Model | undefined>;
  readonly timeoutMs: number;
}

export function notificationTools(data: AssistantData, planner: Planner, timeoutMs: number) {
  return [
    defineTool({
      name: 'list_notifications',
      title: 'List Notifications',
      description: 'List notifications with filters',
      inputSchema: {
        type: 'object',
        properties: {
          user_id: { type: 'string', description: 'Filter by user ID' },
          ...notificationWindow,
        },
      },
      outputSchema: listShape('notifications', notificationShape),
      annotations: { readOnlyHint: true, openWorldHint: false },
      timeoutMs,
      async call({ user_id, status, days_forward = 7, days_back = 0 }) {
        return { structured: await notificationList(data, user_id, days_back, days_forward, status) };
      },
    }),
    defineTool({
      name: 'plan_notifications',
      title: 'Plan Notifications',
      description: 'Plan notifications for user events using LLM policy',
      inputSchema: {
        type: 'object',
        properties: { user_id: userId, ...planFields },
        required: ['user_id'],
      },
      outputSchema: planShape,
      annotations: { destructiveHint: false, idempotentHint: true, openWorldHint: true },
      timeoutMs: planner.timeoutMs,
      async call({ user_id, event_id, force_replan = false, dry_run = false }, context) {
        const { planNotifications } = await import('../planning/planning.ts');
        const request = { userId: user_id, eventId: event_id, force: force_replan, dryRun: dry_run };
        const model = await planner.model(context);
        const report: ReportProgress = (done, total, message) => context.progress(done, total, message);
        const result = await planNotifications(data, model, request, context.signal, report);
        return { structured: planView(result, dry_run) };
      },
    }),
    defineTool({
      name: 'cancel_notification',
      title: 'Cancel Notification',
      description: 'Cancel a planned notification; it stays cancelled until a new plan is forced',
      inputSchema: {
        type: 'object',
        properties: { notification_id: notificationId },
        required: ['notification_id'],
      },
      outputSchema: notificationShape,
      annotations: { destructiveHint: true, idempotentHint: true, openWorldHint: false },
      timeoutMs,
      async call({ notification_id }) {
        const { cancelNotification } = await import('../editing/notifications.ts');
        return { structured: notificationView(await cancelNotification(data, notification_id)) };
      },
    }),
    defineTool({
      name: 'acknowledge_notification',
      title: 'Acknowledge Notification',
      description:
        'Confirm that a notification was seen. Ends all reminders of the same occurrence, on every channel; a later move or cancellation is still reported.',
      inputSchema: {
        type: 'object',
        properties: { notification_id: notificationId },
        required: ['notification_id'],
      },
      outputSchema: notificationShape,
      annotations: { destructiveHint: false, idempotentHint: true, openWorldHint: false },
      timeoutMs,
      async call({ notification_id }, { client }) {
        const { acknowledgeNotification } = await import('../editing/notifications.ts');
        const by = client.name === '' ? 'mcp' : `mcp ${client.name}`;
        return { structured: notificationView(await acknowledgeNotification(data, notification_id, by)) };
      },
    }),
  ];
}

type NotificationList = ValueOf<ReturnType<typeof listShape<'notifications', typeof notificationShape>>>;

/** Lists notifications, for the tool and the resource. */
export async function notificationList(
  data: AssistantData,
  userId: string | undefined,
  back: number,
  forward: number,
  status?: NotificationStatus,
): Promise<NotificationList> {
  const { listNotifications, maxNotifications } = await import('../editing/notifications.ts');
  if (userId !== undefined) await data.store.read((db) => findUser(db, userId));
  const now = data.clock();
  const window = { fromMs: now - back * dayMs, toMs: now + forward * dayMs };
  const rows = await listNotifications(data, { userId, status, ...window });
  const notifications = rows.slice(0, maxNotifications).map(notificationView);
  const truncated = rows.length > maxNotifications && { truncated: true };
  return { notifications, count: notifications.length, ...truncated };
}
