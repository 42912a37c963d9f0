import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  run,
  type ServiceManager,
  type ServiceName,
  type ServiceProgram,
  succeeds,
} from './service-manager.ts';

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
  };
}

export function describeAgent(name: string, { command, env, folder }: ServiceProgram, log: string): string {
  const strings = (texts: readonly string[]) =>
    texts.map((text) => `    <string>${escapeXml(text)}</string>\n`).join('');
  const variables = Object.entries(env)
    .map(([key, value]) => `    <key>${escapeXml(key)}</key>\n    <string>${escapeXml(value)}</string>\n`)
    .join('');
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${escapeXml(name)}</string>
  <key>ProgramArguments</key>
  <array>
${strings(command)}  </array>
  <key>EnvironmentVariables</key>
  <dict>
${variables}  </dict>
  <key>WorkingDirectory</key>
  <string>${escapeXml(folder)}</string>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>StandardOutPath</key>
  <string>${escapeXml(log)}</string>
  <key>StandardErrorPath</key>
  <string>${escapeXml(log)}</string>
</dict>
</plist>
`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
