import { existsSync, rmSync } from 'node:fs';
import { replaceFile } from '../../atomic-file.ts';
import { findPlaces, type LoadedConfig } from '../../config.ts';
import { messageOf } from '../../json.ts';
import { fromXml } from '../../message-page.ts';
import { readRegularFileSync } from '../../regular-file.ts';
import { findServers } from '../../running-servers.ts';
import { flagName } from '../../setting.ts';
import { type Action, type Command, toggle, UsageError } from '../terminal/command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import {
  launchd,
  run,
  type ServiceManager,
  type ServiceName,
  type ServiceProgram,
  serviceNames,
  succeeds,
  systemd,
} from './service-manager.ts';
import { stableProgram } from './stable-path.ts';

interface Invocation {
  readonly loaded: LoadedConfig;
  readonly terminal: Terminal;
  readonly manager: ServiceManager;
}

type Work = (invocation: Invocation, named?: ServiceName) => Promise<number>;

function serviceAction(work: Work, action: Omit<Action, 'run' | 'args'>): Action {
  return {
    ...action,
    args: '[SERVICE]',
    notes: { SERVICE: 'server or worker' },
    async run({ loaded, words: [named], terminal }) {
      const known = serviceNames.find((name) => name === named);
      if (named !== undefined && known === undefined)
        throw new UsageError(`there is no service "${named}"; there are ${serviceNames.join(' and ')}`);
      return work({ loaded, terminal, manager: await findManager(loaded, terminal) }, known);
    },
  };
}

export const service: Command = {
  name: 'service',
  summary: 'Keep Adjutant running, from login on',
  actions: {
    status: serviceAction(status, {
      summary: 'Show what is installed and running',
      examples: ['service status', 'service status worker'],
    }),
    install: serviceAction(install, {
      summary: 'Start the server or the worker now and at every login',
      flags: { 'dry-run': toggle('Print the file without writing it') },
      settings: ['http.port'],
      examples: ['service install', 'service install worker'],
    }),
    remove: serviceAction(remove, {
      summary: 'Stop it, and no longer start it at login',
      examples: ['service remove', 'service remove worker'],
    }),
  },
};

export async function findManager(loaded: LoadedConfig, terminal: Terminal): Promise<ServiceManager> {
  const { settings, userHome } = findPlaces(terminal.env);
  if (process.platform === 'darwin') return launchd(userHome);
  if (process.platform !== 'win32' && succeeds(() => run('systemctl', '--version'))) return systemd(settings);
  const { command: words } = await serviceProgram('server', loaded, terminal);
  const command = words.map((word) => `"${word}"`).join(' ');
  throw new Error(
    process.platform === 'win32'
      ? `Windows has no service manager for user programs; create a task that runs at logon instead: schtasks /Create /SC ONLOGON /TN Adjutant /TR '${command}'`
      : `this system has neither systemd nor launchd; let its service manager run: ${command}`,
  );
}

async function install({ loaded, terminal, manager }: Invocation, named: ServiceName = 'server') {
  const file = manager.file(named);
  const text = manager.describe(named, await serviceProgram(named, loaded, terminal));
  if (loaded.flags['dry-run'] === true) {
    terminal.answer({ service: named, file, text }, `# ${file}\n${text}`);
    return 0;
  }
  const before = existsSync(file) ? readRegularFileSync(file) : undefined;
  const change = before === undefined ? 'installed' : before === text ? 'unchanged' : 'updated';
  if (change !== 'unchanged') replaceFile(file, text);
  for (const variable of shellSettings(loaded))
    terminal.hint(
      `The service does not see ${variable} of this shell. Put the setting into adjutant.toml.\n`,
    );
  try {
    manager.start(named);
  } catch (error) {
    throw new Error(
      `${file} is ${change}, but ${manager.name} could not start it (${messageOf(error)}); start it yourself: ${manager.startCommand(named)}`,
    );
  }
  terminal.report(
    { service: named, manager: manager.name, file, change, active: true },
    `The ${named} is ${change} and running (${file}).\nLog: ${manager.logCommand(named)}${named === 'server' ? '\nPage: adjutant open' : ''}`,
  );
  if (change === 'installed' && manager.advice) terminal.hint(`${manager.advice}\n`);
  return 0;
}

async function remove({ terminal, manager }: Invocation, named?: ServiceName) {
  const services = named ? [named] : serviceNames;
  const removed = services.filter((name) => existsSync(manager.file(name)));
  for (const name of removed) {
    manager.stop(name);
    rmSync(manager.file(name), { force: true });
  }
  const text = removed.map((name) => `The ${name} is removed (${manager.file(name)}).`).join('\n');
  terminal.report(
    { removed },
    text || `No service is installed (looked for ${services.map(manager.file).join(', ')}).`,
  );
  return 0;
}

async function status({ loaded, terminal, manager }: Invocation, named?: ServiceName) {
  const services = (named ? [named] : serviceNames).map((name) => {
    const file = manager.file(name);
    const installed = existsSync(file);
    const missing = installed ? missingPrograms(readRegularFileSync(file)) : [];
    return { service: name, installed, active: installed && manager.isActive(name), file, missing };
  });
  const servers = await findServers(loaded.config['http.state_dir']);
  const lines = services.map(({ service: name, installed, active, file, missing }) => {
    if (!installed) return `${name}: not installed; adjutant service install ${name}`;
    if (missing.length > 0)
      return `${name}: broken, ${missing.join(' and ')} no longer exists; adjutant service install ${name}`;
    return `${name}: ${active ? 'running' : 'stopped'} (${file}); log: ${manager.logCommand(name)}`;
  });
  terminal.answer(
    { manager: manager.name, services, servers },
    [...lines, ...servers.map(({ url, pid }) => `listening: ${url} (process ${pid})`)].join('\n'),
  );
  return services.every(({ installed, active }) => !installed || active) ? 0 : 1;
}

/** The programs that a service file names and that an upgrade has removed. */
function missingPrograms(text: string): readonly string[] {
  const [, unit, agent] = /^ExecStart=([^\n]*)$|<array>(.*?)<\/array>/ms.exec(text) ?? [];
  const words = [...(unit ?? agent ?? '').matchAll(/"((?:\\.|[^"\\])*)"|<string>(.*?)<\/string>/g)];
  return words
    .slice(0, 2)
    .map(([, quoted, element]) =>
      quoted === undefined ? fromXml(element!) : quoted.replaceAll('%%', '%').replaceAll(/\\(.)/g, '$1'),
    )
    .filter((path) => !existsSync(path));
}

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
async function serviceProgram(
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
function shellSettings({ origins }: LoadedConfig): readonly string[] {
  return Object.values(origins).flatMap((origin) => {
    const variable = /^variable (\S+)$/.exec(origin)?.[1];
    return variable === undefined || inherited.includes(variable) ? [] : [variable];
  });
}

function toFlags(flag: string, value: unknown): readonly string[] {
  if (typeof value === 'boolean') return [value ? `--${flag}` : `--no-${flag}`];
  return (Array.isArray(value) ? value : [value]).map((one) => `--${flag}=${String(one)}`);
}
