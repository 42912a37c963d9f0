import type { Context } from './context.ts';
import type { ValueOf } from './tool.ts';

/** One thing that waits for a person. It is computed from the state of a feature, so it disappears when it is no longer true. */
export const inboxItemSchema = {
  type: 'object',
  required: ['id', 'kind', 'title', 'since'],
  properties: {
    id: { type: 'string', description: 'Identifies the thing, and stays the same while it waits' },
    kind: {
      enum: [
        'approval',
        'question',
        'changes',
        'routine',
        'conflict',
        'invitation',
        'task',
        'delivery',
        'calendar',
      ],
    },
    title: { type: 'string' },
    detail: { type: 'string' },
    since: { type: 'string', description: 'Since when it waits' },
    expires_at: { type: 'string', description: 'When it expires' },
    person: {
      type: 'string',
      description: 'Id of the person it is for; absent if it is for everybody who sees it',
    },
    page: { type: 'string', description: 'Where the page shows it' },
    actions: {
      type: 'array',
      description: 'What can be done about it: calls of tools',
      items: {
        type: 'object',
        required: ['label', 'tool', 'arguments'],
        properties: { label: { type: 'string' }, tool: { type: 'string' }, arguments: { type: 'object' } },
      },
    },
  },
} as const;
export type InboxItem = ValueOf<typeof inboxItemSchema>;

/** Implemented by features with something that can wait for a person. Returns only what the actor of the context may see. */
export type ListInboxItems = (context: Context) => Promise<readonly InboxItem[]>;
