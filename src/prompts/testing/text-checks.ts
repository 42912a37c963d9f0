import { runInNewContext } from 'node:vm';
import type { TextChecks } from '../definition/prompt-test.ts';
import { estimateTokens } from './tokens.ts';

const shownLength = 200;
const patternMs = 1000;

/** Returns one sentence for each check that fails. */
export function failedChecks(text: string, checks: TextChecks, what: string): readonly string[] {
  const failures: string[] = [];
  const { equals, contains = [], not_contains: excluded = [], matches = [], max_tokens, min_tokens } = checks;
  if (equals !== undefined && text !== equals)
    failures.push(`${what} is not equal: ${firstDifference(text, equals)}`);
  for (const part of contains)
    if (!text.includes(part)) failures.push(`${what} does not contain ${shown(part)}`);
  for (const part of excluded) if (text.includes(part)) failures.push(`${what} contains ${shown(part)}`);
  for (const pattern of matches) {
    const found = isMatch(pattern, text);
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

/** `undefined` if the pattern takes too long: a test in a shared library must not block the server. */
function isMatch(pattern: string, text: string): boolean | undefined {
  try {
    return runInNewContext(
      "new RegExp(pattern, 'u').test(text)",
      { pattern, text },
      { timeout: patternMs },
    ) as boolean;
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
