import { defineTool, hints } from '../../tool.ts';
import { type ChannelConfig, channelNames } from '../entities/channels.ts';
import type { AssistantData } from '../entities/entity-access.ts';
import { testFields, userId } from './fields.ts';

/** Time limit for the provider. */
const attemptMs = 30_000;

/** Sends a test message from this process, with the settings of this process. It needs no worker. */
export function testTool(data: AssistantData, config: ChannelConfig, timeoutMs: number) {
  return defineTool({
    name: 'test_notification',
    toolsets: ['notifications'],
    scope: 'calendar:USER',
    title: 'Test Notification',
    description:
      'Sends a test message to a user at once, also in quiet hours, to check a channel. Returns the outcome with advice. At most ten in ten minutes.',
    searchHint: 'mail email call webhook check',
    phrases:
      'test try out trial send message mail email phone call ntfy webhook push channel works reaches reach really ring me see if check hello arrive get through connection sample line experiment verify deliver text dry set up properly correctly can you',
    inputSchema: {
      type: 'object',
      properties: { user_id: userId, ...testFields },
      required: ['user_id'],
    },
    outputSchema: {
      type: 'object',
      required: ['user_id', 'channel', 'to', 'delivered', 'outcome', 'detail'],
      properties: {
        user_id: { type: 'string' },
        channel: { enum: channelNames },
        to: { type: 'string' },
        delivered: { type: 'boolean', description: 'Whether it left for the person' },
        outcome: { enum: ['accepted', 'outbox', 'temporary', 'permanent', 'unknown'] },
        detail: { type: 'string', description: 'What the other side said' },
        advice: { type: 'string', description: 'What to do about it' },
      },
    },
    annotations: { ...hints.adds, openWorldHint: true },
    timeoutMs: timeoutMs + attemptMs,
    async call({ user_id, channel }, { signal, progress }) {
      const { sendTest } = await import('../delivery/test-notification.ts');
      const limit = AbortSignal.any([signal, AbortSignal.timeout(attemptMs)]);
      const request = { userId: user_id, channel, signal: limit };
      return {
        structured: await sendTest(data, config, request, (message) => progress(0, undefined, message)),
      };
    },
  });
}
