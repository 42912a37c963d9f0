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

async function open(
  items: readonly Tool[] = tools,
  padding = 0,
  related = false,
): Promise<SearchIndex<Tool>> {
  const index = new SearchIndex<Tool>({
    fields: {
      name: { of: ({ name }) => name, boost: 3 },
      description: { of: ({ description }) => description, boost: 1 },
    },
    prefixFrom: 3,
    typos: true,
    padding,
    related,
  });
  await index.update(items);
  return index;
}
const names = (index: SearchIndex<Tool>, query: string) => index.find(query).map(({ item }) => item.name);

describe('SearchIndex.find', () => {
  it.each([
    ['other forms of a word', 'creating events', 'create_event'],
    ['words inside an identifier', 'run', 'delegateRun'],
    ['the beginning of a word', 'promp', 'show_prompt'],
    ['a word with a typo', 'calender', 'create_event'],
    ['a word without its accent', 'CAFE', 'café'],
    ['a word in a script without spaces', '天気', 'café'],
    ['the only meaningful word among stop words', 'what is on this week?', 'list_events'],
  ])('finds %s', async (_, query, name) => {
    expect(names(await open(), query)[0]).toBe(name);
  });

  it.each(['', ' ', 'the and of', '!?', 'zebra'])('finds nothing for %j', async (query) => {
    expect(names(await open(), query)).toEqual([]);
  });

  it('finds words that mean nearly the same, after the word itself, if that is enabled', async () => {
    const items = [
      { name: 'one', description: 'Rotates a leaked credential.' },
      { name: 'two', description: 'Makes a strong password.' },
      { name: 'three', description: 'Waters the plants.' },
    ];
    const found = async (related: boolean) => names(await open(items, 0, related), 'passwords');
    expect(await found(true)).toEqual(['two', 'one']);
    expect(await found(false)).toEqual(['two']);
  });

  it('does not match a similar number', async () => {
    const index = await open([
      { name: 'p99997', description: '99997' },
      { name: 'p99998', description: '99998' },
    ]);
    expect(names(index, '99998')).toEqual(['p99998']);
  });

  it('returns the matching words, their fields and the number of items', async () => {
    const [best] = (await open()).find('event calendar');
    expect(best).toMatchObject({
      item: { name: 'create_event' },
      words: [
        { word: 'event', fields: ['name', 'description'], found: ['event'], items: 2 },
        { word: 'calendar', fields: ['description'], found: ['calendar'], items: 1 },
      ],
    });
  });
});

describe('SearchIndex.update', () => {
  it('removes missing items and adds only new ones', async () => {
    const index = await open();
    const added = { name: 'weather', description: 'Tells the weather.' };
    let pauses = 0;
    await index.update([...tools.slice(1), added], {
      get pause() {
        pauses++;
        return undefined;
      },
    });
    expect(pauses).toBe(1);
    expect(names(index, 'weather')).toEqual(['weather']);
    expect(names(index, 'event')).toEqual(['list_events']);
  });

  it('gives words of a small collection higher scores if the index is padded', async () => {
    const [alone] = (await open(tools.slice(0, 1))).find('calendar');
    const [padded] = (await open(tools.slice(0, 1), 60)).find('calendar');
    expect(padded!.score).toBeGreaterThan(5 * alone!.score);
  });
});
