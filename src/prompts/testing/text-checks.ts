import { createContext } from 'node:vm';
import { callWithTimeout } from '../../threads/timed-script.ts';
import type { TextChecks } from '../definition/prompt-test.ts';
import { runInThread } from '../files/work-thread.ts';
import { estimateTokens } from './tokens.ts';

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
  return JSON.stringify(text.length > shownLength ? `${text.slice(0, shownLength)}…` : text);
}
