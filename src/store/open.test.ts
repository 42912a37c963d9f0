import { expect, it } from 'vitest';
import { openAtOnce } from '../../test/open-at-once.ts';

it('opens in all of many processes that start in an empty folder at once', async () => {
  expect(await openAtOnce(8)).toEqual({ opened: 8, errors: [] });
}, 60_000);
