import { defineTool, hints } from '../../tool.ts';
import type { AssistantData } from '../entities/entity-access.ts';
import { timestamp } from '../entities/view.ts';
import { userId } from './fields.ts';
import type { PolicyCalls } from './notification-tools.ts';
import { replayFields } from './user-fields.ts';

const text = { type: 'string' } as const;
const count = { type: 'integer' } as const;

/** Shows what a user would have received under other settings. */
export function replayTool(data: AssistantData, policyCalls: PolicyCalls) {
  return defineTool({
    name: 'replay_notifications',
    toolsets: ['notifications'],
    scope: 'calendar:USER',
    title: 'Replay Notifications',
    description:
      'Compares the reminders of the past days with those under the current policy or other lead times. Changes nothing.',
    searchHint: 'what if reminders settings try backtest simulate',
    phrases:
      'replay what if would have got past reminders under other settings policy compare backtest simulate different earlier had been last week difference pretend imagine hypothetically try rules on the past instead simulation',
    inputSchema: {
      type: 'object',
      properties: { user_id: userId, ...replayFields },
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      required: ['reminders', 'before', 'now', 'dropped'],
      properties: {
        before: { ...count, description: 'Reminders that were sent' },
        now: { ...count, description: 'Reminders under these settings' },
        dropped: { ...count, description: 'Proposals that the guards refuse' },
        reminders: {
          type: 'array',
          items: {
            type: 'object',
            required: ['outcome', 'plan_time', 'channel', 'title', 'event_id', 'reason'],
            properties: {
              outcome: { enum: ['both', 'only before', 'only now'] },
              plan_time: text,
              channel: text,
              title: text,
              event_id: text,
              occurrence: text,
              reason: text,
            },
          },
        },
        truncated: { type: 'boolean' },
      },
    },
    annotations: { ...hints.reads, openWorldHint: policyCalls.asksModel },
    timeoutMs: policyCalls.timeoutMs,
    async call({ user_id, days = 30, reminders, policy }, context) {
      const { replayNotifications } = await import('../planning/replay.ts');
      const model = await policyCalls.model(context, policy);
      const replay = await replayNotifications(data, model, user_id, days, reminders, context.signal);
      const shown = replay.reminders.slice(0, maxListed);
      return {
        structured: {
          before: replay.reminders.filter(({ outcome }) => outcome !== 'only now').length,
          now: replay.reminders.filter(({ outcome }) => outcome !== 'only before').length,
          dropped: replay.dropped,
          reminders: shown.map(({ listed: { event, occurrence }, atMs, channel, reason, outcome }) => ({
            outcome,
            plan_time: timestamp(atMs),
            channel,
            title: occurrence.title,
            event_id: event.id,
            ...(occurrence.key !== '' && { occurrence: occurrence.key }),
            reason,
          })),
          ...(shown.length < replay.reminders.length && { truncated: true }),
        },
      };
    },
  });
}

const maxListed = 200;
