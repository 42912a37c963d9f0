import type { Problem } from '../../feature.ts';

/** The rule of a message. The first pattern that matches counts. */
const rules: readonly (readonly [rule: string, pattern: RegExp])[] = [
  ['test-failed', / failed: /],
  ['undefined-variable', /undefined variable|is never set: it is not declared/],
  ['unused-argument', /the argument .* is never used$/],
  ['unknown-function', /unknown (?:filter|test|function|method|tag)|cannot be called$/],
  ['missing-template', /template not found/],
  ['placeholder-spaces', /because of the spaces inside the braces/],
  ['unknown-placeholder', /does not match any argument/],
  ['plain-placeholder', /is plain text here/],
  ['hidden-character', /\bU\+[0-9A-F]{4,6} /],
  ['client-syntax', /here it stays plain text$/],
  ['unknown-field', /not supported and (?:was|were) ignored$/],
  ['front-matter', /front ?matter|the description is not text/],
  ['name-characters', /the name contains characters other than/],
  ['duplicate-name', /is hidden by the prompt|already used by|is taken by|already defined|already exists/],
  ['symbolic-link', /symbolic link|this link /],
  ['missing-folder', /folder does not exist/],
  ['polling', /^polling for changes/],
];

export const ruleNames: readonly string[] = [
  ...rules.map(([rule]) => rule),
  'outside-link',
  'unsafe-name',
  'invalid-file',
];

/** Adds the rule to each problem. Everything that no other rule covers is an invalid file. */
export function withRules(problems: readonly Problem[]): readonly Problem[] {
  return problems.map((problem) => ({
    ...problem,
    rule: problem.rule ?? rules.find(([, pattern]) => pattern.test(problem.message))?.[0] ?? 'invalid-file',
  }));
}

const directive = /adjutant-lint-ignore:[ \t]*([\w-]+(?:[ \t]*,[ \t]*[\w-]+)*)/g;

/** Removes the problems of rules that the settings or the file itself silence. `textOf` returns the content of a file. */
export function withoutSilenced(
  problems: readonly Problem[],
  silenced: ReadonlySet<string>,
  textOf: (file: string) => string | undefined,
): readonly Problem[] {
  const byFile = new Map<string, ReadonlySet<string>>();
  const texts = new Map<string, string>();
  return problems.filter(({ file, line, rule = '' }) => {
    if (silenced.has(rule)) return false;
    if (!texts.has(file)) texts.set(file, textOf(file) ?? '');
    const text = texts.get(file)!;
    if (file.endsWith('.jsonl')) return !isIgnoredInRecord(text, line, rule);
    const ignored = byFile.get(file) ?? directivesIn(text);
    byFile.set(file, ignored);
    return !ignored.has(rule);
  });
}

function directivesIn(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(directive)].flatMap(([, list]) => list!.split(/[ \t]*,[ \t]*/)));
}

/** A JSONL record has no comments, so it has the field `lint_ignore`. */
function isIgnoredInRecord(text: string, line: number | undefined, rule: string): boolean {
  if (line === undefined || !text.includes('lint_ignore')) return false;
  try {
    const ignored = (JSON.parse(text.split('\n')[line - 1] ?? '') as { lint_ignore?: unknown }).lint_ignore;
    return Array.isArray(ignored) && ignored.includes(rule);
  } catch {
    return false;
  }
}
