import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { xml } from '../../message-page.ts';
import { singleLine } from '../../single-line.ts';
import { defineChannel, type Message, type Outcome } from '../sending/channel.ts';

const urgencies = { low: 'low', normal: 'normal', high: 'critical', urgent: 'critical' } as const;

/** Notifications on the desktop of the machine on which the worker runs. */
export const desktop = defineChannel({
  name: 'desktop',
  rank: 80,
  canBeSilent: true,
  label: 'Desktop',
  words: ['popup', 'screen', 'push'],
  icon: '▭',
  help: 'A notification on the desktop of this machine. The address is desktop:here.',
  settings: {
    'delivery.desktop': {
      type: 'boolean',
      default: ({ env }) => hasDesktop(env) || undefined,
      description:
        'Whether to show messages on the desktop of this machine. Default: if there is a desktop session when a message is sent.',
    },
  },
  address: {
    noun: 'desktop',
    schemes: ['desktop'],
    example: 'desktop:here',
    sample: 'desktop:here',
    parse: (rest) => (rest === 'here' ? rest : undefined),
  },
  advice: {
    notConfigured:
      'no desktop session was found, or notify-send is not installed (Debian: apt install libnotify-bin); an open page of this server shows the message if its browser may',
    unreachable: 'check that a notification service is running on the desktop',
    refused: 'check that a notification service is running on the desktop',
  },
  connectsEachTime: true,
  connect({ 'delivery.desktop': wanted }) {
    const session = findSession();
    const isShown = wanted ?? session.hasDisplay;
    const notifier = isShown ? findNotifier(session) : undefined;
    return notifier && { deliver: (message, signal) => notifier(message, signal) };
  },
});

type Notifier = (message: Message, signal: AbortSignal) => Promise<Outcome>;

/** True if the program was started in a desktop session. Programs inherit the variables with which they find it. */
function hasDesktop(env: Readonly<Record<string, string | undefined>>): boolean {
  if (process.platform === 'darwin' || process.platform === 'win32') return true;
  const { DISPLAY, WAYLAND_DISPLAY, DBUS_SESSION_BUS_ADDRESS, XDG_RUNTIME_DIR } = env;
  const hasBus = DBUS_SESSION_BUS_ADDRESS || (XDG_RUNTIME_DIR && existsSync(join(XDG_RUNTIME_DIR, 'bus')));
  return Boolean(hasBus && (DISPLAY || WAYLAND_DISPLAY));
}

/** What the files of the system say about the desktop session of a user. */
export interface DesktopSession {
  /** The address of the message bus. */
  readonly bus: string | undefined;
  readonly hasDisplay: boolean;
}

/**
 * Finds the desktop session of this user on Linux without the variables of the environment: service managers start programs before
 * the session, and some clients pass no variables to the servers that they start.
 */
export function findSession(
  runtimeFolder = `/run/user/${process.getuid?.()}`,
  displayFolder = '/tmp/.X11-unix',
): DesktopSession {
  if (process.platform !== 'linux') return { bus: undefined, hasDisplay: false };
  const bus = join(runtimeFolder, 'bus');
  if (!isOwnSocket(bus)) return { bus: undefined, hasDisplay: false };
  const hasDisplay = hasOwnSocket(runtimeFolder, /^wayland-\d+$/) || hasOwnSocket(displayFolder, /^X\d+$/);
  return { bus: `unix:path=${bus}`, hasDisplay };
}

function hasOwnSocket(folder: string, name: RegExp): boolean {
  try {
    return readdirSync(folder).some((one) => name.test(one) && isOwnSocket(join(folder, one)));
  } catch {
    return false;
  }
}

/** Other users can also create sockets in the folder of the displays. */
function isOwnSocket(path: string): boolean {
  try {
    const file = statSync(path);
    return file.isSocket() && file.uid === process.getuid?.();
  } catch {
    return false;
  }
}

/** The program that shows a notification, by its absolute path; undefined if it is not installed. */
function findNotifier(session: DesktopSession): Notifier | undefined {
  if (process.platform === 'darwin') return existsSync(osascript) ? showOnMac : undefined;
  if (process.platform === 'win32') return showOnWindows;
  const program = ['/usr/bin', '/usr/local/bin', '/bin', '/run/current-system/sw/bin']
    .map((folder) => join(folder, 'notify-send'))
    .find((path) => existsSync(path));
  return program === undefined ? undefined : showOnLinux(program, session);
}

/** The script is fixed: it starts its arguments with this address of the bus, unless the environment has one. */
const withBus = '[ -n "$DBUS_SESSION_BUS_ADDRESS" ] || export DBUS_SESSION_BUS_ADDRESS="$0"; exec "$@"';

/** Texts are arguments behind `--`, so that none can be an option. The text may contain markup, which is escaped. */
export function showOnLinux(program: string, { bus }: Pick<DesktopSession, 'bus'>): Notifier {
  return ({ short: { title, text }, urgency }, signal) => {
    const args = ['--app-name=Adjutant', `--urgency=${urgencies[urgency]}`, '--', title, xml(text)];
    return bus === undefined
      ? run(program, args, signal)
      : run('/bin/sh', ['-c', withBus, bus, program, ...args], signal);
  };
}

const osascript = '/usr/bin/osascript';
const macScript = [
  'on run argv',
  'display notification (item 3 of argv) with title (item 2 of argv)',
  'end run',
];

/** The script is fixed and gets the texts as arguments. The first argument ends the options. */
const showOnMac: Notifier = ({ short: { title, text } }, signal) =>
  run(osascript, [...macScript.flatMap((line) => ['-e', line]), 'adjutant', title, text], signal);

const windowsScript = `
$title = [Console]::In.ReadLine()
$text = [Console]::In.ReadToEnd()
[Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, ContentType = WindowsRuntime] | Out-Null
$xml = [Windows.UI.Notifications.ToastNotificationManager]::GetTemplateContent([Windows.UI.Notifications.ToastTemplateType]::ToastText02)
$xml.GetElementsByTagName('text')[0].AppendChild($xml.CreateTextNode($title)) | Out-Null
$xml.GetElementsByTagName('text')[1].AppendChild($xml.CreateTextNode($text)) | Out-Null
$toast = [Windows.UI.Notifications.ToastNotification]::new($xml)
[Windows.UI.Notifications.ToastNotificationManager]::CreateToastNotifier('{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}\\WindowsPowerShell\\v1.0\\powershell.exe').Show($toast)`;

/** The script is fixed and reads the texts from its input: the title, and the text in the lines after it. */
const showOnWindows: Notifier = ({ short: { title, text } }, signal) => {
  const program = 'C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe';
  const script = Buffer.from(windowsScript, 'utf16le').toString('base64');
  const input = `${title}\n${text}`;
  return run(program, ['-NoProfile', '-NonInteractive', '-EncodedCommand', script], signal, input);
};

async function run(
  program: string,
  args: readonly string[],
  signal: AbortSignal,
  input = '',
): Promise<Outcome> {
  const { runProgram } = await import('../sending/program.ts');
  const { code, error, output } = await runProgram(program, args, { signal, input });
  if (code === 0) return { kind: 'accepted', detail: 'shown on the desktop' };
  const detail = singleLine(error?.message ?? `${program} failed (${code}): ${output}`, 500);
  return { kind: signal.aborted ? 'unknown' : 'temporary', detail };
}
