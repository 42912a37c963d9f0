import { Failure } from '../../failure.ts';
import { isObject } from '../../json.ts';
import type { OverrideRights } from './permissions.ts';

/** Keys that set an agent's permissions, or that name programs or folders outside its sandbox. */
const protectedKeys =
  /^(sandbox|permissions|default_permissions|approval|notify|hooks|mcp|projects?$|profile|agents|apps|plugins|marketplaces|windows|network|experimental_network|exec_policy|rules|zsh_path|js_repl|allow_login_shell|otel|shell_environment_policy|log_dir|sqlite_home|cli_auth|features$)/i;
const harmlessFeatures = /^features\.(goals|multi_agent|collab|web_search\w*)$/;
/** Keys that name programs, which Codex starts outside any sandbox. */
const programKeys = words('command|cmd|args|program|executable|script|hooks?|helper|auth');
/** Keys that set the address of the model or the credentials sent to it. */
const addressKeys = words(
  'urls?|uri|endpoint|address|hosts?|port|proxy|socket|env|environment|headers?|bearer|credentials?|secret|password|key|certs?|ca',
);

function words(alternatives: string): RegExp {
  return new RegExp(`(^|[_-])(${alternatives})([_-]|$)`, 'i');
}

/** A single value in an override, with the path of keys to it. */
interface Leaf {
  readonly keys: readonly string[];
  readonly value: unknown;
}

export interface CheckedOverrides {
  readonly allowed: readonly string[];
  /** One for each override that was dropped. */
  readonly warnings: readonly string[];
}

/**
 * Checks overrides against the rights of the caller. Overrides are parsed as Codex parses them, because an escape sequence
 * can hide a key. Text that Codex might parse differently needs the rights for everything.
 */
export async function checkOverrides(
  overrides: readonly string[],
  rights: OverrideRights,
): Promise<CheckedOverrides> {
  const [allowed, warnings]: [string[], string[]] = [[], []];
  for (const override of overrides) {
    const problem = await findProblem(override, rights);
    if (problem === undefined) allowed.push(override);
    else if (rights.drop) warnings.push(`${problem} It was not passed on.`);
    else throw new Failure('refused', `${problem} Set it in the agent's own settings instead.`);
  }
  return { allowed, warnings };
}

async function findProblem(override: string, rights: OverrideRights): Promise<string | undefined> {
  const at = override.indexOf('=');
  const key = override.slice(0, Math.max(at, 0)).trim();
  if (key === '')
    throw new Failure(
      'refused',
      `The config override ${JSON.stringify(override)} is not of the form key=value.`,
    );
  const parsed = await parseOverride(key, override.slice(at + 1).trim());
  if (typeof parsed === 'string')
    return rights.programs
      ? undefined
      : `The config override ${JSON.stringify(override)} is refused: ${parsed}.`;
  for (const { keys, value } of listLeaves(parsed)) {
    const reason = reasonToRefuse(keys, value, rights);
    if (reason !== undefined) return `The config override ${keys.join('.')} is refused: ${reason}.`;
  }
  return undefined;
}

function reasonToRefuse(keys: readonly string[], value: unknown, rights: OverrideRights): string | undefined {
  const [root = ''] = keys;
  const name = keys.join('.');
  // Disabling an MCP server can only reduce what the agent may do.
  const disablesServer = /^mcp_servers\.[\w-]+\.enabled$/.test(name) && value === false;
  if (!rights.programs) {
    if (protectedKeys.test(root) && !disablesServer && !harmlessFeatures.test(name))
      return 'it could widen the permissions of the run';
    if (keys.some((key) => programKeys.test(key))) return 'it could start a program outside the sandbox';
  }
  const setsAddress = keys.some((key) => addressKeys.test(key)) || isAddress(value);
  return setsAddress && !rights.addresses ? 'it could send data or keys to another address' : undefined;
}

function isAddress(value: unknown): boolean {
  return typeof value === 'string' && /^\s*[a-z][a-z\d+.-]*:\/\//i.test(value);
}

function listLeaves({ keys, value }: Leaf): Leaf[] {
  const inner: [string[], unknown][] = Array.isArray(value)
    ? value.map((item) => [[], item])
    : isObject(value)
      ? Object.entries(value).map(([key, item]) => [[key], item])
      : [];
  return inner.length === 0
    ? [{ keys, value }]
    : inner.flatMap(([more, item]) => listLeaves({ keys: [...keys, ...more], value: item }));
}

/**
 * Codex splits an override at the first `=`, splits the key at every dot, even in quotes, and parses the rest as TOML.
 * Returns the reason if that is ambiguous.
 */
async function parseOverride(key: string, text: string): Promise<Leaf | string> {
  const keys = key.split('.');
  if (!keys.every((part) => /^[\w-]+$/.test(part)))
    return 'its key must consist of plain names separated by dots, without quotation marks';
  const { parse } = await import('smol-toml');
  try {
    const { value, ...others } = parse(`value = ${text}`);
    if (Object.keys(others).length === 0) return { keys, value };
  } catch {
    // Codex treats invalid TOML as a string. Without these characters, no TOML parser reads it as anything else.
    if (!/["'[\]{}#=\\\p{Cc}]/u.test(text)) return { keys, value: text };
  }
  return 'its value is not one valid TOML value';
}
