import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Message } from '../sending/channel.ts';
import { desktop } from './desktop.ts';

const programs = ['dunst', 'notify-send', 'Xvfb', 'xvfb-run', 'dbus-run-session'];
const missing = programs.filter((name) => spawnSync('which', [name]).status !== 0);

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

describe.skipIf(missing.length > 0)(`a desktop (needs ${programs.join(', ')})`, () => {
  let session: ChildProcess;
  let shown = '';
  beforeAll(async () => {
    const script = 'echo "READY $DISPLAY $DBUS_SESSION_BUS_ADDRESS"; exec dunst -print';
    session = spawn('dbus-run-session', ['--', 'xvfb-run', '-a', 'sh', '-c', script], { detached: true });
    session.stdout!.setEncoding('utf8').on('data', (text: string) => {
      shown += text;
    });
    await vi.waitFor(() => expect(shown).toMatch(/READY \S+ \S+/), { timeout: 60_000, interval: 100 });
    const [, display, bus] = /READY (\S+) (\S+)/.exec(shown)!;
    vi.stubEnv('DISPLAY', display!);
    vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', bus!);
  }, 90_000);
  afterAll(() => {
    vi.unstubAllEnvs();
    process.kill(-session.pid!, 'SIGTERM');
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
    await vi.waitFor(() => expect(shown).toContain('summary:'), { timeout: 30_000, interval: 100 });
    expect(shown).toContain("appname: 'Adjutant'");
    expect(shown).toContain("summary: '--icon=/etc/passwd call mum'");
    expect(shown).toContain('--urgency=low');
    expect(shown).toMatch(/&lt;b&gt;bold|<b>bold/);
    expect(shown).toContain('$(touch /tmp/x) `id`');
    expect(shown).toContain('urgency: CRITICAL');
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
