import { existsSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import type { AgentName, Credentials } from '../agents/agent.ts';
import { findLogin } from '../agents/agent-survey.ts';
import { acpDefinitions } from '../agents/agents.ts';
import { claudeCredentials } from '../agents/claude.ts';
import { seemsSignedIn } from '../agents/codex.ts';

interface Choice {
  /** `auto`, or the name of an agent. */
  readonly agent: string;
  readonly order: readonly AgentName[];
  /** Programs of agents that the settings name. */
  readonly commands: ReadonlyMap<AgentName, string>;
  readonly codexHome: string;
  readonly userHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * The agent of runs that name none. With `auto`, it is the first of the order that is installed and signed in, or else the first
 * that is installed. This only looks at files, so that it can be asked at any time; a run finds and checks the program again.
 */
export function defaultAgent({ agent, order, commands, codexHome, userHome, env }: Choice): AgentName {
  if (agent !== 'auto') return agent;
  const installed = order.filter((name) => isInstalled(commands.get(name) ?? name, env));
  const isReady = (name: AgentName) =>
    name === 'codex'
      ? seemsSignedIn(codexHome)
      : findLogin(credentialsOf(name, env), { userHome, env }).isSignedIn !== false;
  return installed.find(isReady) ?? installed[0] ?? 'codex';
}

function credentialsOf(name: AgentName, env: Choice['env']): Credentials | undefined {
  if (name === 'claude') return claudeCredentials(env);
  return acpDefinitions.find((one) => one.name === name)?.credentials;
}

function isInstalled(command: string, env: Choice['env']): boolean {
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', '.bat', ''] : [''];
  const files = /[/\\]/.test(command)
    ? [resolve(command)]
    : (env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, command));
  return files.some((file) => endings.some((ending) => existsSync(file + ending)));
}
