import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readRegularFile } from '../../regular-file.ts';
import type { Login } from './agent.ts';

/** Finds out whether Codex can reach a model: with a login, or with a model provider of its own configuration. */
export async function readLogin(
  codexHome: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Login> {
  if (existsSync(join(codexHome, 'auth.json'))) return { isSignedIn: true, detail: 'signed in' };
  const missing = {
    isSignedIn: false,
    detail: 'no login found',
    remedy: 'run codex login, or configure a model provider with an API key',
  };
  const text = await readRegularFile(join(codexHome, 'config.toml')).catch(() => undefined);
  if (text === undefined) return missing;
  const { parse } = await import('smol-toml');
  let settings: CodexSettings;
  try {
    settings = parse(text) as CodexSettings;
  } catch (error) {
    const [reason] = (error as Error).message.split('\n');
    return { ...missing, detail: `${join(codexHome, 'config.toml')} cannot be read: ${reason}` };
  }
  const { model_provider: name = 'openai', model_providers = {} } = settings;
  const { requires_openai_auth: needsLogin, env_key: key } = model_providers[name] ?? {
    requires_openai_auth: true,
  };
  if (needsLogin) return missing;
  if (key !== undefined && !env[key])
    return {
      ...missing,
      detail: `the model provider ${name} needs the variable ${key}`,
      remedy: `set ${key} where the server is started`,
    };
  return { isSignedIn: true, detail: `the model provider ${name} needs no login` };
}

interface CodexSettings {
  readonly model_provider?: string;
  readonly model_providers?: Readonly<
    Record<string, { readonly requires_openai_auth?: boolean; readonly env_key?: string }>
  >;
}
