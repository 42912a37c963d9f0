import { expect, it } from 'vitest';
import { soakWatcher } from '../prove/parts/watch-soak.ts';

it('a client that follows the notifications keeps up with random changes, and no folder stops notifying', {
  timeout: 120_000,
}, async () => {
  const { notifications, maxLagMs, silentFolders } = await soakWatcher(4000, 3);
  expect(silentFolders).toEqual([]);
  expect(notifications).toBeGreaterThan(0);
  // The observer never saw a list of the client that the server had not sent.
  expect(maxLagMs).toBeLessThan(60_000);
});
