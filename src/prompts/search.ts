import type { CatalogEntry } from './catalog.ts';
import type { PromptDefinition } from './definition.ts';

export interface Match {
  readonly entry: CatalogEntry;
  readonly score: number;
  /** The line in which a word was found, where it was found in the text only. */
  readonly excerpt?: string;
}

/** How much a word counts by where it is found. */
const weights = { name: 10, title: 6, tags: 5, description: 3, body: 1 } as const;
const excerptLength = 160;

/** Prompts in which every word of the query is found, best first. */
export function searchPrompts(entries: readonly CatalogEntry[], query: string): readonly Match[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const matches: Match[] = [];
  for (const entry of entries) {
    const match = matchOf(entry, words);
    if (match !== undefined) matches.push(match);
  }
  return matches.sort(
    (a, b) => b.score - a.score || (a.entry.definition.name < b.entry.definition.name ? -1 : 1),
  );
}

function matchOf(entry: CatalogEntry, words: readonly string[]): Match | undefined {
  const { definition } = entry;
  const fields: readonly (readonly [number, string])[] = [
    [weights.name, definition.name],
    [weights.title, definition.title ?? ''],
    [weights.tags, definition.tags.join(' ')],
    [weights.description, definition.description ?? ''],
  ].map(([weight, text]) => [weight as number, (text as string).toLowerCase()]);
  let score = 0;
  let inBody: string | undefined;
  for (const word of words) {
    let best = Math.max(...fields.map(([weight, text]) => weight * likeness(text, word)));
    if (best === 0) {
      const excerpt = excerptOf(definition, word);
      if (excerpt === undefined) return undefined;
      inBody ??= excerpt;
      best = weights.body;
    }
    score += best;
  }
  return { entry, score, ...(inBody !== undefined && { excerpt: inBody }) };
}

/** The whole text, a word of it, the beginning of a word, or somewhere inside. */
function likeness(text: string, word: string): number {
  const at = text.indexOf(word);
  if (at < 0) return 0;
  if (text === word) return 2;
  let begins = false;
  for (let found = at; found >= 0; found = text.indexOf(word, found + 1)) {
    if (isLetter(text[found - 1])) continue;
    if (!isLetter(text[found + word.length])) return 1.5;
    begins = true;
  }
  return begins ? 1.2 : 1;
}

function isLetter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character);
}

function excerptOf({ messages }: PromptDefinition, word: string): string | undefined {
  for (const { content } of messages) {
    if (content.type !== 'text') continue;
    const at = content.text.toLowerCase().indexOf(word);
    if (at < 0) continue;
    const start = content.text.lastIndexOf('\n', at) + 1;
    const end = content.text.indexOf('\n', at);
    const line = content.text.slice(Math.max(start, at - excerptLength / 2), end < 0 ? undefined : end);
    return line.trim().slice(0, excerptLength);
  }
  return undefined;
}
