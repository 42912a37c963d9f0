import { posix } from 'node:path';

const opening = /\{[#%]/g;
const rawTag = /\{%[-+]?\s*raw\s*[-+]?%\}/y;
const endRawTag = /\{%[-+]?\s*endraw\s*[-+]?%\}/g;
const referenceTag = /\{%[-+]?\s*(?:include|import|extends|from)\b/y;
const literal = /"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'/g;

/**
 * Names that begin with `../` or `../../` become names from the library's root, because the engine knows no folders. Comments and
 * raw blocks are passed over, since what is in them only looks like a tag.
 */
export function resolveReferences(template: string, source: string): string {
  const ends = new TagEnds(source);
  let text = '';
  let copied = 0;
  opening.lastIndex = 0;
  for (let found = opening.exec(source); found !== null; found = opening.exec(source)) {
    const { index } = found;
    const hidden = ends.ofHidden(index);
    if (hidden !== undefined) {
      opening.lastIndex = hidden;
      continue;
    }
    referenceTag.lastIndex = index;
    if (!referenceTag.test(source)) continue;
    const start = referenceTag.lastIndex;
    const end = ends.ofTag(start);
    if (end === undefined) continue;
    text += source.slice(copied, start) + resolveNames(template, source.slice(start, end));
    copied = end;
    opening.lastIndex = end;
  }
  return text + source.slice(copied);
}

function resolveNames(template: string, tag: string): string {
  return tag.replaceAll(literal, (text: string, double?: string, single?: string) => {
    const name = (double ?? single)!;
    if (!/^\.\.?\//.test(name)) return text;
    return `${text[0]}${posix.join(posix.dirname(template), name)}${text[0]}`;
  });
}

/** States of the reader of a tag, as bits: outside of a text, or in one, perhaps behind a backslash. */
const outside = 1;
const inDouble = 2;
const inSingle = 4;
const escapedDouble = 8;
const escapedSingle = 16;

/** Finds the ends of comments, raw blocks and tags. A source full of openings without an end is read once, not once for each. */
class TagEnds {
  readonly #source: string;
  #hasCommentEnd = true;
  #hasRawEnd = true;
  /** For each character, the states in which it was read without coming to an end. */
  #tried: Uint8Array | undefined;

  constructor(source: string) {
    this.#source = source;
  }

  /** The end of the comment or raw block that begins here, if one does. */
  ofHidden(index: number): number | undefined {
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

  /** Where the `%}` of the tag stands whose words begin here; one in a text is none. */
  ofTag(start: number): number | undefined {
    this.#tried ??= new Uint8Array(this.#source.length);
    let state = outside;
    for (let index = start; index < this.#source.length; index += 1) {
      // What follows is the same as the last time, when there was no end.
      if ((this.#tried[index]! & state) !== 0) return undefined;
      this.#tried[index]! |= state;
      const character = this.#source[index]!;
      if (state === outside && character === '%' && this.#source[index + 1] === '}') return index;
      const next = after(state, character);
      if (next === undefined) return undefined;
      state = next;
    }
    return undefined;
  }
}

function after(state: number, character: string): number | undefined {
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
