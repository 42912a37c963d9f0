import { join } from 'node:path';
import { isObject } from '../../json.ts';
import { readRegularFile } from '../../regular-file.ts';
import { parseObject } from '../files/json-file.ts';
import type { Sandbox } from './sandbox.ts';

type Fields = Readonly<Record<string, unknown>>;

const maxSettingsBytes = 1024 * 1024;

const sandboxSettings = {
  enabled: true,
  autoAllowBashIfSandboxed: true,
  allowUnsandboxedCommands: false,
  failIfUnavailable: true,
};

interface SettingsOfRun {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Selects the Claude Code settings of a run. Repository settings are not loaded unless the user trusts the folder, because
 * they can name programs, servers and permissions. User settings are loaded, but Claude Code merges all permission lists, so
 * a general user permission would widen the sandbox of a writing run. In that case the settings file is not loaded;
 * everything in it that does not widen the sandbox is passed with `--settings` and the environment. With `mayAsk`, a command
 * can leave the sandbox if a person allows it.
 */
export async function claudeSettings(
  env: Readonly<Record<string, string | undefined>>,
  sandbox: Sandbox,
  isTrusted: boolean,
  unreadable: readonly string[],
  mayAsk = false,
): Promise<SettingsOfRun> {
  const denied = unreadable.flatMap(denyRules);
  const forbidding = denied.length === 0 ? {} : { permissions: { deny: denied } };
  const pass = (sources: string, settings: object, variables: SettingsOfRun['env'] = {}) => ({
    args: [
      '--setting-sources',
      sources,
      ...(Object.keys(settings).length === 0 ? [] : ['--settings', JSON.stringify(settings)]),
    ],
    env: variables,
  });
  const sources = isTrusted ? 'user,project,local' : 'user';
  // A read-only run has no writing tools to permit, and an unrestricted run has no sandbox to widen.
  if (sandbox !== 'workspace-write') return pass(sources, forbidding);
  const filesystem = unreadable.length === 0 ? {} : { filesystem: { denyRead: unreadable } };
  const confined = {
    ...forbidding,
    sandbox: { ...sandboxSettings, allowUnsandboxedCommands: mayAsk, ...filesystem },
  };
  const settings = await loadUserSettings(env);
  if (!widensSandbox(settings)) return pass(sources, confined);
  const { env: variables, permissions, ...rest } = settings;
  const { deny, ask } = isObject(permissions) ? permissions : {};
  const safe = {
    ...rest,
    ...confined,
    permissions: { deny: [...(Array.isArray(deny) ? deny : []), ...denied], ask },
  };
  // Variables can hold API keys, and other users can read command-line arguments.
  return pass(
    isTrusted ? 'project,local' : '',
    safe,
    isObject(variables)
      ? Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, String(value)]))
      : {},
  );
}

/** Rules for the tools that read. A leading `//` marks an absolute path. */
function denyRules(path: string): string[] {
  return [`Read(/${path})`, `Read(/${path}/**)`];
}

function widensSandbox({ permissions, sandbox }: Fields): boolean {
  return (
    sandbox !== undefined ||
    (isObject(permissions) && Object.keys(permissions).some((key) => key !== 'deny' && key !== 'ask'))
  );
}

async function loadUserSettings(env: Readonly<Record<string, string | undefined>>): Promise<Fields> {
  const folder = env['CLAUDE_CONFIG_DIR'] || join(env['HOME'] ?? env['USERPROFILE'] ?? '', '.claude');
  const text = await readRegularFile(join(folder, 'settings.json'), maxSettingsBytes).catch(() => '');
  return parseObject(text) ?? {};
}
