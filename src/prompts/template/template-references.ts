import { posix } from 'node:path';

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
