import { defineTool, hints } from '../../tool.ts';
import { type ChannelConfig, channelNames, channels } from '../entities/channels.ts';
import type { AssistantData } from '../entities/entity-access.ts';
import { testFields, userId } from './fields.ts';

const text = { type: 'string' } as const;

/** Describes the channels, so that the page and other clients need not know them. */
export function channelTool({ store, clock }: AssistantData, config: ChannelConfig) {
  /** Names of the channels by which a running process sends. */
  async function running(): Promise<readonly string[]> {
    const { hasSender } = await import('../delivery/heartbeat.ts');
    const names: string[] = [];
    for (const { name } of channels) if (await hasSender(store, name, clock())) names.push(name);
    return names;
  }
  return defineTool({
    name: 'list_channels',
    toolsets: ['notifications'],
    scope: 'calendar:USER',
    title: 'List Channels',
    description:
      'Lists the channels for notifications: what each is, how an address looks, and whether a provider is configured and a process is running that sends.',
    searchHint: 'mail chat push addresses configured',
    phrases:
      'channels ways to reach a person notify by mail email phone call push chat messenger ntfy webhook which are available set up configured supported address looks format how can I be reached',
    words: { channel: channelNames },
    inputSchema: { type: 'object', properties: {} },
    outputSchema: {
      type: 'object',
      required: ['channels'],
      properties: {
        channels: {
          type: 'array',
          items: {
            type: 'object',
            required: [
              'name',
              'label',
              'icon',
              'help',
              'address',
              'example',
              'sample',
              'configured',
              'settings',
            ],
            properties: {
              name: text,
              label: text,
              icon: text,
              help: text,
              address: { type: 'string', description: 'What the address is called' },
              example: { type: 'string', description: 'Form of an address in the field channels of a user' },
              sample: { type: 'string', description: 'Such an address' },
              field: {
                type: 'object',
                required: ['name', 'input', 'placeholder'],
                properties: {
                  name: { enum: ['email', 'phone_e164', 'webhook_url', 'ntfy_topic'] },
                  input: text,
                  placeholder: text,
                },
                description: 'The field of a user for the address, if it has one',
              },
              configured: { type: 'boolean', description: 'False: messages go to the outbox' },
              running: { type: 'boolean', description: 'False: nothing is running that sends by it' },
              settings: { type: 'array', items: text },
            },
          },
        },
      },
    },
    annotations: hints.reads,
    async call() {
      const senders = await running();
      return {
        structured: {
          channels: channels.map(({ name, label, icon, help, address, settings, connect }) => ({
            name,
            label,
            icon,
            help,
            address: address.noun,
            example: address.example,
            sample: address.sample,
            ...(address.field && {
              field: {
                name: address.field.name,
                input: address.field.input,
                placeholder: address.field.placeholder,
              },
            }),
            configured: connect(config, { privateHosts: [] }) !== undefined,
            running: senders.includes(name),
            settings: Object.keys(settings),
          })),
        },
      };
    },
  });
}

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
      'Sends a test message to a user at once, also in quiet hours, to check a channel. At most ten in ten minutes.',
    searchHint: 'mail email call webhook check',
    phrases:
      'test try out trial send message mail email phone call ntfy webhook push channel works reaches reach really ring me see if check hello arrive get through connection sample line experiment verify deliver text dry set up properly correctly can you',
    inputSchema: {
      type: 'object',
      properties: { user_id: userId, ...testFields },
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
      const { sendTest } = await import('../delivery/senders.ts');
      const limit = AbortSignal.any([signal, AbortSignal.timeout(attemptMs)]);
      const report = (message: string) => progress(0, undefined, message);
      return { structured: await sendTest(data, config, user_id, channel, limit, report) };
    },
  });
}
