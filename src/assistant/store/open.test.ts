import { expect, it } from 'vitest';
import { openAtOnce } from '../../../test/prove/open.ts';

it('comes up in every one of many processes that open an empty folder at once', async () => {
  expect(await openAtOnce(16)).toEqual({ opened: 16, errors: [] });
}, 60_000);
