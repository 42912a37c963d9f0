import { auditFields, notificationWindow, planFields, testFields } from '../assistant/fields.ts';
import type { JsonObject } from '../json.ts';
import { showFields, showTable, showTime, toolCommand } from './tool-command.ts';

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
    list: {
      tool: 'listNotifications',
      positional: 'user_id',
      optional: true,
      fields: notificationWindow,
      show: ({ notifications }) =>
        showTable(
          (notifications as JsonObject[]).map(({ id, plan_time, channel, status, subject, error }) => [
            showTime(plan_time),
            channel,
            status,
            subject,
            id,
            error,
          ]),
          'Nothing is planned for this time.',
        ),
    },
    plan: { tool: 'planNotifications', positional: 'user_id', fields: planFields, show: showPlan },
    cancel: { tool: 'cancelNotification', changes: true, positional: 'notification_id', show: showFields },
    test: {
      tool: 'testNotification',
      positional: 'user_id',
      fields: testFields,
      show: ({ channel, to, outcome, detail, advice }) =>
        [`${channel} to ${to}: ${told[String(outcome)]}: ${detail}`, ...(advice ? [`${advice}`] : [])].join(
          '\n',
        ),
      code: ({ outcome }) => (outcome === 'accepted' || outcome === 'outbox' ? 0 : 1),
    },
    audit: {
      tool: 'listAudit',
      positional: 'user_id',
      optional: true,
      fields: auditFields,
      show: ({ entries }) =>
        showTable(
          (entries as JsonObject[]).map(({ at, action, event_id, notification_id, detail }) => [
            showTime(at),
            action,
            event_id,
            notification_id,
            detail === undefined ? '' : JSON.stringify(detail),
          ]),
          'Nothing is on record for this time.',
        ),
    },
    acknowledge: {
      tool: 'acknowledgeNotification',
      changes: true,
      positional: 'notification_id',
      show: showFields,
    },
  },
});

const told: Readonly<Record<string, string>> = {
  accepted: 'accepted',
  outbox: 'put into the outbox',
  temporary: 'not delivered',
  permanent: 'refused',
  unknown: 'handed over without an answer',
};

function showPlan({ policies, changes, dropped = [], errors = [], dry_run }: JsonObject): string {
  const lines = (items: unknown) => items as JsonObject[];
  const decided = lines(policies).map(
    ({ policy, reason, events }) => `${policy} decided about ${events}: ${reason}`,
  );
  const table = showTable(
    lines(changes).map(({ action, plan_time, channel, event_id, occurrence, reason }) => [
      action,
      showTime(plan_time),
      channel,
      event_id,
      occurrence,
      reason,
    ]),
    lines(policies).length === 0
      ? 'No event of the next thirty days needs a plan.'
      : 'Nothing is to be sent.',
  );
  return [
    ...decided,
    table,
    ...lines(dropped).map(
      ({ event_id, channel, offset_minutes, reason }) =>
        `not ${channel} ${offset_minutes} minutes for ${event_id}: ${reason}`,
    ),
    ...lines(errors).map(({ event_id, error }) => `${event_id}: ${error}`),
    ...(dry_run ? ['Nothing was changed: this was a dry run.'] : []),
  ].join('\n');
}
