import type { ToolAnswer } from '../../api.ts';
import { wholeList } from '../../paging.ts';
import { showFields, showTime, toolAction, zoneIn } from '../client/tool-command.ts';
import { type Command, number, text, toggle } from '../terminal/command.ts';
import { type Terminal, tableText } from '../terminal/terminal.ts';

const person = { args: '[PERSON]', words: ['user_id'] } as const;
const notification = { args: 'NOTIFICATION', words: ['notification_id'], changes: true } as const;

export const notifications: Command = {
  name: 'notifications',
  summary: 'Reminders: plan, see, test, cancel, snooze and acknowledge them',
  actions: {
    list: toolAction({
      tool: 'list_notifications',
      defaults: wholeList,
      ...person,
      summary: 'List reminders',
      flags: {
        'event-id': text('EVENT', 'Only for this event'),
        status: text('STATUS', 'Only planned, sent, failed and so on'),
        from: text('DAY', 'First day or time; now, unless given'),
        to: text('DAY', 'Last day, included; a week later, unless given'),
        'days-forward': number('DAYS', 'End in so many days; 7, unless given'),
        'days-back': number('DAYS', 'Start so many days ago; today, unless given'),
      },
      examples: ['notifications list', 'notifications list ada --days-back 7'],
      show: ({ notifications }, terminal) =>
        rowsText(
          terminal,
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
      ...person,
      summary: 'Plan the reminders of the next 30 days',
      flags: {
        'event-id': text('EVENT', 'Only for this event'),
        'force-replan': toggle('Decide again, also about cancelled reminders'),
        'dry-run': toggle('Show the plan without storing it'),
      },
      examples: ['notifications plan', 'notifications plan ada --dry-run'],
      defaults: { full: true },
      show: showPlan,
    }),
    cancel: toolAction({
      tool: 'cancel_notification',
      ...notification,
      summary: 'Cancel a reminder',
      flags: { 'less-like-this': toggle('Also remind less of events with this title') },
      examples: ['notifications cancel 5f2c', 'notifications cancel 5f2c --less-like-this'],
      show: showFields,
    }),
    test: toolAction({
      tool: 'test_notification',
      ...person,
      summary: 'Send a test message',
      flags: { channel: text('CHANNEL', 'Channel to test; the preferred one, unless given') },
      examples: ['notifications test', 'notifications test ada --channel ntfy'],
      show: ({ channel, to, outcome, detail, advice }) =>
        [`${channel} to ${to}: ${outcomeTexts[outcome]}: ${detail}`, ...(advice ? [`${advice}`] : [])].join(
          '\n',
        ),
      code: ({ outcome }) => (outcome === 'accepted' || outcome === 'outbox' ? 0 : 1),
    }),
    explain: toolAction({
      tool: 'explain_notifications',
      ...person,
      summary: 'Explain why reminders were or were not sent',
      flags: {
        'event-id': text('EVENT', 'Only for this event'),
        'notification-id': text('NOTIFICATION', 'Only for this reminder'),
        'days-back': number('DAYS', 'Start so many days ago; 7, unless given'),
        limit: number('COUNT', 'Most entries; 100, unless given'),
      },
      examples: ['notifications explain', 'notifications explain ada --days-back 30'],
      defaults: { limit: 100 },
      show: ({ because, entries }, terminal) => {
        const rows = entries.map(({ at, action, event_id, notification_id, detail, times = 1 }) => [
          showTime(at),
          times === 1 ? action : `${action} (${times} times)`,
          event_id,
          notification_id,
          detail === undefined ? '' : JSON.stringify(detail),
        ]);
        const listed = rowsText(terminal, rows, 'Nothing was decided in this time.');
        return because === undefined ? listed : `${because}\n${listed}`;
      },
    }),
    channels: toolAction({
      tool: 'list_channels',
      summary: 'List the channels and whether they are set up',
      examples: ['notifications channels', 'notifications channels --json'],
      show: ({ channels }, terminal) =>
        rowsText(
          terminal,
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
      summary: 'Show messages that were written to the outbox instead of being sent',
      flags: { limit: number('COUNT', 'Most messages; 20, unless given') },
      examples: ['notifications outbox', 'notifications outbox --limit 3'],
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
      ...person,
      summary: 'Show which reminders other settings would have sent',
      flags: {
        days: number('DAYS', 'How many past days; 30, unless given'),
        reminders: { ...text('JSON', 'Lead times to try, such as {"online":["5m"]}'), format: 'json' },
        policy: text('NAME', 'Who decides: rules, or the policy of the settings'),
      },
      examples: ['notifications replay', 'notifications replay ada --days 90'],
      show: ({ reminders, before, now, dropped }, terminal) =>
        [
          rowsText(
            terminal,
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
      ...notification,
      summary: 'Send a reminder again later',
      flags: {
        minutes: number('MINUTES', 'In so many minutes; 10, unless given'),
        until: text('TIME', 'At this time instead, such as 17:30'),
      },
      examples: ['notifications snooze 5f2c', 'notifications snooze 5f2c --until 17:30'],
      show: showFields,
    }),
    acknowledge: toolAction({
      tool: 'acknowledge_notification',
      ...notification,
      summary: 'Say that a reminder was noticed',
      examples: ['notifications acknowledge 5f2c', 'notifications list --days-back 1'],
      show: showFields,
    }),
  },
};

const outcomeTexts: Readonly<Record<string, string>> = {
  accepted: 'accepted',
  outbox: 'written to the outbox',
  temporary: 'not delivered',
  permanent: 'rejected',
  unknown: 'sent, but not confirmed',
};

function showPlan(
  { policies, changes, dropped = [], errors = [], dry_run }: ToolAnswer<'plan_notifications'>,
  terminal: Terminal,
): string {
  const decisions = policies.map(
    ({ policy, reason, events }) => `${policy} planned ${events} event${events === 1 ? '' : 's'}: ${reason}`,
  );
  const table = rowsText(
    terminal,
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
        `skipped  ${channel}  ${event_id}  ${Math.abs(offset_minutes)} minutes ${offset_minutes < 0 ? 'before' : 'after'}: ${reason}`,
    ),
    ...errors.map(({ event_id, error }) => `${event_id}: ${error}`),
    ...(dry_run ? ['Dry run: nothing was changed.'] : []),
  ].join('\n');
}

/** Rows in columns, or a text if there are none. */
function rowsText(terminal: Terminal, rows: readonly (readonly unknown[])[], empty: string): string {
  return rows.length === 0 ? empty : tableText(terminal, undefined, rows);
}

/** The time in the zone of the person, which answers name beside the instant. */
function planTime({
  plan_time,
  plan_local,
}: {
  readonly plan_time: string;
  readonly plan_local?: string;
}): string {
  return showTime(plan_time, zoneIn(plan_local));
}
