import { promises as disk } from 'node:fs';
import { sep } from 'node:path';
import { Failure } from '../failure.ts';
import { isObject } from '../json.ts';
import { isSandbox, narrowest, type Sandbox } from './sandbox.ts';

/** Who is asking, where the client tells it: the thread it comes from and what that thread may touch. */
export interface Caller {
  readonly threads: readonly string[];
  readonly sandbox?: Sandbox;
  /** The folders it works in, as far as it names them. */
  readonly workspaces: readonly string[];
}

/** Codex sends these facts with every call of a tool. */
export function callerOf(meta: Readonly<Record<string, unknown>>): Caller {
  const told = meta['x-codex-turn-metadata'];
  const facts = typeof told === 'string' ? parse(told) : told;
  if (!isObject(facts)) return { threads: [], workspaces: [] };
  const { thread_id, session_id, sandbox_mode: mode, workspaces } = facts;
  return {
    threads: [thread_id, session_id].filter((id) => typeof id === 'string'),
    workspaces: isObject(workspaces) ? Object.keys(workspaces) : [],
    // A mode we have not heard of is trusted with the least.
    ...(mode !== undefined && { sandbox: isSandbox(mode) ? mode : 'read-only' }),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export interface GrantLimits {
  readonly ceiling: Sandbox;
  readonly dangerFolders: readonly string[];
}

export interface Grant {
  readonly sandbox: Sandbox;
  /** Told to the caller when it gets less than it asked for. */
  readonly warning?: string;
}

/** Never more than the caller has or the settings allow; delegating is no way to more. */
export async function grantSandbox(
  wanted: Sandbox,
  cwd: string,
  caller: Caller,
  { ceiling, dangerFolders }: GrantLimits,
): Promise<Grant> {
  const sandbox = narrowest(wanted, ceiling, (await reachOf(caller, cwd)) ?? wanted);
  if (sandbox === 'danger-full-access' && !(await isInside(cwd, dangerFolders)))
    throw new Failure(
      'refused',
      `danger-full-access is not allowed in ${cwd}; name the folder in delegate.danger_folders to allow it.`,
    );
  if (sandbox === wanted) return { sandbox };
  const whose = sandbox === ceiling ? 'delegate.sandbox_ceiling allows' : 'the calling thread has';
  return { sandbox, warning: `The run got the sandbox ${sandbox} instead of ${wanted}: ${whose} no more.` };
}

/** What the caller could do itself in that folder; `undefined` when it does not tell. */
async function reachOf({ sandbox, workspaces }: Caller, cwd: string): Promise<Sandbox | undefined> {
  const abroad = sandbox === 'workspace-write' && workspaces.length > 0 && !(await isInside(cwd, workspaces));
  return abroad ? 'read-only' : sandbox;
}

async function isInside(cwd: string, folders: readonly string[]): Promise<boolean> {
  const real = (path: string) => disk.realpath(path).catch(() => undefined);
  const place = await real(cwd);
  const allowed = await Promise.all(folders.map(real));
  return allowed.some(
    (folder) =>
      place !== undefined && folder !== undefined && (place === folder || place.startsWith(folder + sep)),
  );
}

/** Keys that decide what an agent may touch, or that name programs or places outside of its sandbox. */
const guarded =
  /^(sandbox|permissions|default_permissions|approval|notify|hooks|mcp|projects?$|profile|agents|apps|plugins|marketplaces|windows|network|experimental_network|exec_policy|rules|zsh_path|js_repl|allow_login_shell|otel|shell_environment_policy|log_dir|sqlite_home|cli_auth|features$)/;
const harmlessFeatures = /^features\.(goals|multi_agent|collab|web_search\w*)$/;
/** The one thing about servers that can only take away. */
const switchesOff = /^mcp_servers\.[\w-]+\.enabled\s*=\s*false\s*$/;
/** Programs that fetch credentials run outside of any sandbox. */
const startsPrograms = /\bauth\b.*\bcommand\b|\bcommand\b.*\bauth\b/;
/** Where the model is, and what it is shown of our keys: a thread without network could get out that way. */
const reachesOut = /base_url|env_key|http_headers|bearer_token/;

export function checkOverrides(overrides: readonly string[], { sandbox }: Caller): void {
  const confined = sandbox !== undefined && sandbox !== 'danger-full-access';
  for (const override of overrides) {
    const key = /^\s*([^=]+?)\s*=/.exec(override)?.[1];
    if (key === undefined)
      throw new Failure(
        'refused',
        `The config override ${JSON.stringify(override)} is not of the form key=value.`,
      );
    const plain = key.replaceAll(/["'\s]/g, '');
    const [root = ''] = plain.split('.');
    const widens =
      (guarded.test(root) && !switchesOff.test(override.trim()) && !harmlessFeatures.test(plain)) ||
      startsPrograms.test(override) ||
      (confined && reachesOut.test(override));
    if (widens)
      throw new Failure(
        'refused',
        `The config override ${plain} is refused: it could widen what the run may touch. Set it in the agent's own settings instead.`,
      );
  }
}
