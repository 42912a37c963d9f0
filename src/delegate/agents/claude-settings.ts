import { join } from 'node:path';
import { isObject } from '../../json.ts';
import { readRegularFile } from '../../regular-file.ts';
import { parseObject } from '../files/json-file.ts';
import type { Sandbox } from './sandbox.ts';

type Fields = Readonly<Record<string, unknown>>;

const maxSettingsBytes = 1024 * 1024;

const sandboxed = {
  sandbox: {
    enabled: true,
    autoAllowBashIfSandboxed: true,
    allowUnsandboxedCommands: false,
    failIfUnavailable: true,
  },
};

/**
 * The user's own settings apply, those of the repository never: they name programs, addresses and rights. Claude Code
 * joins lists of all settings it is given, so what the user allows in general would add to the sandbox of a run that
 * writes. Then the file is not loaded, and the rest of it is handed over instead.
 */
export async function claudeSettings(
  env: Readonly<Record<string, string | undefined>>,
  sandbox: Sandbox,
): Promise<{ readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> }> {
  const load = ['--setting-sources', 'user'];
  // For reading only it has no tool that a permission could widen.
  if (sandbox !== 'workspace-write') return { args: load, env: {} };
  const settings = await loadUserSettings(env);
  if (!widens(settings)) return { args: [...load, '--settings', JSON.stringify(sandboxed)], env: {} };
  const { env: variables, permissions, ...rest } = settings;
  const { deny, ask } = isObject(permissions) ? permissions : {};
  const kept = { ...rest, permissions: { deny, ask }, ...sandboxed };
  return {
    args: ['--setting-sources', '', '--settings', JSON.stringify(kept)],
    // Keys may be among them, and arguments can be seen by others.
    env: isObject(variables)
      ? Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, String(value)]))
      : {},
  };
}

function widens({ permissions, sandbox }: Fields): boolean {
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
