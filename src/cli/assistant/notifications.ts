import type { ToolAnswer } from '../../api.ts';
import { auditFields, notificationWindow, planFields, testFields } from '../../assistant/tools/fields.ts';
import { showFields, showTable, showTime, toolAction, toolCommand } from '../client/tool-command.ts';

export const notifications = toolCommand({
  name: 'notifications',
  summary: 'Plan what to send, see it, try it, call it off, acknowledge it.',
  settings: [
    'assistant.database_url',
    'assistant.policy',
    'assistant.model_url',
    'assistant.model',
    'delivery.smtp_url',
    'delivery.mail_from',
    'delivery.outbox_dir',
  ],
  actions: {
    list: toolAction({
      tool: 'listNotifications',
      positional: 'user_id',
      optional: true,
      fields: notificationWindow,
      show: ({ notifications }) =>
        showTable(
          notifications.map(({ id, plan_time, channel, status, subject, error }) => [
            showTime(plan_time),
            channel,
            status,
            subject,
            id,
            error,
          ]),
          'Nothing is planned for this time.',
        ),
    }),
    plan: toolAction({
      tool: 'planNotifications',
      positional: 'user_id',
      fields: planFields,
      show: showPlan,
    }),
    cancel: toolAction({
      tool: 'cancelNotification',
      changes: true,
      positional: 'notification_id',
      show: showFields,
    }),
    test: toolAction({
      tool: 'testNotification',
      positional: 'user_id',
      fields: testFields,
      show: ({ channel, to, outcome, detail, advice }) =>
        [`${channel} to ${to}: ${told[outcome]}: ${detail}`, ...(advice ? [`${advice}`] : [])].join('\n'),
      code: ({ outcome }) => (outcome === 'accepted' || outcome === 'outbox' ? 0 : 1),
    }),
    audit: toolAction({
      tool: 'listAudit',
      positional: 'user_id',
      optional: true,
      fields: auditFields,
      show: ({ entries }) =>
        showTable(
          entries.map(({ at, action, event_id, notification_id, detail }) => [
            showTime(at),
            action,
            event_id,
            notification_id,
            detail === undefined ? '' : JSON.stringify(detail),
          ]),
          'Nothing is on record for this time.',
        ),
    }),
    acknowledge: toolAction({
      tool: 'acknowledgeNotification',
      changes: true,
      positional: 'notification_id',
      show: showFields,
    }),
  },
});

const told: Readonly<Record<string, string>> = {
  accepted: 'accepted',
  outbox: 'put into the outbox',
  temporary: 'not delivered',
  permanent: 'refused',
  unknown: 'handed over without an answer',
};

function showPlan({
  policies,
  changes,
  dropped = [],
  errors = [],
  dry_run,
}: ToolAnswer<'planNotifications'>): string {
  const decided = policies.map(
    ({ policy, reason, events }) => `${policy} decided about ${events}: ${reason}`,
  );
  const table = showTable(
    changes.map(({ action, plan_time, channel, event_id, occurrence, reason }) => [
      action,
      showTime(plan_time),
      channel,
      event_id,
      occurrence,
      reason,
    ]),
    policies.length === 0 ? 'No event of the next thirty days needs a plan.' : 'Nothing is to be sent.',
  );
  return [
    ...decided,
    table,
    ...dropped.map(
      ({ event_id, channel, offset_minutes, reason }) =>
        `not ${channel} ${offset_minutes} minutes for ${event_id}: ${reason}`,
    ),
    ...errors.map(({ event_id, error }) => `${event_id}: ${error}`),
    ...(dry_run ? ['Nothing was changed: this was a dry run.'] : []),
  ].join('\n');
}
