import type { Problem } from '../../feature.ts';
import { Pace } from '../../pace.ts';
import { readRegularFile } from '../../regular-file.ts';

/** The rule of a message and how to fix the problem. The first pattern that matches counts; a rule can have several. */
const rules: readonly (readonly [rule: string, pattern: RegExp, remedy: string])[] = [
  ['test-failed', / failed: /, 'correct the prompt or its test'],
  [
    'undefined-variable',
    /undefined variable|is never set: it is not declared/,
    'declare it as an argument, or set it in the template',
  ],
  ['unused-argument', /the argument .* is never used$/, 'use it in the text, or remove it'],
  [
    'unknown-function',
    /unknown method/,
    'use a filter or an operator instead; docs/reference/templates.md lists them',
  ],
  [
    'unknown-function',
    /unknown (?:filter|test|function|method|tag)|cannot be called$/,
    'correct its name; docs/explanation/prompts.md lists what templates can use',
  ],
  ['missing-template', /template not found/, 'create the template, or correct its name'],
  ['placeholder-spaces', /because of the spaces inside the braces/, 'remove the spaces inside the braces'],
  ['unknown-placeholder', /does not match any argument/, 'declare the argument, or correct its name'],
  ['plain-placeholder', /is plain text here/, 'use the syntax of this kind of file'],
  ['hidden-character', /\bU\+[0-9A-F]{4,6} /, 'delete the character unless it is intended'],
  [
    'client-syntax',
    /here it stays plain text(?: \(and|$)/,
    'leave it if the prompt is used only in that program; otherwise use an argument, or write out what it stands for',
  ],
  ['unknown-field', /^the field \S+ is unknown/, 'correct its name'],
  [
    'unknown-field',
    /not supported and (?:was|were) ignored$/,
    'leave it if it is for another program; otherwise remove it',
  ],
  [
    'front-matter',
    /end delimiter$|^the front matter is never closed/,
    'add a line of three dashes after the last field',
  ],
  ['front-matter', /start delimiter$/, 'begin the file with its fields between two lines of three dashes'],
  ['front-matter', /the description is not text/, 'write the description as text, in quotes if necessary'],
  ['front-matter', /without a description$/, 'add a description to the front matter'],
  ['front-matter', /without front matter/, 'begin the file with front matter that has a description'],
  ['front-matter', /front ?matter/, 'correct the YAML between the two lines of dashes'],
  [
    'name-characters',
    /the name contains characters other than/,
    'rename it with letters, digits, underscores and hyphens',
  ],
  [
    'duplicate-name',
    /^this file is not served/,
    'rename this file or the other one, or mount their folders with different prefixes',
  ],
  [
    'duplicate-name',
    /is hidden by the prompt|already used by|is taken by|already defined|already exists/,
    'rename one of the prompts',
  ],
  ['symbolic-link', /symbolic link|this link /, 'replace the link by the file itself'],
  ['missing-folder', /folder does not exist/, 'create the folder, or correct the setting'],
  ['invalid-file', /^\S+ is missing$/, 'add it'],
  ['polling', /^polling for changes/, 'raise fs.inotify.max_user_watches'],
];

export const ruleNames: readonly string[] = [
  ...new Set([...rules.map(([rule]) => rule), 'outside-link', 'unsafe-name', 'invalid-file']),
];

const otherRemedies: Readonly<Record<string, string>> = {
  'outside-link': 'replace the link by the files themselves',
  'unsafe-name': 'rename the prompt',
  'invalid-file': 'correct the file at this place',
};

/** Adds the rule and a remedy to each problem. Everything that no other rule covers is an invalid file. */
export async function withRules(problems: readonly Problem[]): Promise<readonly Problem[]> {
  const found: Problem[] = [];
  const pace = new Pace();
  for (const problem of problems) {
    const matching = rules.find(
      ([name, pattern]) => name === (problem.rule ?? name) && pattern.test(problem.message),
    );
    const rule = problem.rule ?? matching?.[0] ?? 'invalid-file';
    const remedy = matching?.[2] ?? otherRemedies[rule] ?? rules.find(([name]) => name === rule)?.[2];
    found.push({ ...problem, rule, ...(remedy !== undefined && { remedy }) });
    const { pause } = pace;
    if (pause !== undefined) await pause;
  }
  return found;
}

const directive = /adjutant-lint-ignore:[ \t]*([\w-]+(?:[ \t]*,[ \t]*[\w-]+)*)/g;

/** Removes the problems of rules that the settings or the file itself silence. `textOf` returns the content of a file. */
export async function withoutSilenced(
  problems: readonly Problem[],
  silenced: ReadonlySet<string>,
  textOf: (file: string) => Promise<string | undefined>,
): Promise<readonly Problem[]> {
  const ignoredIn = new Map<string, (line: number | undefined, rule: string) => boolean>();
  const kept: Problem[] = [];
  const pace = new Pace();
  for (const problem of problems) {
    const { file, line, rule = '' } = problem;
    if (silenced.has(rule)) continue;
    if (!ignoredIn.has(file)) {
      ignoredIn.set(file, ignoredBy(file, (await textOf(file)) ?? ''));
      await pace.pause;
    }
    if (!ignoredIn.get(file)!(line, rule)) kept.push(problem);
  }
  return kept;
}

/** Tells which rules a file silences. */
function ignoredBy(file: string, text: string): (line: number | undefined, rule: string) => boolean {
  if (!file.endsWith('.jsonl')) {
    const ignored = directivesIn(text);
    return (_, rule) => ignored.has(rule);
  }
  if (!text.includes('lint_ignore')) return () => false;
  const lines = text.split('\n');
  return (line, rule) => line !== undefined && isIgnoredInRecord(lines[line - 1] ?? '', rule);
}

function directivesIn(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(directive)].flatMap(([, list]) => list!.split(/[ \t]*,[ \t]*/)));
}

/** A JSONL record has no comments, so it has the field `lint_ignore`. */
function isIgnoredInRecord(record: string, rule: string): boolean {
  try {
    const ignored = (JSON.parse(record) as { lint_ignore?: unknown }).lint_ignore;
    return Array.isArray(ignored) && ignored.includes(rule);
  } catch {
    return false;
  }
}

/** Removes the problems that the settings or their files on disk silence. */
export function withoutSilencedInFiles(
  problems: readonly Problem[],
  silenced: ReadonlySet<string>,
): Promise<readonly Problem[]> {
  return withoutSilenced(problems, silenced, (file) => readRegularFile(file).catch(() => undefined));
}
