import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import type { CustomAgent } from '../../delegate/agents/acp-definitions.ts';
import { readRegularFile } from '../../regular-file.ts';
import type { Finding } from '../../status/health.ts';

export async function checkCodex(
  config: Config,
  { env }: { readonly env: NodeJS.ProcessEnv },
): Promise<readonly Finding[]> {
  const agent = config['delegate.agent'];
  const isDefault = agent === 'codex';
  // The setting `delegate.command` is the program of the configured agent.
  const command =
    (isDefault ? config['delegate.command'] : undefined) ??
    (config['delegate.agents'] as readonly CustomAgent[]).find(({ name }) => name === 'codex')?.command ??
    'codex';
  const output = (...args: readonly string[]) => outputOf(command, args, env);
  const version = await output('--version');
  if (version === undefined) {
    if (!isDefault) return [{ title: 'Codex', state: 'good', detail: `not installed; runs use ${agent}` }];
    return [
      {
        title: 'Codex',
        state: 'warning',
        detail: `${command} cannot be started, so sub-agents cannot run`,
        remedy: 'npm install -g @openai/codex',
      },
    ];
  }
  const findings: Finding[] = [{ title: 'Codex', state: 'good', detail: version.trim() }];
  findings.push(await checkLogin(config['delegate.codex_home'], env));
  const sandboxed = await output('sandbox', '--', 'true');
  findings.push(
    sandboxed === undefined
      ? {
          title: 'Codex sandbox',
          state: 'warning',
          detail: 'sandboxed commands fail on this machine',
          remedy:
            'allow unprivileged user namespaces (kernel.apparmor_restrict_unprivileged_userns=0), see docs/troubleshooting.md',
        }
      : { title: 'Codex sandbox', state: 'good', detail: 'works' },
  );
  return findings;
}

/** Whether Codex can reach a model: with a login, or with a model provider of its own configuration. */
export async function checkLogin(codexHome: string, env: NodeJS.ProcessEnv): Promise<Finding> {
  const title = 'Codex login';
  if (existsSync(join(codexHome, 'auth.json'))) return { title, state: 'good', detail: 'signed in' };
  const missing: Finding = {
    title,
    state: 'warning',
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
  return { title, state: 'good', detail: `the model provider ${name} needs no login` };
}

interface CodexSettings {
  readonly model_provider?: string;
  readonly model_providers?: Readonly<
    Record<string, { readonly requires_openai_auth?: boolean; readonly env_key?: string }>
  >;
}

/** Output of a program, or `undefined` if it failed. */
function outputOf(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(command, [...args], { timeout: 15_000, env }, (error, stdout) =>
      resolve(error ? undefined : stdout),
    );
  });
}
