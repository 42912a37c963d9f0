import { defineTool, hints } from '../../tool.ts';
import { type ChannelConfig, channels } from '../entities/channels.ts';

const text = { type: 'string' } as const;

/** Describes the channels, so that the page and other clients need not know them. */
export function channelTool(config: ChannelConfig) {
  return defineTool({
    name: 'list_channels',
    toolsets: ['notifications'],
    scope: 'calendar:USER',
    title: 'List Channels',
    description:
      'Lists the channels for notifications: what each is, how an address looks, and whether a provider is configured.',
    searchHint: 'mail chat push addresses configured',
    phrases:
      'channels ways to reach a person notify by mail email phone call push chat messenger ntfy webhook which are available set up configured supported address looks format how can I be reached',
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
              settings: { type: 'array', items: text },
            },
          },
        },
      },
    },
    annotations: hints.reads,
    async call() {
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
            settings: Object.keys(settings),
          })),
        },
      };
    },
  });
}
