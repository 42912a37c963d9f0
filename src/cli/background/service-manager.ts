import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { xml } from '../../message-page.ts';

export const serviceNames = ['server', 'worker'] as const;
export type ServiceName = (typeof serviceNames)[number];

/** What a service runs. */
export interface ServiceProgram {
  readonly description: string;
  /** Absolute path of the program, then its arguments. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
}

/** The program of the operating system that starts services and restarts them after a crash. */
export interface ServiceManager {
  readonly name: string;
  /** The file that describes the service. */
  file(service: ServiceName): string;
  /** The content of that file. */
  describe(service: ServiceName, program: ServiceProgram): string;
  /** Starts the service now and at every login, with its current file. Throws the manager's own message. */
  start(service: ServiceName): void;
  /** Stops the service and no longer starts it. Does nothing if the manager does not know it. */
  stop(service: ServiceName): void;
  isActive(service: ServiceName): boolean;
  /** The command that starts the service, for a user whose manager cannot be reached. */
  startCommand(service: ServiceName): string;
  /** The command that shows the log. */
  logCommand(service: ServiceName): string;
  /** The program that prints the log, and its arguments. */
  log(
    service: ServiceName,
    options: { readonly follow: boolean; readonly limit: number },
  ): readonly [string, ...string[]];
  /** Advice after the first start. */
  readonly advice?: string;
}

/** Runs a program of the service manager. Throws its message. */
export function run(program: string, ...args: readonly string[]): string {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    throw new Error(`${program} ${args.join(' ')}: ${stderr?.trim() || message}`);
  }
}

export function succeeds(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

const label = (service: ServiceName) => `adjutant.${service}`;

/** Agents of launchd, which run while the user is logged in. */
export function launchd(userHome: string): ServiceManager {
  const domain = `gui/${process.getuid?.()}`;
  const logs = join(userHome, 'Library', 'Logs', 'adjutant');
  const logFile = (service: ServiceName) => join(logs, `${service}.log`);
  const file = (service: ServiceName) => join(userHome, 'Library', 'LaunchAgents', `${label(service)}.plist`);
  const stop = (service: ServiceName) => {
    succeeds(() => run('launchctl', 'bootout', `${domain}/${label(service)}`));
  };
  return {
    name: 'launchd',
    file,
    describe: (service, program) => describeAgent(label(service), program, logFile(service)),
    start(service) {
      mkdirSync(logs, { recursive: true, mode: 0o700 });
      stop(service);
      run('launchctl', 'bootstrap', domain, file(service));
    },
    stop,
    isActive: (service) =>
      succeeds(() => {
        if (!/\bstate = running\b/.test(run('launchctl', 'print', `${domain}/${label(service)}`)))
          throw new Error('not running');
      }),
    startCommand: (service) => `launchctl bootstrap ${domain} '${file(service)}'`,
    logCommand: (service) => `tail -f '${logFile(service)}'`,
    log: (service, { follow, limit }) => [
      ...(['tail', '-n', String(limit)] as const),
      ...(follow ? ['-f'] : []),
      logFile(service),
    ],
  };
}

export function describeAgent(name: string, { command, env, folder }: ServiceProgram, log: string): string {
  const strings = (texts: readonly string[]) =>
    texts.map((text) => `    <string>${xml(text)}</string>\n`).join('');
  const variables = Object.entries(env)
    .map(([key, value]) => `    <key>${xml(key)}</key>\n    <string>${xml(value)}</string>\n`)
    .join('');
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${xml(name)}</string>
  <key>ProgramArguments</key>
  <array>
${strings(command)}  </array>
  <key>EnvironmentVariables</key>
  <dict>
${variables}  </dict>
  <key>WorkingDirectory</key>
  <string>${xml(folder)}</string>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>StandardOutPath</key>
  <string>${xml(log)}</string>
  <key>StandardErrorPath</key>
  <string>${xml(log)}</string>
</dict>
</plist>
`;
}

const units: Readonly<Record<ServiceName, string>> = {
  server: 'adjutant.service',
  worker: 'adjutant-worker.service',
};

/** User units of systemd. `settingsFolder` is the user's folder for settings, such as `~/.config`. */
export function systemd(settingsFolder: string): ServiceManager {
  const systemctl = (...args: readonly string[]) => run('systemctl', '--user', ...args);
  return {
    name: 'systemd',
    file: (service) => join(settingsFolder, 'systemd', 'user', units[service]),
    describe: (_, program) => describeUnit(program),
    start(service) {
      systemctl('daemon-reload');
      systemctl('enable', units[service]);
      systemctl('restart', units[service]);
    },
    stop(service) {
      // Fails for a unit that was never loaded.
      succeeds(() => systemctl('disable', '--now', units[service]));
    },
    isActive: (service) => succeeds(() => systemctl('is-active', '--quiet', units[service])),
    startCommand: (service) =>
      `systemctl --user daemon-reload && systemctl --user enable --now ${units[service]}`,
    logCommand: (service) => `journalctl --user --unit ${units[service]}`,
    log: (service, { follow, limit }) => [
      ...(['journalctl', '--user', '--unit', units[service], '--lines', String(limit)] as const),
      ...(follow ? ['--follow'] : ['--no-pager']),
    ],
    advice: 'It runs while you are logged in. To keep it running after that, run: loginctl enable-linger',
  };
}

/** No UMask: agents inherit it, and their files in a workspace must have the usual permissions. */
export function describeUnit({ description, command, env, folder }: ServiceProgram): string {
  const [program, ...args] = command;
  return `[Unit]
Description=${specifiers(description)}

[Service]
Type=exec
ExecStart=${[quote(program!), ...args.map((arg) => quote(arg).replaceAll('$', '$$$$'))].join(' ')}
WorkingDirectory=${specifiers(folder)}
${Object.entries(env)
  .map(([name, value]) => `Environment=${quote(`${name}=${value}`)}\n`)
  .join('')}Restart=on-failure
RestartSec=5
# Runs have processes of their own, which continue while the server restarts.
KillMode=process
NoNewPrivileges=true

[Install]
WantedBy=default.target
`;
}

function quote(text: string): string {
  const escaped = text.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n');
  return `"${specifiers(escaped)}"`;
}

/** A percent sign starts a specifier of systemd, such as %h. */
function specifiers(text: string): string {
  return text.replaceAll('%', '%%');
}
