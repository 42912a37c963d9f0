import type { ToolAnswer } from '../../api.ts';
import { describeTiming } from '../../assistant/planning/date-format.ts';
import {
  auditFields,
  cancelFields,
  notificationWindow,
  planFields,
  snoozeFields,
  testFields,
} from '../../assistant/tools/fields.ts';
import { replayFields } from '../../assistant/tools/user-fields.ts';
import { pageArguments, wholeList } from '../../paging.ts';
import { showFields, showTable, showTime, toolAction, toolCommand } from '../client/tool-command.ts';

export const notifications = toolCommand({
  name: 'notifications',
  summary: 'Plan, list, replay, test, cancel, snooze and acknowledge notifications.',
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
      tool: 'list_notifications',
      defaults: wholeList,
      positional: 'user_id',
      optional: true,
      fields: notificationWindow,
      show: ({ notifications }) =>
        showTable(
          notifications.map(({ id, channel, status, subject, error, ...times }) => [
            planTime(times),
            channel,
            status,
            subject,
            id,
            error,
          ]),
          'No notifications in this time.',
        ),
    }),
    plan: toolAction({
      tool: 'plan_notifications',
      positional: 'user_id',
      fields: planFields,
      defaults: { full: true },
      show: showPlan,
    }),
    cancel: toolAction({
      tool: 'cancel_notification',
      changes: true,
      positional: 'notification_id',
      fields: cancelFields,
      show: showFields,
    }),
    test: toolAction({
      tool: 'test_notification',
      positional: 'user_id',
      fields: testFields,
      show: ({ channel, to, outcome, detail, advice }) =>
        [`${channel} to ${to}: ${outcomeTexts[outcome]}: ${detail}`, ...(advice ? [`${advice}`] : [])].join(
          '\n',
        ),
      code: ({ outcome }) => (outcome === 'accepted' || outcome === 'outbox' ? 0 : 1),
    }),
    explain: toolAction({
      tool: 'explain_notifications',
      positional: 'user_id',
      optional: true,
      fields: { ...auditFields, limit: { ...pageArguments.limit, description: 'Number of entries' } },
      defaults: { limit: 100 },
      show: ({ entries }) =>
        showTable(
          entries.map(({ at, action, event_id, notification_id, detail }) => [
            showTime(at),
            action,
            event_id,
            notification_id,
            detail === undefined ? '' : JSON.stringify(detail),
          ]),
          'Nothing was decided in this time.',
        ),
    }),
    channels: toolAction({
      tool: 'list_channels',
      fields: {},
      show: ({ channels }) =>
        showTable(
          channels.map(({ name, configured, example, help }) => [
            name,
            configured ? 'configured' : 'to the outbox',
            example,
            help,
          ]),
          'No channels.',
        ),
    }),
    outbox: toolAction({
      tool: 'list_outbox',
      fields: { limit: { ...pageArguments.limit, description: 'Number of messages' } },
      defaults: { limit: 20 },
      show: ({ messages, folder }) =>
        messages
          .map(({ file, subject, to, preview }) =>
            [
              `${folder}/${file}`,
              ...(to ? [`To: ${to}`] : []),
              ...(subject ? [`Subject: ${subject}`] : []),
              '',
              preview,
            ]
              .join('\n')
              .trimEnd(),
          )
          .join('\n\n') || `No messages in ${folder}.`,
    }),
    replay: toolAction({
      tool: 'replay_notifications',
      positional: 'user_id',
      fields: replayFields,
      show: ({ reminders, before, now, dropped }) =>
        [
          showTable(
            reminders.map(({ outcome, channel, title, reason, ...times }) => [
              outcome,
              planTime(times),
              channel,
              title,
              reason,
            ]),
            'No reminders in this time.',
          ),
          `${before} sent, ${now} under these settings, ${dropped} refused by the guards.`,
        ].join('\n'),
    }),
    snooze: toolAction({
      tool: 'snooze_notification',
      changes: true,
      positional: 'notification_id',
      fields: snoozeFields,
      show: showFields,
    }),
    acknowledge: toolAction({
      tool: 'acknowledge_notification',
      changes: true,
      positional: 'notification_id',
      show: showFields,
    }),
  },
});

const outcomeTexts: Readonly<Record<string, string>> = {
  accepted: 'accepted',
  outbox: 'written to the outbox',
  temporary: 'not delivered',
  permanent: 'rejected',
  unknown: 'sent, but not confirmed',
};

function showPlan({
  policies,
  changes,
  dropped = [],
  errors = [],
  dry_run,
}: ToolAnswer<'plan_notifications'>): string {
  const decisions = policies.map(
    ({ policy, reason, events }) => `${policy} planned ${events} event${events === 1 ? '' : 's'}: ${reason}`,
  );
  const table = showTable(
    changes.map(({ action, channel, event_id, occurrence, reason, ...times }) => [
      action,
      planTime(times),
      channel,
      event_id,
      occurrence,
      reason,
    ]),
    policies.length === 0 ? 'No events to plan in the next thirty days.' : 'No notifications to send.',
  );
  return [
    ...decisions,
    table,
    ...dropped.map(
      ({ event_id, channel, offset_minutes, reason }) =>
        `skipped  ${channel}  ${event_id}  ${describeTiming(offset_minutes, 0, 'en')}: ${reason}`,
    ),
    ...errors.map(({ event_id, error }) => `${event_id}: ${error}`),
    ...(dry_run ? ['Dry run: nothing was changed.'] : []),
  ].join('\n');
}

/** The local time of the person, which answers carry beside the instant. */
function planTime({
  plan_time,
  plan_local,
}: {
  readonly plan_time: string;
  readonly plan_local?: string;
}): string {
  return plan_local ?? showTime(plan_time);
}
