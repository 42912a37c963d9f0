import { nextPage, pageArguments, pageOf } from '../../paging.ts';
import { defineTool, hints } from '../../tool.ts';
import type { DailyUse, Usage } from '../catalog/usage.ts';

export function createUsageTool(usage: Usage | undefined) {
  return defineTool({
    name: 'prompt_usage',
    toolsets: ['prompts'],
    scope: 'read',
    title: 'Prompt usage',
    description: 'Counts how often prompts were used, per client and day, most used first.',
    searchHint: 'statistics popular unused often',
    phrases:
      'statistics most used popular unused prompts how often count analytics favourite frequently times usage never use figures numbers top ranking shortcuts templates per day who uses gathering dust habit least',
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'Only this prompt' },
        days: { type: 'integer', minimum: 1, maximum: 90, default: 30, description: 'How far back' },
        ...pageArguments,
      },
    },
    outputSchema: {
      type: 'object',
      required: ['counted', 'prompts'],
      properties: {
        counted: { type: 'boolean', description: 'False if prompts.usage is off' },
        prompts: {
          type: 'array',
          items: {
            type: 'object',
            required: ['name', 'count', 'last_day', 'clients', 'days'],
            properties: {
              name: { type: 'string' },
              count: { type: 'integer' },
              last_day: { type: 'string' },
              clients: { type: 'object', additionalProperties: { type: 'integer' } },
              days: { type: 'object', additionalProperties: { type: 'integer' } },
            },
          },
        },
        ...nextPage,
      },
    },
    annotations: hints.reads,
    async call({ name, days = 30, ...page }) {
      const oldest = new Date(Date.now() - (days - 1) * 86_400_000).toISOString().slice(0, 10);
      const uses = ((await usage?.uses()) ?? []).filter(
        ({ prompt, day }) => day >= oldest && (name === undefined || prompt === name),
      );
      const prompts = [...Map.groupBy(uses, ({ prompt }) => prompt)]
        .map(([prompt, own]) => ({
          name: prompt,
          count: own.reduce((sum, { count }) => sum + count, 0),
          last_day: own[0]!.day,
          clients: countBy(own, ({ client }) => client),
          days: countBy(own, ({ day }) => day),
        }))
        .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
      const { items, next } = pageOf(prompts, (prompt) => prompt, page);
      return { structured: { counted: usage !== undefined, prompts: items, ...next } };
    },
  });
}

function countBy(
  uses: readonly DailyUse[],
  key: (use: DailyUse) => string,
): Readonly<Record<string, number>> {
  const groups = Map.groupBy(uses, key);
  return Object.fromEntries(
    [...groups].map(([name, own]) => [name, own.reduce((sum, { count }) => sum + count, 0)]),
  );
}
