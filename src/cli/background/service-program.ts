import { findPlaces, type LoadedConfig } from '../../config.ts';
import { flagName } from '../../setting.ts';
import type { Terminal } from '../terminal/command.ts';
import type { ServiceName, ServiceProgram } from './service-manager.ts';
import { stableProgram } from './stable-path.ts';

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
export async function serviceProgram(
  service: ServiceName,
  { config, origins }: LoadedConfig,
  { env }: Terminal,
): Promise<ServiceProgram> {
  const { node, script } = await stableProgram(env['PATH'], 'adjutant service install');
  const flags = Object.entries(config).flatMap(([name, value]) =>
    origins[name]?.startsWith('flag ') ? toFlags(flagName(name), value) : [],
  );
  return {
    description: descriptions[service],
    command: [node, script, ...commands[service], ...flags],
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
