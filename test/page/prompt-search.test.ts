import { describe, expect, it } from 'vitest';
import type { PromptItem } from '../../src/api.ts';
import type { Json } from '../../src/json.ts';
import { PromptSearch } from '../../src/web/page/prompts/prompt-search.ts';

const tagged = (tags: Json) => ({ _meta: { 'adjutant/tags': tags } });
const prompts: readonly Omit<PromptItem, 'arguments'>[] = [
  {
    name: 'code_review',
    title: 'Request Code Review',
    description: 'Looks for faults',
    ...tagged(['Quality']),
  },
  { name: 'review' },
  { name: 'minutes', description: 'Turns notes into minutes of a review' },
  { name: 'reviewers', ...tagged('not a list') },
  { name: 'Grüße', title: 'Says HELLO', ...tagged(['code']) },
];
const search = new PromptSearch(prompts.map((prompt) => ({ ...prompt, arguments: [] })));
const found = (query: string) => search.find(query).map(({ name }) => name);

describe('PromptSearch', () => {
  it.each(['nothing of the kind', 'review nowhere', '#', '#qualityx', '#review', '(', '\\'])(
    'returns only prompts that match %j',
    (query) => {
      expect(found(query)).toEqual(query === '#' ? ['code_review', 'Grüße'] : []);
    },
  );

  it('returns the whole list for an empty query', () => {
    expect(found('  \t')).toEqual(['code_review', 'review', 'minutes', 'reviewers', 'Grüße']);
  });

  it('ranks an exact name first, then a name prefix, part of a name, and the description', () => {
    expect(found('Review')).toEqual(['review', 'reviewers', 'code_review', 'minutes']);
  });

  it('matches every word in any field, ignoring case', () => {
    expect(found('FAULTS quality')).toEqual(['code_review']);
    expect(found('hello grüße')).toEqual(['Grüße']);
  });

  it('matches the beginning of a tag', () => {
    expect(found('#qua')).toEqual(['code_review']);
  });
});
