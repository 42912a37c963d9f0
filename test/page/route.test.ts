import { describe, expect, it } from 'vitest';
import { parseRoute, pathTo } from '../../src/web/page/shared/route.ts';

describe('the route', () => {
  it.each([
    ['', { view: 'today', name: undefined, query: {} }],
    ['#/', { view: 'today', name: undefined, query: {} }],
    ['#/runs', { view: 'runs', name: undefined, query: {} }],
    ['#/prompts/a%2Fb', { view: 'prompts', name: 'a/b', query: {} }],
    ['#/prompts/100%', { view: 'prompts', name: '100%', query: {} }],
    [
      '#/calendar/ada?day=2026-12-01&show=month',
      { view: 'calendar', name: 'ada', query: { day: '2026-12-01', show: 'month' } },
    ],
    ['#/prompts/%E0%A4%A', { view: 'prompts', name: '%E0%A4%A', query: {} }],
  ])('is parsed from %j', (hash, route) => {
    expect(parseRoute(hash)).toEqual(route);
  });

  it.each(['a/b', '100%', '<img>', '\u202Etxt', '+new', 'half \ud800 a sign'])(
    'keeps the name %j when written and parsed again',
    (name) => {
      expect(parseRoute(pathTo('prompts', name)).name).toBe(name.toWellFormed());
    },
  );
});
