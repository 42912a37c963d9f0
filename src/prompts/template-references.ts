import { posix } from 'node:path';

/** Comments and raw blocks first, so that what only looks like a tag is passed over. */
const tag =
  /\{#[\s\S]*?#\}|\{%[-+]?\s*raw\s*[-+]?%\}[\s\S]*?\{%[-+]?\s*endraw\s*[-+]?%\}|(\{%[-+]?\s*(?:include|import|extends|from)\b)((?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[^"'%]|%(?!\}))*)%\}/g;
const literal = /"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'/g;

/** The engine knows no folders: names that begin with `./` or `../` become names from the library's root. */
export function resolveReferences(template: string, source: string): string {
  return source.replaceAll(tag, (all: string, start: string | undefined, rest: string) => {
    if (start === undefined) return all;
    const resolved = rest.replaceAll(literal, (text: string, double?: string, single?: string) => {
      const name = (double ?? single)!;
      if (!/^\.\.?\//.test(name)) return text;
      return `${text[0]}${posix.join(posix.dirname(template), name)}${text[0]}`;
    });
    return `${start}${resolved}%}`;
  });
}
