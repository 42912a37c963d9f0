import type { Config, LoadedConfig } from '../../config.ts';
import { surveyAgent, surveySandbox, versionHint } from '../../delegate/agents/agent-survey.ts';
import { Agents } from '../../delegate/agents/agents.ts';
import { delegateOptions } from '../../delegate/run/delegate-options.ts';
import type { Finding } from '../../feature.ts';
import { messageOf } from '../../json.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Lists the agents besides Codex, which has checks of its own. */
export async function checkAgents(
  { config }: Pick<LoadedConfig, 'config'>,
  { env }: Pick<Terminal, 'env'>,
): Promise<readonly Finding[]> {
  const options = delegateOptions(config, env, false);
  const { all } = new Agents(options);
  const others = await Promise.all(
    all.filter(({ name }) => name !== 'codex').map((agent) => surveyAgent(agent, options)),
  );
  const isDefault = (name: string) => name === options.agent;
  const isConfigured = (name: string) =>
    options.agents.some((agent) => agent.name === name && agent.command !== undefined);
  const { detail, remedy } = await surveySandbox(all, options);
  const findings: Finding[] = [toFinding('Sandbox around agents', detail, remedy)];
  const missing: string[] = [];
  for (const { name, program, version, signed_in, can, hint } of others) {
    const title = `Agent ${name}`;
    if (program !== null) {
      const login = signed_in === null ? '' : signed_in ? ', signed in' : ', not signed in';
      const detail = `${version ?? 'unknown version'}${login}; can ${can.join(', ')}`;
      findings.push(
        hint === undefined
          ? { title, state: 'good', detail }
          : { title, state: 'warning', detail, remedy: hint },
      );
    } else if (isDefault(name) || isConfigured(name)) {
      const role = isDefault(name) ? 'is the configured agent' : 'is in delegate.agents';
      findings.push({
        title,
        state: 'warning',
        detail: `${role}, but it is not installed`,
        remedy: hint ?? 'set delegate.agent',
      });
    } else missing.push(name);
  }
  if (missing.length > 0)
    findings.push({ title: 'Other agents', state: 'good', detail: `not installed: ${missing.join(', ')}` });
  return findings;
}

/** Checks the program, the login and the sandbox of Codex. */
export async function checkCodex(
  config: Config,
  { env }: { readonly env: NodeJS.ProcessEnv },
): Promise<readonly Finding[]> {
  const options = delegateOptions(config, env, false);
  const codex = new Agents(options).get('codex');
  const program = await codex.locate().catch((error: unknown) => ({ problem: messageOf(error) }));
  if (typeof program !== 'string') {
    if (options.agent !== 'codex')
      return [{ title: 'Codex', state: 'good', detail: `not installed; runs use ${options.agent}` }];
    const detail = 'not installed, so sub-agents cannot run';
    return [{ title: 'Codex', state: 'warning', detail, remedy: program.problem }];
  }
  const version = (await codex.version().catch(() => undefined)) ?? null;
  const outdated = versionHint(codex, program, version);
  const login = await codex.login!();
  return [
    toFinding('Codex', version ?? 'unknown version', outdated),
    toFinding('Codex login', login.detail, login.remedy),
    (await codex.sandboxWorks!())
      ? toFinding('Codex sandbox', 'works')
      : toFinding(
          'Codex sandbox',
          'sandboxed commands fail on this machine',
          'allow unprivileged user namespaces (kernel.apparmor_restrict_unprivileged_userns=0), see docs/guides/troubleshooting.md',
        ),
  ];
}

function toFinding(title: string, detail: string, remedy?: string): Finding {
  return remedy === undefined
    ? { title, state: 'good', detail }
    : { title, state: 'warning', detail, remedy };
}
