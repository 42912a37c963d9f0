import { join } from 'node:path';
import {
  run,
  type ServiceManager,
  type ServiceName,
  type ServiceProgram,
  succeeds,
} from './service-manager.ts';

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
