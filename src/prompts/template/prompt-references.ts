import { renameReferences } from './template-references.ts';

/**
 * A template can use another prompt: `{% include "library:name" %}` or `{{ prompt("name", topic="x") }}`. Both become an
 * include of a template named `prompt:NAME.md`. The extension keeps the engine from escaping the text.
 */
const promptTemplate = /^prompt:(.+)\.md$/s;
const mayUsePrompts = /\bprompt\s{0,20}\(|\{%[-+]?\s{0,20}(?:include|import|extends|from)\b[^%]*:/;
/** The limits keep the search linear in hostile texts. */
const promptCall =
  /\{\{([-+]?)\s{0,20}prompt\s{0,20}\(\s{0,20}("(?:\\.|[^"\\]){1,500}"|'(?:\\.|[^'\\]){1,500}')\s{0,20}(?:,([^{}]{0,1000}?))?,?\s{0,20}\)\s{0,20}([-+]?)\}\}/y;
/** A macro of the template itself, or of one that it imports. */
const ownPrompt =
  /\{%[-+]?\s{0,20}(?:macro\s{1,20}prompt\b|from\b[^%]{0,500}?\bimport\b[^%]{0,500}?\bprompt\b)/;
const usedTemplate = /(["'])prompt:((?:(?!\1)[^\\]){1,500})\.md\1/g;

/** Replaces references to prompts with includes of their templates. Line numbers stay the same. */
export function withPromptReferences(source: string): string {
  if (!mayUsePrompts.test(source)) return source;
  const definesPrompt = ownPrompt.test(source);
  return renameReferences(
    source,
    (name) => (name.includes(':') ? templateOf(name) : name),
    (index) => {
      promptCall.lastIndex = index;
      const found = definesPrompt ? null : promptCall.exec(source);
      if (found === null) return undefined;
      const [all, before, quoted, values, after] = found;
      const include = `include ${quoted![0]}${templateOf(quoted!.slice(1, -1))}${quoted![0]}`;
      const text =
        values === undefined || values.trim() === ''
          ? `{%${before} ${include} ${after}%}`
          : `{%${before} with ${values.trim()} %}{% ${include} %}{% endwith ${after}%}`;
      return { text, end: index + all.length };
    },
  );
}

/** The names of the prompts that a template uses, after `withPromptReferences`. */
export function promptNames(source: string): readonly string[] {
  return [...source.matchAll(usedTemplate)].map(([, , name]) => name!);
}

/** The prompt for which a template stands, or `undefined` for a template file. */
export function promptOf(template: string): string | undefined {
  return promptTemplate.exec(template)?.[1];
}

/** The name of a template for messages. */
export function templateLabel(template: string): string {
  const prompt = promptOf(template);
  return prompt === undefined ? template : `the prompt ${prompt}`;
}

function templateOf(name: string): string {
  return promptTemplate.test(name) ? name : `prompt:${name}.md`;
}
