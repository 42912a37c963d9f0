import type { Context } from './context.ts';
import type { ValueOf } from './tool.ts';

/** The kinds of things that can wait for a person, most urgent first. */
export const inboxKinds = [
  'approval',
  'question',
  'changes',
  'routine',
  'invitation',
  'conflict',
  'task',
  'delivery',
  'calendar',
] as const;

const text = { type: 'string' } as const;

/** What an agent asks permission for, whole: a person must never decide on a shortened command. */
const requestSchema = {
  type: 'object',
  required: ['run_id', 'approval_id', 'what', 'decisions', 'gains'],
  properties: {
    run_id: text,
    approval_id: text,
    what: text,
    command: text,
    cwd: { type: 'string', description: 'If it is not that of the run' },
    diff: text,
    host: text,
    tool: text,
    arguments: { type: 'string', description: 'As JSON' },
    reason: { type: 'string', description: 'In the words of the agent' },
    gains: { type: 'string', description: 'What the agent gets if it is allowed' },
    decisions: { type: 'array', items: text },
  },
} as const;

/** One thing that waits for a person. It is computed from the state of a feature, so it disappears when it is no longer true. */
export const inboxItemSchema = {
  type: 'object',
  required: ['id', 'kind', 'title', 'since', 'actions'],
  properties: {
    id: { type: 'string', description: 'For dismiss_inbox' },
    kind: { enum: inboxKinds },
    title: text,
    detail: text,
    since: { type: 'string', description: 'Since when it waits' },
    expires_at: text,
    person: { type: 'string', description: 'Id of the person; absent if it is for everybody who sees it' },
    page: { type: 'string', description: 'Where the page shows it' },
    request: requestSchema,
    questions: { type: 'array', items: text, description: 'What an agent wants to know' },
    actions: {
      type: 'array',
      description: 'Calls of tools, for the user to decide on',
      items: {
        type: 'object',
        required: ['label', 'tool', 'arguments'],
        properties: {
          label: text,
          tool: text,
          arguments: { type: 'object' },
          asks: { type: 'string', description: "Argument for the user's words" },
        },
      },
    },
  },
} as const;
export type InboxItem = ValueOf<typeof inboxItemSchema>;

/** Implemented by features with something that can wait for a person. */
export interface InboxSource {
  /** The tool that lists the same things: whoever may not call it sees none of them. */
  readonly tool: string;
  /** Returns only what the actor of the context may see. Texts do not depend on the time, so that they only change with the thing. */
  list(context: Context): Promise<readonly InboxItem[]>;
  /** What needs the person soon, as a sentence for an inbox without entries. */
  upcoming?(context: Context): Promise<string | undefined>;
}
