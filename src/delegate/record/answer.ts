import { isObject } from '../../json.ts';

/** Schema of the final answer of every sub-agent. */
export const answerSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['summary', 'deliverables', 'open_questions', 'next_actions'],
  properties: {
    summary: { type: 'string' },
    deliverables: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['path', 'description'],
        properties: { path: { type: 'string' }, description: { type: 'string' } },
      },
    },
    open_questions: { type: 'array', items: { type: 'string' } },
    next_actions: { type: 'array', items: { type: 'string' } },
  },
} as const;

export interface Deliverable {
  readonly path: string;
  readonly description: string;
}

export interface Answer {
  readonly summary: string;
  readonly deliverables: readonly Deliverable[];
  readonly open_questions: readonly string[];
  readonly next_actions: readonly string[];
}

/** Returns the value if it is an answer, otherwise `undefined`. */
export function asAnswer(value: unknown): Answer | undefined {
  return isObject(value) && typeof value['summary'] === 'string' && Array.isArray(value['deliverables'])
    ? (value as unknown as Answer)
    : undefined;
}
