import { sep } from 'node:path';
import { findPlaces, type LoadedConfig } from '../../config.ts';
import { flagName } from '../../setting.ts';
import { type Terminal, UsageError } from '../terminal/command.ts';
import type { ServiceName, ServiceProgram } from './service-manager.ts';
import { stablePath } from './stable-path.ts';

/** Variables that decide where files are, or which programs are found. A service does not inherit them from the shell. */
const inherited = [
  'PATH',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_STATE_HOME',
  'CODEX_HOME',
  'CLAUDE_CONFIG_DIR',
];

const commands: Readonly<Record<ServiceName, readonly string[]>> = {
  server: ['serve', '--http'],
  worker: ['worker'],
};
const descriptions: Readonly<Record<ServiceName, string>> = {
  server: 'Adjutant: MCP server and page',
  worker: 'Adjutant: calendars and notifications',
};

/** The program of a service: this installation, with the settings that were given as flags. */
export function serviceProgram(
  service: ServiceName,
  { config, origins }: LoadedConfig,
  { env }: Terminal,
): ServiceProgram {
  const { PATH: path = '' } = env;
  const script = process.argv[1]!;
  if (script.includes(`${sep}_npx${sep}`))
    throw new UsageError(
      'npx runs a copy that can be deleted at any time; run "npm install -g adjutant", then "adjutant service install"',
    );
  const flags = Object.entries(config).flatMap(([name, value]) =>
    origins[name]?.startsWith('flag ') ? toFlags(flagName(name), value) : [],
  );
  return {
    description: descriptions[service],
    command: [
      stablePath(process.execPath, 'node', path),
      stablePath(script, 'adjutant', path),
      ...commands[service],
      ...flags,
    ],
    env: Object.fromEntries(inherited.flatMap((name) => (env[name] ? [[name, env[name]]] : []))),
    folder: findPlaces(env).userHome,
  };
}

/** Settings from variables of this shell, which a service does not see. */
export function shellSettings({ origins }: LoadedConfig): readonly string[] {
  return Object.values(origins).flatMap((origin) => {
    const variable = /^variable (\S+)$/.exec(origin)?.[1];
    return variable === undefined || inherited.includes(variable) ? [] : [variable];
  });
}

function toFlags(flag: string, value: unknown): readonly string[] {
  if (typeof value === 'boolean') return [value ? `--${flag}` : `--no-${flag}`];
  return (Array.isArray(value) ? value : [value]).map((one) => `--${flag}=${String(one)}`);
}
