import { createContext } from 'node:vm';
import { Check, Errors } from 'typebox/schema';
import type { ChatMessage, ChatModel } from '../../chat-model.ts';
import type { PromptMessage } from '../../feature.ts';
import { parseJson } from '../../json.ts';
import { truncate } from '../../single-line.ts';
import { callWithTimeout } from '../../threads/timed-script.ts';
import type { PromptTest, TextChecks } from '../definition/definition.ts';
import { runInThread } from '../files/work-thread.ts';
import { askModel, estimateTokens, judge } from './test-model.ts';

const shownLength = 200;
const patternMs = 1000;
const shortMs = 20;

/** Returns one sentence for each check that fails. */
export async function failedChecks(
  text: string,
  checks: TextChecks,
  what: string,
): Promise<readonly string[]> {
  const failures: string[] = [];
  const { equals, contains = [], not_contains: excluded = [], matches = [], max_tokens, min_tokens } = checks;
  if (equals !== undefined && text !== equals)
    failures.push(`${what} is not equal: ${firstDifference(text, equals)}`);
  for (const part of contains)
    if (!text.includes(part)) failures.push(`${what} does not contain ${shown(part)}`);
  for (const part of excluded) if (text.includes(part)) failures.push(`${what} contains ${shown(part)}`);
  for (const pattern of matches) {
    const found = await isMatch({ pattern, text });
    if (found === undefined) failures.push(`${what}: /${pattern}/ took longer than ${patternMs / 1000} s`);
    else if (!found) failures.push(`${what} does not match /${pattern}/`);
  }
  if (max_tokens === undefined && min_tokens === undefined) return failures;
  const tokens = estimateTokens(text);
  if (max_tokens !== undefined && tokens > max_tokens)
    failures.push(`${what} has about ${tokens} tokens, more than ${max_tokens}`);
  if (min_tokens !== undefined && tokens < min_tokens)
    failures.push(`${what} has about ${tokens} tokens, fewer than ${min_tokens}`);
  return failures;
}

interface Match {
  readonly pattern: string;
  readonly text: string;
}

/** `undefined` if the pattern takes too long. A slow one goes to a thread: a test in a shared library must not block the server. */
async function isMatch(match: Match): Promise<boolean | undefined> {
  return matchPattern(match, shortMs) ?? ((await runInThread('match', match)) as boolean | undefined);
}

export function matchPattern({ pattern, text }: Match, timeout = patternMs): boolean | undefined {
  const work = () => new RegExp(pattern, 'u').test(text);
  try {
    return callWithTimeout(createContext({ work }), timeout) as boolean;
  } catch {
    return undefined;
  }
}

function firstDifference(text: string, expected: string): string {
  const [found, wanted] = [text.split('\n'), expected.split('\n')];
  const at = wanted.findIndex((line, index) => line !== found[index]);
  const line = at < 0 ? wanted.length : at;
  return `line ${line + 1} is ${shown(found[line])}, expected ${shown(wanted[line])}`;
}

function shown(text: string | undefined): string {
  if (text === undefined) return 'missing';
  return JSON.stringify(truncate(text, shownLength));
}

/** Sends the messages to a model and returns one sentence for each check of its answer that fails. */
export async function failedAnswer(
  messages: readonly PromptMessage[],
  { schema, rubric, ...checks }: PromptTest['answer'] & {},
  model: ChatModel,
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
