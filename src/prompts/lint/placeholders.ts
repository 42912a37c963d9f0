import { nearest } from '../../nearest.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import { Lines } from '../template/position.ts';
import type { Finding } from './finding.ts';

/** Looks at the places of arguments in a text that is no Jinja. */
export function lintPlaceholders(
  definition: PromptDefinition,
  text: string,
  translated: boolean,
): readonly Finding[] {
  if (translated || definition.template === 'none') return [];
  const lines = new Lines(text);
  const declared = definition.arguments.map(({ name }) => name);
  const findings: Finding[] = [];
  for (const { 0: written, 1: inner = '', index } of text.matchAll(/\{\{([^{}]*)\}\}/g)) {
    const tell = (severity: Finding['severity'], message: string) =>
      findings.push({ ...lines.at(index), severity, message });
    const name = inner.trim();
    const known = declared.includes(name);
    if (known && inner === name) continue;
    if (known) tell('error', `${written} is plain text here, because of its blanks; write {{${name}}}`);
    else if (definition.template === 'input') {
      if (/^[\w.-]+$/.test(name))
        tell('warning', `${written} is plain text here: only {{input}} is replaced`);
      else tell('warning', `${written} is plain text here: this prompt is not a Jinja template`);
    } else if (/^[^\s|.()[\]'"]+$/.test(name)) {
      const meant = nearest(name, declared);
      tell('error', `${written} has no argument${meant === undefined ? '' : `; did you mean {{${meant}}}?`}`);
    } else tell('warning', `${written} is plain text here: this prompt is not a Jinja template`);
  }
  const statement = /\{%[-+]?\s*(?:if|for|set|include|extends|macro|block|else|elif|end\w+)\b/.exec(text);
  if (statement !== null)
    findings.push({
      ...lines.at(statement.index),
      severity: 'warning',
      message: 'a Jinja statement is plain text here: this prompt is not a Jinja template',
    });
  return findings;
}

/** Arguments that stand in none of the texts. */
export function unusedArguments(definition: PromptDefinition, texts: readonly string[]): readonly Finding[] {
  if (definition.template === 'input' || definition.template === 'jinja' || definition.typed) return [];
  const missing = (name: string) => !texts.some((text) => text.includes(`{{${name}}}`));
  return definition.arguments
    .filter(({ name }) => missing(name))
    .map(({ name }) => ({ severity: 'warning', message: `the argument ${name} has no place in the text` }));
}
