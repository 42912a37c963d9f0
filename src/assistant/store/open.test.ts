import { expect, it } from 'vitest';
import { openAtOnce } from '../../../test/prove/open.ts';

it('opens in all of many processes that start in an empty folder at once', async () => {
  expect(await openAtOnce(16)).toEqual({ up: 16, complaints: [] });
}, 60_000);
