import { defineTool } from '../../tool.ts';
import type { ChannelOptions } from '../channels/channels.ts';
import type { AssistantData } from '../entities/entity-access.ts';
import { channels } from '../store/schema.ts';
import { testFields, userId } from './fields.ts';

/** The longest a provider may take. */
const attemptMs = 30_000;

/** Shows that a person can be reached, before it matters. It needs no worker: what is set up here is what is tried. */
export function testTool(diary: AssistantData, options: ChannelOptions, timeoutMs: number) {
  return defineTool({
    name: 'testNotification',
    title: 'Test Notification',
    description:
      'Send one test message to a user at once, also in quiet hours, and tell how it was delivered or why not',
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
        channel: { enum: channels },
        to: { type: 'string' },
        delivered: { type: 'boolean', description: 'Whether it left for the person' },
        outcome: { enum: ['accepted', 'outbox', 'temporary', 'permanent', 'unknown'] },
        detail: { type: 'string', description: 'What the other side said' },
        advice: { type: 'string', description: 'What to do about it' },
      },
    },
    annotations: { destructiveHint: false, openWorldHint: true },
    timeoutMs: timeoutMs + attemptMs,
    async call({ user_id, channel }, { signal, progress }) {
      const { sendTest } = await import('../delivery/test-notification.ts');
      const limit = AbortSignal.any([signal, AbortSignal.timeout(attemptMs)]);
      const request = { userId: user_id, channel, signal: limit };
      return {
        structured: await sendTest(diary, options, request, (message) => progress(0, undefined, message)),
      };
    },
  });
}
