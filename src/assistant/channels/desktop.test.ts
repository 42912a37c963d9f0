import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Desktop, missingDesktop, startDesktop } from '../../../test/desktop.ts';
import type { Message } from '../sending/channel.ts';
import { desktop } from './desktop.ts';

const config = { 'delivery.desktop': true };
const message: Message = {
  id: 'n1',
  recipient: { name: 'Ada', locale: 'en', voice: '', address: 'here', addresses: ['here'] },
  subject: '--icon=/etc/passwd call mum',
  text: '--urgency=low',
  short: {
    title: '--icon=/etc/passwd call mum',
    text: '--urgency=low\n<b>bold</b> & $(touch /tmp/x) `id`',
  },
  html: '',
  speech: '',
  urgency: 'high',
  sentAt: new Date(0),
  data: {},
};

describe.skipIf(missingDesktop.length > 0)('a desktop (needs dunst, libnotify-bin, xvfb and dbus)', () => {
  let session: Desktop;
  const shown = () => session.shown();
  beforeAll(async () => {
    session = await startDesktop();
    for (const [name, value] of Object.entries(session.env)) vi.stubEnv(name, value);
  }, 90_000);
  afterAll(() => {
    vi.unstubAllEnvs();
    session?.close();
  });

  it('shows the texts as they are, none as an option, markup or command', async () => {
    const sender = desktop.connect(config, { privateHosts: [] })!;
    await vi.waitFor(
      async () =>
        expect(await sender.deliver(message, AbortSignal.timeout(20_000))).toMatchObject({
          kind: 'accepted',
        }),
      { timeout: 60_000, interval: 500 },
    );
    await vi.waitFor(() => expect(shown()).toContain('summary:'), { timeout: 30_000, interval: 100 });
    expect(shown()).toContain("appname: 'Adjutant'");
    expect(shown()).toContain("summary: '--icon=/etc/passwd call mum'");
    expect(shown()).toContain('--urgency=low');
    expect(shown()).toMatch(/&lt;b&gt;bold|<b>bold/);
    expect(shown()).toContain('$(touch /tmp/x) `id`');
    expect(shown()).toContain('urgency: CRITICAL');
  }, 120_000);
});

describe('without a desktop session', () => {
  const wanted = desktop.settings['delivery.desktop'].default;
  const defaultFor = (env: Record<string, string>) =>
    wanted({ env } as unknown as Parameters<typeof wanted>[0]);

  it('has no sender, so that messages go to the outbox', () => {
    expect(desktop.connect({ 'delivery.desktop': false }, { privateHosts: [] })).toBeUndefined();
  });

  it.skipIf(process.platform !== 'linux')('is found by its display and its message bus', () => {
    expect(defaultFor({})).toBe(false);
    expect(defaultFor({ DISPLAY: ':0' })).toBe(false);
    expect(defaultFor({ DBUS_SESSION_BUS_ADDRESS: 'unix:path=/x' })).toBe(false);
    expect(defaultFor({ DISPLAY: ':0', DBUS_SESSION_BUS_ADDRESS: 'unix:path=/x' })).toBe(true);
    expect(defaultFor({ WAYLAND_DISPLAY: 'w', XDG_RUNTIME_DIR: '/nowhere' })).toBe(false);
  });

  it('accepts only the desktop of this machine as an address', () => {
    const { parse } = desktop.address;
    expect([parse('here', 'desktop:here'), parse('there', 'desktop:there')]).toEqual(['here', undefined]);
  });
});
