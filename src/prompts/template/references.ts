import { posix } from 'node:path';
import { isWord, lexTemplate, splitBrackets, type Tag } from './lexer.ts';

/**
 * A template can use another prompt: `{% include "library:name" %}` or `{{ prompt("name", topic="x") }}`. Both become an
 * include of a template named `prompt:NAME.md`. The extension keeps the engine from escaping the text.
 */
const promptTemplate = /^prompt:(.+)\.md$/s;
const mayUsePrompts = /\bprompt\s{0,20}\(|\{%[-+]?\s{0,20}(?:include|import|extends|from)\b[^%]*:/;
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
    (tag) => (definesPrompt ? undefined : includeFor(source, tag)),
  );
}

/** The include for a call such as `{{ prompt("name", topic="x") }}`, or `undefined` for any other expression. */
function includeFor(source: string, { offset, end, tokens }: Tag): string | undefined {
  const [word, ...call] = tokens;
  const [, name, comma, first] = call;
  const last = call.at(-1);
  const isCall = isWord(word, 'prompt') && call[0]?.text === '(' && splitBrackets(call)[1].length === 0;
  if (!isCall || name?.kind !== 'string' || (comma !== last && comma?.text !== ',')) return undefined;
  const [before, after] = [source[offset + 2]!, source[end - 3]!].map((mark) =>
    /[-+]/.test(mark) ? mark : '',
  );
  const include = `include ${name.text[0]}${templateOf(name.text.slice(1, -1))}${name.text[0]}`;
  const values =
    first === undefined ? '' : source.slice(first.offset, last!.offset).replace(/,\s*$/, '').trim();
  return values === '' || first === last
    ? `{%${before} ${include} ${after}%}`
    : `{%${before} with ${values} %}{% ${include} %}{% endwith ${after}%}`;
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

const reference = /\{%[-+]?\s*(?:include|import|extends|from)\b/;
const referenceWord = /^(?:include|import|extends|from)$/;

/**
 * Replaces relative names such as `../part.md` in includes, imports and extends by names relative to the library's root,
 * because the engine does not resolve paths.
 */
export function resolveReferences(template: string, source: string): string {
  return renameReferences(source, (name) => resolveName(template, name));
}

/** The name of a referenced template, seen from the root of the library. */
export function resolveName(template: string, name: string): string {
  return /^\.\.?\//.test(name) ? posix.join(posix.dirname(template), name) : name;
}

/**
 * Renames the templates in includes, imports and extends. `expression` may also replace an expression. Skips comments and raw
 * blocks. Stops at a syntax error, which the engine reports.
 */
export function renameReferences(
  source: string,
  rename: (name: string) => string,
  expression?: (tag: Tag) => string | undefined,
): string {
  if (expression === undefined && !reference.test(source)) return source;
  let text = '';
  let copied = 0;
  const replace = (from: number, to: number, by: string) => {
    text += source.slice(copied, from) + by;
    copied = to;
  };
  for (const tag of lexTemplate(source)) {
    const replaced = tag.kind === 'expression' ? expression?.(tag) : undefined;
    if (replaced !== undefined) replace(tag.offset, tag.end, replaced);
    if (tag.kind !== 'statement' || !referenceWord.test(tag.tokens[0]?.text ?? '')) continue;
    for (const { kind, text: quoted, offset } of tag.tokens)
      if (kind === 'string')
        replace(offset, offset + quoted.length, quoted[0] + rename(quoted.slice(1, -1)) + quoted[0]);
  }
  return text + source.slice(copied);
}
