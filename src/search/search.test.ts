import { describe, expect, it } from 'vitest';
import { SearchIndex } from './search.ts';

interface Tool {
  readonly name: string;
  readonly description: string;
}

const tools: readonly Tool[] = [
  { name: 'create_event', description: 'Adds an event to the calendar.' },
  { name: 'list_events', description: 'Lists the events of a day or a week.' },
  { name: 'delegateRun', description: 'Hands a task to a coding agent.' },
  { name: 'show_prompt', description: 'Shows a prompt as it was written: message by message.' },
  { name: 'café', description: '東京の天気を調べる' },
];

function open(items: readonly Tool[] = tools, padding = 0): SearchIndex<Tool> {
  return new SearchIndex<Tool>(items, {
    fields: {
      name: { of: ({ name }) => name, boost: 3 },
      description: { of: ({ description }) => description, boost: 1 },
    },
    prefixFrom: 3,
    padding,
  });
}
const names = (index: SearchIndex<Tool>, query: string) => index.find(query).map(({ item }) => item.name);

describe('SearchIndex.find', () => {
  it.each([
    ['other forms of a word', 'creating events', 'create_event'],
    ['words inside an identifier', 'run', 'delegateRun'],
    ['the beginning of a word', 'promp', 'show_prompt'],
    ['a word without its accent', 'CAFE', 'café'],
    ['a word in a script without spaces', '天気', 'café'],
    ['the only meaningful word among stop words', 'what is on this week?', 'list_events'],
  ])('finds %s', async (_, query, name) => {
    expect(names(open(), query)[0]).toBe(name);
  });

  it.each(['', ' ', 'the and of', '!?', 'zebra'])('finds nothing for %j', async (query) => {
    expect(names(open(), query)).toEqual([]);
  });

  it('does not match a similar number', async () => {
    const index = open([
      { name: 'p99997', description: '99997' },
      { name: 'p99998', description: '99998' },
    ]);
    expect(names(index, '99998')).toEqual(['p99998']);
  });

  it('returns the matching words, their fields and the number of items', async () => {
    const [best] = open().find('event calendar');
    expect(best).toMatchObject({
      item: { name: 'create_event' },
      words: [
        { word: 'event', fields: ['name', 'description'], found: ['event'], items: 2 },
        { word: 'calendar', fields: ['description'], found: ['calendar'], items: 1 },
      ],
    });
  });

  it('gives words of a small collection higher scores if the index is padded', async () => {
    const [alone] = open(tools.slice(0, 1)).find('calendar');
    const [padded] = open(tools.slice(0, 1), 60).find('calendar');
    expect(padded!.score).toBeGreaterThan(5 * alone!.score);
  });
});
