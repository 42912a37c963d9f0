import { posix } from 'node:path';

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

const rawTag = /\{%[-+]?\s*raw\s*[-+]?%\}/y;
const endRawTag = /\{%[-+]?\s*endraw\s*[-+]?%\}/g;
const referenceTag = /\{%[-+]?\s*(?:include|import|extends|from)\b/y;
const literal = /"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'/g;

/**
 * Replaces relative names such as `../part.md` in includes, imports and extends by names relative to the library's root,
 * because the engine does not resolve paths. Skips comments and raw blocks.
 */
export function resolveReferences(template: string, source: string): string {
  return renameReferences(source, (name) => resolveName(template, name));
}

/** The name of a referenced template, seen from the root of the library. */
export function resolveName(template: string, name: string): string {
  return /^\.\.?\//.test(name) ? posix.join(posix.dirname(template), name) : name;
}

/** Replaces the text from an index to `end`. */
interface Replacement {
  readonly text: string;
  readonly end: number;
}

/**
 * Renames the templates in includes, imports and extends. `expression` may also replace an expression that begins at an
 * index. Skips comments and raw blocks.
 */
export function renameReferences(
  source: string,
  rename: (name: string) => string,
  expression?: (index: number) => Replacement | undefined,
): string {
  const ends = new TagEnds(source);
  const opening = expression === undefined ? /\{[#%]/g : /\{[#%{]/g;
  let text = '';
  let copied = 0;
  for (let found = opening.exec(source); found !== null; found = opening.exec(source)) {
    const { index } = found;
    const skipTo = ends.ofCommentOrRaw(index);
    if (skipTo !== undefined) {
      opening.lastIndex = skipTo;
      continue;
    }
    const replacement =
      source[index + 1] === '{' ? expression?.(index) : renamedTag(source, index, ends, rename);
    if (replacement === undefined) continue;
    text += source.slice(copied, index) + replacement.text;
    copied = replacement.end;
    opening.lastIndex = copied;
  }
  return text + source.slice(copied);
}

function renamedTag(
  source: string,
  index: number,
  ends: TagEnds,
  rename: (name: string) => string,
): Replacement | undefined {
  referenceTag.lastIndex = index;
  if (!referenceTag.test(source)) return undefined;
  const start = referenceTag.lastIndex;
  const end = ends.ofTag(start);
  if (end === undefined) return undefined;
  const names = source
    .slice(start, end)
    .replaceAll(literal, (text: string, double?: string, single?: string) => {
      const name = (double ?? single)!;
      const renamed = rename(name);
      return renamed === name ? text : `${text[0]}${renamed}${text[0]}`;
    });
  return { text: source.slice(index, start) + names, end };
}

/** States of the tag reader, as bits: outside a string, inside a string, or after a backslash in a string. */
const outside = 1;
const inDouble = 2;
const inSingle = 4;
const escapedDouble = 8;
const escapedSingle = 16;

/** Finds the ends of comments, raw blocks and tags in linear time, even if many of them are never closed. */
class TagEnds {
  readonly #source: string;
  #hasCommentEnd = true;
  #hasRawEnd = true;
  /** For each character, the states in which the reader has passed it without finding the end of a tag. */
  #visited: Uint8Array | undefined;

  constructor(source: string) {
    this.#source = source;
  }

  /** The end of the comment or raw block that begins at the index, or `undefined` if none begins there. */
  ofCommentOrRaw(index: number): number | undefined {
    if (this.#source[index + 1] === '#') {
      const close = this.#hasCommentEnd ? this.#source.indexOf('#}', index + 2) : -1;
      this.#hasCommentEnd = close >= 0;
      return close < 0 ? undefined : close + 2;
    }
    rawTag.lastIndex = index;
    if (!this.#hasRawEnd || !rawTag.test(this.#source)) return undefined;
    endRawTag.lastIndex = rawTag.lastIndex;
    this.#hasRawEnd = endRawTag.test(this.#source);
    return this.#hasRawEnd ? endRawTag.lastIndex : undefined;
  }

  /** The offset of the `%}` that closes the tag. Ignores a `%}` inside a string. */
  ofTag(start: number): number | undefined {
    this.#visited ??= new Uint8Array(this.#source.length);
    let state = outside;
    for (let index = start; index < this.#source.length; index += 1) {
      // An earlier search passed this character in the same state and found no end.
      if ((this.#visited[index]! & state) !== 0) return undefined;
      this.#visited[index]! |= state;
      const character = this.#source[index]!;
      if (state === outside && character === '%' && this.#source[index + 1] === '}') return index;
      const next = nextState(state, character);
      if (next === undefined) return undefined;
      state = next;
    }
    return undefined;
  }
}

function nextState(state: number, character: string): number | undefined {
  switch (state) {
    case inDouble:
      return character === '"' ? outside : character === '\\' ? escapedDouble : state;
    case inSingle:
      return character === "'" ? outside : character === '\\' ? escapedSingle : state;
    case escapedDouble:
      return character === '\n' ? undefined : inDouble;
    case escapedSingle:
      return character === '\n' ? undefined : inSingle;
    default:
      return character === '"' ? inDouble : character === "'" ? inSingle : outside;
  }
}
