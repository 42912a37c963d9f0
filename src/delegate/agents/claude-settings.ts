import { join } from 'node:path';
import { isObject } from '../../json.ts';
import { readRegularFile } from '../../regular-file.ts';
import { parseObject } from '../files/json-file.ts';
import type { Sandbox } from './sandbox.ts';

type Fields = Readonly<Record<string, unknown>>;

const maxSettingsBytes = 1024 * 1024;

const sandboxSettings = {
  sandbox: {
    enabled: true,
    autoAllowBashIfSandboxed: true,
    allowUnsandboxedCommands: false,
    failIfUnavailable: true,
  },
};

/**
 * Selects the Claude Code settings of a run. Repository settings are never loaded, because they can name programs,
 * servers and permissions. User settings are loaded, but Claude Code merges all permission lists, so a general user
 * permission would widen the sandbox of a writing run. In that case the settings file is not loaded; everything in it
 * that does not widen the sandbox is passed with `--settings` and the environment.
 */
export async function claudeSettings(
  env: Readonly<Record<string, string | undefined>>,
  sandbox: Sandbox,
): Promise<{ readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> }> {
  const userSettings = ['--setting-sources', 'user'];
  // A read-only run has no writing tools to permit, and an unrestricted run has no sandbox to widen.
  if (sandbox !== 'workspace-write') return { args: userSettings, env: {} };
  const settings = await loadUserSettings(env);
  if (!widensSandbox(settings))
    return { args: [...userSettings, '--settings', JSON.stringify(sandboxSettings)], env: {} };
  const { env: variables, permissions, ...rest } = settings;
  const { deny, ask } = isObject(permissions) ? permissions : {};
  const safeSettings = { ...rest, permissions: { deny, ask }, ...sandboxSettings };
  return {
    args: ['--setting-sources', '', '--settings', JSON.stringify(safeSettings)],
    // Variables can hold API keys, and other users can read command-line arguments.
    env: isObject(variables)
      ? Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, String(value)]))
      : {},
  };
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
