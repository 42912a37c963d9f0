import type { Config } from '../../config.ts';
import { versionHint } from '../../delegate/agents/agent-survey.ts';
import { Agents } from '../../delegate/agents/agents.ts';
import { delegateOptions } from '../../delegate/settings/delegate-options.ts';
import type { Finding } from '../../feature.ts';
import { messageOf } from '../../json.ts';

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
          'allow unprivileged user namespaces (kernel.apparmor_restrict_unprivileged_userns=0), see docs/troubleshooting.md',
        ),
  ];
}

function toFinding(title: string, detail: string, remedy?: string): Finding {
  return remedy === undefined
    ? { title, state: 'good', detail }
    : { title, state: 'warning', detail, remedy };
}
