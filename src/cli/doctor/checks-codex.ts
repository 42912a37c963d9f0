import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import type { CustomAgent } from '../../delegate/agents/acp-definitions.ts';
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
  const loggedIn = existsSync(join(config['delegate.codex_home'], 'auth.json'));
  findings.push(
    loggedIn
      ? { title: 'Codex login', state: 'good', detail: 'signed in' }
      : {
          title: 'Codex login',
          state: 'warning',
          detail: 'no login found',
          remedy: 'run codex login, or configure a model provider with an API key',
        },
  );
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
