import { Failure } from '../../failure.ts';
import { isObject } from '../../json.ts';
import type { Caller } from './permissions.ts';

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

/**
 * Refuses overrides that need more permissions than the caller has. Overrides are parsed as Codex parses them, because an
 * escape sequence can hide a key. Text that Codex might parse differently is refused.
 */
export async function checkOverrides(
  overrides: readonly string[],
  { sandbox, ceiling }: Caller,
): Promise<void> {
  const hasFullAccess = sandbox === 'danger-full-access' && ceiling === undefined;
  for (const override of overrides) {
    for (const { keys, value } of listLeaves(await parseOverride(override))) {
      const name = keys.join('.');
      const reason = reasonToRefuse(keys, value, hasFullAccess);
      if (reason !== undefined)
        throw new Failure(
          'refused',
          `The config override ${name} is refused: ${reason}. Set it in the agent's own settings instead.`,
        );
    }
  }
}

function reasonToRefuse(keys: readonly string[], value: unknown, hasFullAccess: boolean): string | undefined {
  const [root = ''] = keys;
  const name = keys.join('.');
  // Disabling an MCP server can only reduce what the agent may do.
  const disablesServer = /^mcp_servers\.[\w-]+\.enabled$/.test(name) && value === false;
  if (protectedKeys.test(root) && !disablesServer && !harmlessFeatures.test(name))
    return 'it could widen the permissions of the run';
  if (keys.some((key) => programKeys.test(key))) return 'it could start a program outside the sandbox';
  const setsAddress = keys.some((key) => addressKeys.test(key)) || isAddress(value);
  return setsAddress && !hasFullAccess ? 'it could send data or keys to another address' : undefined;
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

/** Codex splits an override at the first `=`, splits the key at every dot, even in quotes, and parses the rest as TOML. */
async function parseOverride(override: string): Promise<Leaf> {
  const refuse = (why: string) =>
    new Failure('refused', `The config override ${JSON.stringify(override)} ${why}`);
  const at = override.indexOf('=');
  const key = override.slice(0, Math.max(at, 0)).trim();
  if (key === '') throw refuse('is not of the form key=value.');
  const keys = key.split('.');
  if (!keys.every((part) => /^[\w-]+$/.test(part)))
    throw refuse(
      'is refused: its key must consist of plain names separated by dots, without quotation marks.',
    );
  const text = override.slice(at + 1).trim();
  const { parse } = await import('smol-toml');
  try {
    const { value, ...others } = parse(`value = ${text}`);
    if (Object.keys(others).length === 0) return { keys, value };
  } catch {
    // Codex treats invalid TOML as a string. Without these characters, no TOML parser reads it as anything else.
    if (!/["'[\]{}#=\\\p{Cc}]/u.test(text)) return { keys, value: text };
  }
  throw refuse('is refused: its value is not one valid TOML value.');
}
