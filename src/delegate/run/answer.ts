import { isObject, type JsonSchema } from '../../json.ts';

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

/** Parses the final message of an agent. `problem` says why it is not a valid answer. */
export async function validateAnswer(
  message: string | undefined,
  schema: JsonSchema | undefined,
): Promise<{ answer?: unknown; problem?: string }> {
  if (message === undefined) return { problem: 'there is no final message' };
  let value: unknown;
  try {
    value = JSON.parse(message);
  } catch {
    return { problem: 'the final message is not JSON; it is kept as the summary' };
  }
  const { Check, Errors } = await import('typebox/schema');
  if (schema === undefined || Check(schema, value)) return { answer: value };
  const [first] = Errors(schema, value)[1] as { instancePath: string; message: string }[];
  return {
    problem: `${first?.instancePath || 'the final message'} ${first?.message}; it is kept as the summary`,
  };
}
