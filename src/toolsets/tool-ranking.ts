import { SearchIndex, termsOf } from '../search/search.ts';
import type { Tool } from '../tool.ts';
import { actions, phrases } from './everyday-words.ts';

type Action = keyof typeof actions;

const indexes = new WeakMap<readonly Tool[], SearchIndex<Tool>>();

/** Tools that match the query, best first. Import this module on first use: it loads the search. */
export async function rankTools(query: string, tools: readonly Tool[]): Promise<readonly Tool[]> {
  const index = indexes.get(tools) ?? indexOf(tools);
  indexes.set(tools, index);
  const asked = spelledOut(query);
  const wanted = wantedActions(query, termsOf(asked));
  const found = index
    .find(asked)
    .map(({ item, score }) => ({ item, score: score * actionFactor(item, wanted) }))
    .sort((a, b) => b.score - a.score)
    .map(({ item }) => item);
  const named = tools.filter(({ name }) => name === query.trim());
  return [...new Set([...named, ...found])];
}

function indexOf(tools: readonly Tool[]): SearchIndex<Tool> {
  return new SearchIndex<Tool>(tools, {
    fields: {
      name: { of: ({ name }) => spelledOut(name.replaceAll('_', ' ')), boost: 2 },
      phrases: { of: ({ phrases = '' }) => spelledOut(phrases), boost: 2 },
      wishes: { of: ({ wishes = [] }) => spelledOut(wishes.join('. ')), boost: 2 },
      // Descriptions also name the tools that do something else.
      description: {
        of: ({ description }) => spelledOut(description.replaceAll(/\w+_\w+/g, '')),
        boost: 0.8,
      },
    },
    prefixFrom: 4,
  });
}

function spelledOut(text: string): string {
  return phrases.reduce(
    (result, [pattern, replacement]) => result.replaceAll(pattern, replacement),
    text.toLowerCase().replaceAll('’', "'"),
  );
}

const actionTerms = Object.entries(actions).map(
  ([action, words]) => [action as Action, new Set(termsOf(words))] as const,
);

function wantedActions(query: string, terms: readonly string[]): ReadonlySet<Action> {
  const wanted = new Set<Action>();
  for (const [action, own] of actionTerms) if (terms.some((term) => own.has(term))) wanted.add(action);
  const isQuestion =
    /^\s*(what|which|who|whose|when|where|why|how|is|are|am|was|were|did|does|do (i|we|you)|has|have (i|we))\b/i;
  if (isQuestion.test(query)) wanted.add('read');
  return wanted;
}

function actionFactor(tool: Tool, wanted: ReadonlySet<Action>): number {
  if (wanted.size === 0) return 1;
  return actionsOf(tool).some((action) => wanted.has(action)) ? 1.3 : 0.6;
}

function actionsOf({ name, annotations }: Tool): readonly Action[] {
  if (annotations?.readOnlyHint === true) return ['read'];
  if (/^(delete|remove|cancel|clean)_/.test(name)) return ['remove'];
  if (/^(create|add|import|load|delegate)_/.test(name)) return ['create'];
  if (name.startsWith('test_')) return ['read', 'create'];
  if (/^(set|plan)_/.test(name)) return ['create', 'change'];
  return /^(acknowledge|undo)_/.test(name) ? ['change', 'remove'] : ['change'];
}
