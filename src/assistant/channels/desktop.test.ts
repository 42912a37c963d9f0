import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { channelConfig } from '../../../test/channel-config.ts';
import { type Desktop, missingDesktop, startDesktop } from '../../../test/desktop.ts';
import { createSender } from '../delivery/senders.ts';
import type { Message } from '../sending/channel.ts';
import { desktop, findSession, showOnLinux } from './desktop.ts';

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
    expect(defaultFor({})).toBeUndefined();
    expect(defaultFor({ DISPLAY: ':0' })).toBeUndefined();
    expect(defaultFor({ DBUS_SESSION_BUS_ADDRESS: 'unix:path=/x' })).toBeUndefined();
    expect(defaultFor({ DISPLAY: ':0', DBUS_SESSION_BUS_ADDRESS: 'unix:path=/x' })).toBe(true);
    expect(defaultFor({ WAYLAND_DISPLAY: 'w', XDG_RUNTIME_DIR: '/nowhere' })).toBeUndefined();
  });

  it('accepts only the desktop of this machine as an address', () => {
    const { parse } = desktop.address;
    expect([parse('here', 'desktop:here'), parse('there', 'desktop:there')]).toEqual(['here', undefined]);
  });
});

describe.skipIf(process.platform !== 'linux')(
  'a process without the variables of the desktop session',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'adjutant-desktop-'));
    const [runtime, displays] = [join(folder, 'runtime'), join(folder, 'displays')];
    mkdirSync(runtime);
    mkdirSync(displays);
    afterAll(() => rmSync(folder, { recursive: true, force: true }));
    const listen = async (...path: string[]) => {
      const server = createServer().listen(join(...path));
      await new Promise((resolve) => server.once('listening', resolve));
      return () => new Promise((resolve) => server.close(resolve));
    };

    it('finds the session by the sockets of the message bus and of a display', async () => {
      expect(findSession(runtime, displays)).toEqual({ bus: undefined, hasDisplay: false });
      const bus = `unix:path=${join(runtime, 'bus')}`;
      const closeBus = await listen(runtime, 'bus');
      onTestFinished(() => void closeBus());
      writeFileSync(join(displays, 'X7'), 'no socket');
      expect(findSession(runtime, displays)).toEqual({ bus, hasDisplay: false });
      expect(findSession(runtime, join(folder, 'none'))).toEqual({ bus, hasDisplay: false });
      const closeX = await listen(displays, 'X0');
      expect(findSession(runtime, displays)).toEqual({ bus, hasDisplay: true });
      await closeX();
      expect(findSession(runtime, displays)).toEqual({ bus, hasDisplay: false });
      const closeWayland = await listen(runtime, 'wayland-0');
      onTestFinished(() => void closeWayland());
      expect(findSession(runtime, displays)).toEqual({ bus, hasDisplay: true });
    });

    it.each([
      ['the address that was found', undefined, 'unix:path=/run/user/7/bus'],
      ['the address of the environment, if there is one', 'unix:path=/own', 'unix:path=/own'],
    ])('hands notify-send %s', async (_, own, expected) => {
      const program = join(folder, 'notify-send');
      const seen = join(folder, 'seen');
      writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$DBUS_SESSION_BUS_ADDRESS" "$@" >'${seen}'\n`);
      chmodSync(program, 0o755);
      // As Codex starts its servers.
      for (const name of ['DISPLAY', 'WAYLAND_DISPLAY', 'XDG_RUNTIME_DIR']) vi.stubEnv(name, undefined);
      vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', own);
      onTestFinished(() => void vi.unstubAllEnvs());
      const show = showOnLinux(program, { bus: 'unix:path=/run/user/7/bus' });
      expect(await show(message, AbortSignal.timeout(20_000))).toMatchObject({ kind: 'accepted' });
      expect(readFileSync(seen, 'utf8').split('\n')).toEqual([
        expected,
        '--app-name=Adjutant',
        '--urgency=critical',
        '--',
        '--icon=/etc/passwd call mum',
        '--urgency=low',
        '&lt;b&gt;bold&lt;/b&gt; &amp; $(touch /tmp/x) `id`',
        '',
      ]);
    });

    it('shows a message that is sent after the session has begun, and writes others to the outbox', async () => {
      let hasSession = false;
      const channel: typeof desktop = {
        ...desktop,
        connect: () =>
          hasSession
            ? { deliver: async () => ({ kind: 'accepted', detail: 'shown on the desktop' }) }
            : undefined,
      };
      const sender = createSender(channel, channelConfig(join(folder, 'outbox')));
      const send = async () => (await sender.deliver(message, AbortSignal.timeout(20_000))).detail;
      expect(await send()).toMatch(/^written to /);
      hasSession = true;
      expect(await send()).toBe('shown on the desktop');
    });
  },
);
