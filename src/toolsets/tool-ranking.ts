import { SearchIndex } from '../search/search.ts';
import type { Tool } from '../tool.ts';
import { keywords } from './keywords.ts';

/** Tools that match the query, best first. Import this module on first use: it loads the search. */
export async function rankTools(query: string, tools: readonly Tool[]): Promise<readonly Tool[]> {
  const index = new SearchIndex<Tool>({
    fields: {
      name: { of: ({ name }) => words(name.replaceAll('_', ' ')), boost: 3 },
      keywords: { of: ({ name }) => words(keywords[name] ?? ''), boost: 2 },
      description: { of: ({ description }) => words(description), boost: 1 },
    },
    prefixFrom: 4,
    typos: true,
  });
  await index.update(tools);
  return index.find(words(withIntent(query))).map(({ item }) => item);
}

/** The search ignores question words and signs, so their meaning is added as a word. */
function withIntent(query: string): string {
  if (/^\s*:\w/.test(query)) return `expand command ${query}`;
  const isQuestion = /^\s*(what|which|who|do|how many)\b.*\?\s*$/is.test(query);
  return isQuestion ? `list ${query}` : query;
}

/** The search ignores the word "user" as too common, but some tools are about users. */
function words(text: string): string {
  return text.replaceAll(/\b(users?|people|persons)\b/gi, 'person');
}
