import { posix } from 'node:path';

export interface TemplateReferences {
  /** Names written as text in include, import, from and extends. */
  readonly names: readonly string[];
  /** Some name is only known when the template runs. */
  readonly dynamic: boolean;
}

/** Comments and raw blocks first, so that what only looks like a tag is passed over. */
const tag =
  /\{#[\s\S]*?#\}|\{%[-+]?\s*raw\s*[-+]?%\}[\s\S]*?\{%[-+]?\s*endraw\s*[-+]?%\}|(\{%[-+]?\s*(?:include|import|extends|from)\b)((?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[^"'%]|%(?!\}))*)%\}/g;
const literal = /"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'/g;

export function referencesOf(source: string): TemplateReferences {
  const names: string[] = [];
  let dynamic = false;
  for (const [, start, rest] of source.matchAll(tag)) {
    if (start === undefined) continue;
    const written = [...rest!.matchAll(literal)].map(([, double, single]) => (double ?? single)!);
    names.push(...written);
    // Besides the texts only brackets, commas and the clause after the name may stand there.
    const others = rest!
      .replaceAll(literal, '')
      .replace(/\b(ignore missing|with(out)? context|import|as)\b.*$/s, '');
    if (/\w/.test(others)) dynamic = true;
  }
  return { names, dynamic };
}

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
