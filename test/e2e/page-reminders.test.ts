import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { callTool } from '../page/calendar-client.ts';
import { PageServer } from '../page/page-server.ts';

vi.setConfig({ testTimeout: 60_000 });
const server = new PageServer();
beforeAll(() => server.start({ ADJUTANT_DELIVERY_DESKTOP: 'false' }));
afterEach(() => server.closeWindows());
afterAll(() => server.stop());

it('shows a reminder in the browser if the server has no desktop, once and with its title', async () => {
  // Adds me, who is reached on the desktop.
  await callTool(server, 'remind', { text: 'later', when: 'in 3 hours' });
  const page = await server.open();
  // A browser without a window refuses notifications, so this one records them.
  await page.evaluate(`globalThis.seen = [];
    globalThis.Notification = class {
      static permission = 'granted';
      constructor(title, { tag, body }) { globalThis.seen.push({ title, tag, body }); }
    };`);
  const start = new Date(Date.now() + 4000).toISOString();
  await callTool(server, 'create_event', {
    ...{ title: 'Take the bread out', start_ts: start, end_ts: start, reminders: ['0m!'] },
  });
  await expect.poll(() => page.evaluate('globalThis.seen.length'), { timeout: 40_000 }).toBe(1);
  expect(await page.evaluate('globalThis.seen')).toEqual([
    expect.objectContaining({ title: expect.stringContaining('Take the bread out') }),
  ]);
});
