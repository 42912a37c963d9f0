import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createServer } from '../app.ts';
import { loadConfig } from '../config.ts';
import type { Server } from '../engine/server.ts';
import type { Tool } from '../tool.ts';
import { createRanking, rankTools, toolWishes, type Wishes } from './tool-ranking.ts';
import { toolTraits } from './toolsets.ts';

let home: string;
let server: Server;
let tools: readonly Tool[];
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'adjutant-ranking-'));
  const { config } = await loadConfig({ argv: ['--home', home], env: { HOME: home }, cwd: home });
  server = createServer('standard', config);
  tools = [...server.offeredTools.values()].map(({ tool }) => tool);
});
afterAll(async () => {
  await server.close();
  rmSync(home, { recursive: true, force: true });
});

const sentences = Object.entries(toolWishes).flatMap(([tool, wishes]) =>
  wishes.map((text) => ({ tool, text })),
);
const plain = (text: string) => text.toLowerCase().replaceAll(/[^a-z\d ]/g, '');

describe('the sentences in which people ask for tools', () => {
  it('ask for every tool that models can find, and for no other', () => {
    const found = [...toolTraits].filter(([, { audience }]) => audience !== 'page').map(([name]) => name);
    expect(Object.keys(toolWishes).sort()).toEqual(found.sort());
    for (const [tool, wishes] of Object.entries(toolWishes))
      expect(wishes.length, tool).toBeGreaterThanOrEqual(5);
  });

  it('are all different, and none is a sentence that measures the ranking', () => {
    const fixtures = join(import.meta.dirname, '../../test/fixtures');
    const measured = ['wishes.jsonl', 'tool-choice.jsonl'].flatMap((name) =>
      readFileSync(join(fixtures, name), 'utf8')
        .trim()
        .split('\n')
        .map((line): { wish?: string; task?: string } => JSON.parse(line))
        .map(({ wish, task }) => plain((wish ?? task)!)),
    );
    const own = sentences.map(({ text }) => plain(text));
    expect(own.filter((text, at) => own.indexOf(text) !== at)).toEqual([]);
    expect(own.filter((text) => measured.includes(text))).toEqual([]);
  });
});

describe('rankTools', () => {
  it('finds the tool for four of five sentences that it has not read', { timeout: 60_000 }, () => {
    const parts = 5;
    const missed: string[] = [];
    for (let part = 0; part < parts; part++) {
      const read: Record<string, string[]> = {};
      for (const [at, { tool, text }] of sentences.entries())
        if (at % parts !== part) read[tool] = [...(read[tool] ?? []), text];
      const rank = createRanking(tools, read satisfies Wishes);
      for (const [at, { tool, text }] of sentences.entries()) {
        if (at % parts !== part) continue;
        const first = rank(text)
          .found.slice(0, 3)
          .map((place) => tools[place]!.name);
        if (!first.includes(tool)) missed.push(`${text}: ${first.join(', ')} instead of ${tool}`);
      }
    }
    expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(sentences.length / 5);
  });

  it('ranks a tool first if the query is its name', async () => {
    for (const tool of tools) {
      const { found, fits } = await rankTools(tool.name, tools);
      expect([found[0]?.name, fits]).toEqual([tool.name, true]);
    }
  });

  it('finds how to pause reminders during a holiday that is still to come', async () => {
    const { found } = await rankTools('pause notifications during holiday from a date to a date', tools);
    expect(found.slice(0, 3).map(({ name }) => name)).toContain('update_user');
  });

  it('ranks a query as long as a message by its beginning', async () => {
    const long = `add a calendar. ${'no longer need it '.repeat(200_000)}`;
    expect(await rankTools(long, tools)).toEqual(await rankTools(long.slice(0, 1000), tools));
  });

  it.each(['zzxqy', '???'])('finds nothing for %j', async (query) => {
    expect(await rankTools(query, tools)).toEqual({ found: [], fits: false });
  });

  it.each([
    'What is the weather',
    'Which film is on at the cinema',
    'How deep is the Pacific Ocean',
    'Turn the heating up',
    'Order two pizzas with mushrooms',
    'What is the square root of 1764',
    'How long does rice have to boil',
    'Play something by Mozart',
    'Who painted the Mona Lisa',
    'Translate "good luck" into Finnish',
  ])('says that nothing fits %j', async (query) => {
    expect((await rankTools(query, tools)).fits).toBe(false);
  });

  it('says of hardly a sentence in which people ask for a tool that nothing fits, also if a client has few tools', async () => {
    const reading = tools.filter(({ annotations }) => annotations?.readOnlyHint);
    for (const some of [tools, reading]) {
      const rank = createRanking(some, toolWishes);
      const own = sentences.filter(({ tool }) => some.some(({ name }) => name === tool));
      const weak = own.filter(({ text }) => !rank(text).fits).map(({ text }) => text);
      expect(weak.length, weak.join('\n')).toBeLessThanOrEqual(own.length / 50);
    }
  });
});
