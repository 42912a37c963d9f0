import { existsSync } from 'node:fs';
import { isObject } from '../../json.ts';
import type { Sandbox } from './sandbox.ts';

/** Name of the permission profile, which exists only on the command line of a run. */
const profile = 'adjutant';
const baseProfiles = { 'read-only': ':read-only', 'workspace-write': ':workspace' } as const;

export interface CodexPermissions {
  /** Arguments that select the sandbox. */
  readonly args: readonly string[];
  /** The same selection as parameters of a thread of `codex app-server`. */
  readonly thread: { readonly sandbox: Sandbox } | { readonly permissions: string };
  /** Overrides that define it. They come after those of the caller. */
  readonly overrides: readonly string[];
}

/**
 * Selects the sandbox of a run. If there are files that no sub-agent may read, a permission profile denies them; `--sandbox`
 * would take precedence over it, so it is left out. `sandbox_mode` is for versions of Codex without profiles.
 */
export function codexPermissions(
  sandbox: Sandbox,
  unreadable: readonly string[],
  userSettings: Readonly<Record<string, unknown>>,
  callerOverrides: readonly string[],
): CodexPermissions {
  const plain = { args: ['--sandbox', sandbox], thread: { sandbox }, overrides: [] };
  // To hide a missing file or folder, the sandbox would create an empty file in its place.
  const existing = unreadable.filter((path) => existsSync(path));
  if (sandbox === 'danger-full-access' || existing.length === 0) return plain;
  // A caller with the rights to set its own sandbox gets what it asks for.
  if (callerOverrides.some((override) => /^\s*(sandbox|permissions|default_permissions)/.test(override)))
    return plain;
  const denied = existing.map((path) => [path, 'deny'] as const);
  const user = sandbox === 'workspace-write' ? workspaceSettings(userSettings) : undefined;
  const rules = [...(user?.rules ?? []), ...denied].map(
    ([path, access]) => `${JSON.stringify(path)}=${JSON.stringify(access)}`,
  );
  const network = user?.network ? ',network={enabled=true}' : '';
  return {
    args: [],
    thread: { permissions: profile },
    overrides: [
      `sandbox_mode=${JSON.stringify(sandbox)}`,
      `permissions.${profile}={extends=${JSON.stringify(baseProfiles[sandbox])},filesystem={${rules.join(',')}}${network}}`,
      `default_permissions=${JSON.stringify(profile)}`,
    ],
  };
}

/** The folders besides the working folder that commands can write to, by the settings of the user. */
export function writableRoots({
  sandbox_workspace_write: own,
}: Readonly<Record<string, unknown>>): readonly string[] {
  const roots = isObject(own) && Array.isArray(own['writable_roots']) ? own['writable_roots'] : [];
  return roots.filter((root) => typeof root === 'string');
}

/** Translates the user's settings for `workspace-write`, which Codex does not apply to a profile. */
function workspaceSettings(settings: Readonly<Record<string, unknown>>): {
  readonly rules: readonly (readonly [string, string])[];
  readonly network: boolean;
} {
  const own = settings['sandbox_workspace_write'];
  if (!isObject(own)) return { rules: [], network: false };
  return {
    rules: [
      ...writableRoots(settings).map((root) => [root, 'write'] as const),
      ...(own['exclude_slash_tmp'] === true ? [[':slash_tmp', 'read'] as const] : []),
      ...(own['exclude_tmpdir_env_var'] === true ? [[':tmpdir', 'read'] as const] : []),
    ],
    network: own['network_access'] === true,
  };
}
