import { Check, Errors } from 'typebox/schema';
import type { PromptMessage } from '../../feature.ts';
import type { PromptTest } from '../definition/prompt-test.ts';
import { askModel, type ChatMessage, judge, type ModelOptions, parseJson } from './test-model.ts';
import { failedChecks } from './text-checks.ts';

/** Sends the messages to a model and returns one sentence for each check of its answer that fails. */
export async function failedAnswer(
  messages: readonly PromptMessage[],
  { schema, rubric, ...checks }: PromptTest['answer'] & {},
  model: ModelOptions,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const chat = messages.flatMap(({ role, content }): ChatMessage[] =>
    content.type === 'text' ? [{ role, content: content.text }] : [],
  );
  const answer = await askModel(model, chat, signal);
  const failures = [...(await failedChecks(answer, checks, 'the answer'))];
  if (schema !== undefined) failures.push(...schemaFailures(answer, schema));
  if (rubric !== undefined) {
    const verdict = await judge(model, rubric, answer, signal);
    if (verdict !== undefined) failures.push(verdict);
  }
  return failures;
}

/** Models often put JSON into a code block. */
function schemaFailures(answer: string, schema: Readonly<Record<string, unknown>>): readonly string[] {
  const text = /^```(?:json)?\s*([\s\S]*?)```\s*$/.exec(answer.trim())?.[1] ?? answer;
  const value = parseJson(text);
  if (value === undefined) return ['the answer is not JSON'];
  if (Check(schema, value)) return [];
  const [, errors] = Errors(schema, value);
  return errors
    .slice(0, 3)
    .map(({ instancePath, message }) => `the answer at ${instancePath || '/'} ${message}`);
}
