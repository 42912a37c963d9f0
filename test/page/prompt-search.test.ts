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

describe('the search', () => {
  it.each(['nothing of the kind', 'review nowhere', '#', '#qualityx', '#review', '(', '\\'])(
    'finds only what is there: %j',
    (query) => {
      expect(found(query)).toEqual(query === '#' ? ['code_review', 'Grüße'] : []);
    },
  );

  it('leaves the list as it is without a word', () => {
    expect(found('  \t')).toEqual(['code_review', 'review', 'minutes', 'reviewers', 'Grüße']);
  });

  it('puts the same name first, then its beginning, then a part of it, then what is said about it', () => {
    expect(found('Review')).toEqual(['review', 'reviewers', 'code_review', 'minutes']);
  });

  it('wants every word, in any field and case', () => {
    expect(found('FAULTS quality')).toEqual(['code_review']);
    expect(found('hello grüße')).toEqual(['Grüße']);
  });

  it('takes the beginning of a tag', () => {
    expect(found('#qua')).toEqual(['code_review']);
  });
});
