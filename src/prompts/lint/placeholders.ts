import type { PromptDefinition } from '../definition/definition.ts';
import { Lines } from '../template/position.ts';
import { CodeRanges } from './code-ranges.ts';
import type { Finding } from './finding.ts';
import { NameSuggestions } from './name-suggestions.ts';

/** Checks the placeholders in a text that is not a Jinja template. */
export function lintPlaceholders(
  definition: PromptDefinition,
  text: string,
  translated: boolean,
): readonly Finding[] {
  if (translated || definition.template === 'none') return [];
  const lines = new Lines(text);
  const code = new CodeRanges(text);
  const declared = new NameSuggestions(definition.arguments.map(({ name }) => name));
  const findings: Finding[] = [];
  for (const { 0: placeholder, 1: inner = '', index } of text.matchAll(/(?<![$\\])\{\{([^{}]*)\}\}/g)) {
    const report = (severity: Finding['severity'], message: string) =>
      findings.push({ ...lines.at(index), severity, message });
    const name = inner.trim();
    const known = declared.has(name);
    if (known && inner === name) continue;
    // An example in code, or an expression of another template language.
    if (!/^[\p{L}_][\p{L}\p{N}_-]*$/u.test(name) || code.includes(index)) continue;
    if (known)
      report(
        'error',
        `${placeholder} is not replaced because of the spaces inside the braces; write {{${name}}}`,
      );
    else if (definition.template === 'input')
      report('warning', `${placeholder} is plain text here: only {{input}} is replaced`);
    else {
      const suggestion = declared.nearest(name);
      report(
        'error',
        `${placeholder} does not match any argument${suggestion === undefined ? '' : `; did you mean {{${suggestion}}}?`}`,
      );
    }
  }
  const statement = /\{%[-+]?\s*(?:if|for|set|include|extends|macro|block|else|elif|end\w+)\b/.exec(text);
  if (statement !== null && !code.includes(statement.index))
    findings.push({
      ...lines.at(statement.index),
      severity: 'warning',
      message: 'a Jinja statement is plain text here: this prompt is not a Jinja template',
    });
  return findings;
}

/** Arguments that no text uses. */
export function unusedArguments(definition: PromptDefinition, texts: readonly string[]): readonly Finding[] {
  if (definition.template === 'input' || definition.template === 'jinja' || definition.typed) return [];
  const used = new Set(
    texts.flatMap((text) => [...text.matchAll(/\{\{([^{}]+)\}\}/g)].map(([, name]) => name)),
  );
  return definition.arguments
    .filter(({ name }) => !used.has(name))
    .map(({ name }) => ({ severity: 'warning', message: `the argument ${name} is never used` }));
}
