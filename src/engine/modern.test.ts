import { expect, it } from 'vitest';
import { finishResult } from './modern.ts';

it('lets everybody cache user interfaces, and nobody other resources', () => {
  const hints = (uri: string) => {
    const request = { id: 1, method: 'resources/read', params: { uri } };
    const { ttlMs, cacheScope } = finishResult(request, {}, {});
    return [ttlMs, cacheScope];
  };
  expect(hints('ui://adjutant/page.html')).toEqual([3_600_000, 'public']);
  expect(hints('runs://a/result.json')).toEqual([0, 'private']);
  expect(finishResult({ id: 1, method: 'tools/call', params: {} }, {}, {})).not.toHaveProperty('ttlMs');
});
