import { Failure } from '../../failure.ts';
import { isObject } from '../../json.ts';
import type { Caller } from './permissions.ts';

/** Keys that decide what an agent may touch, or that name programs or places outside of its sandbox. */
const guarded =
  /^(sandbox|permissions|default_permissions|approval|notify|hooks|mcp|projects?$|profile|agents|apps|plugins|marketplaces|windows|network|experimental_network|exec_policy|rules|zsh_path|js_repl|allow_login_shell|otel|shell_environment_policy|log_dir|sqlite_home|cli_auth|features$)/i;
const harmlessFeatures = /^features\.(goals|multi_agent|collab|web_search\w*)$/;
/** Programs, which codex starts outside of any sandbox. */
const programs = words('command|cmd|args|program|executable|script|hooks?|helper|auth');
/** Where the model is, and what it is sent of our keys. */
const addresses = words(
  'urls?|uri|endpoint|address|hosts?|port|proxy|socket|env|environment|headers?|bearer|credentials?|secret|password|key|certs?|ca',
);

function words(alternatives: string): RegExp {
  return new RegExp(`(^|[_-])(${alternatives})([_-]|$)`, 'i');
}

/** One value of an override, with the keys that lead to it. */
interface Leaf {
  readonly keys: readonly string[];
  readonly value: unknown;
}

/**
 * Refuses overrides that need more rights than the caller has shown. They are judged as codex reads them, not as they are
 * written: a key may hide behind an escape. What might be read differently there than here is refused.
 */
export async function checkOverrides(overrides: readonly string[], { sandbox }: Caller): Promise<void> {
  for (const override of overrides) {
    for (const { keys, value } of leavesOf(await parseOverride(override))) {
      const name = keys.join('.');
      const reason = reasonToRefuse(keys, value, sandbox === 'danger-full-access');
      if (reason !== undefined)
        throw new Failure(
          'refused',
          `The config override ${name} is refused: ${reason}. Set it in the agent's own settings instead.`,
        );
    }
  }
}

function reasonToRefuse(keys: readonly string[], value: unknown, isFree: boolean): string | undefined {
  const [root = ''] = keys;
  const name = keys.join('.');
  /** The one thing about servers that can only take away. */
  const switchesOff = /^mcp_servers\.[\w-]+\.enabled$/.test(name) && value === false;
  if (guarded.test(root) && !switchesOff && !harmlessFeatures.test(name))
    return 'it could widen what the run may touch';
  if (keys.some((key) => programs.test(key))) return 'it could start a program outside of the sandbox';
  const leadsOut = keys.some((key) => addresses.test(key)) || isAddress(value);
  return leadsOut && !isFree ? 'it could send data or keys to another address' : undefined;
}

function isAddress(value: unknown): boolean {
  return typeof value === 'string' && /^\s*[a-z][a-z\d+.-]*:\/\//i.test(value);
}

function leavesOf({ keys, value }: Leaf): Leaf[] {
  const inner: [string[], unknown][] = Array.isArray(value)
    ? value.map((item) => [[], item])
    : isObject(value)
      ? Object.entries(value).map(([key, item]) => [[key], item])
      : [];
  return inner.length === 0
    ? [{ keys, value }]
    : inner.flatMap(([more, item]) => leavesOf({ keys: [...keys, ...more], value: item }));
}

/** Codex splits at the first `=`, takes the key apart at its dots whatever is in it, and reads the rest as a TOML value. */
async function parseOverride(override: string): Promise<Leaf> {
  const refuse = (why: string) =>
    new Failure('refused', `The config override ${JSON.stringify(override)} ${why}`);
  const at = override.indexOf('=');
  const key = override.slice(0, Math.max(at, 0)).trim();
  if (key === '') throw refuse('is not of the form key=value.');
  const keys = key.split('.');
  if (!keys.every((part) => /^[\w-]+$/.test(part)))
    throw refuse('is refused: its key must be plain names with dots between them, without quotation marks.');
  const text = override.slice(at + 1).trim();
  const { parse } = await import('smol-toml');
  try {
    const { value, ...others } = parse(`value = ${text}`);
    if (Object.keys(others).length === 0) return { keys, value };
  } catch {
    // Codex takes what is no TOML as a string. Without these characters it can be nothing else here or there.
    if (!/["'[\]{}#=\\\p{Cc}]/u.test(text)) return { keys, value: text };
  }
  throw refuse('is refused: its value is not one valid TOML value.');
}
