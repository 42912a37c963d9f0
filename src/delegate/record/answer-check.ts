import type { JsonSchema } from '../../json.ts';

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
