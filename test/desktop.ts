import { spawn, spawnSync } from 'node:child_process';
import { expect, vi } from 'vitest';

const programs = ['dunst', 'notify-send', 'Xvfb', 'xvfb-run', 'dbus-run-session'];

/** The programs of a desktop that this machine lacks. Debian: `apt install dunst libnotify-bin xvfb xauth dbus`. */
export const missingDesktop = programs.filter((name) => spawnSync('which', [name]).status !== 0);

export interface Desktop {
  /** Variables with which programs find the desktop. */
  readonly env: { readonly DISPLAY: string; readonly DBUS_SESSION_BUS_ADDRESS: string };
  /** What the notification service has printed: every notification with its texts. */
  shown(): string;
  close(): void;
}

/** Starts a message bus, a display and a real notification service. */
export async function startDesktop(): Promise<Desktop> {
  const script = 'echo "READY $DISPLAY $DBUS_SESSION_BUS_ADDRESS"; exec dunst -print';
  const session = spawn('dbus-run-session', ['--', 'xvfb-run', '-a', 'sh', '-c', script], { detached: true });
  let shown = '';
  session.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
  });
  await vi.waitFor(() => expect(shown).toMatch(/READY \S+ \S+/), { timeout: 60_000, interval: 100 });
  const [, display = '', bus = ''] = /READY (\S+) (\S+)/.exec(shown)!;
  return {
    env: { DISPLAY: display, DBUS_SESSION_BUS_ADDRESS: bus },
    shown: () => shown,
    close: () => process.kill(-session.pid!, 'SIGTERM'),
  };
}
