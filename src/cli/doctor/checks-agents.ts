import type { LoadedConfig } from '../../config.ts';
import type { Finding } from '../../status/health.ts';
import { openLocalClient } from '../client/local-client.ts';
import type { Terminal } from '../terminal/command.ts';

/** Lists the agents besides Codex, which has checks of its own. */
export async function checkAgents(loaded: LoadedConfig, terminal: Terminal): Promise<readonly Finding[]> {
  await using client = await openLocalClient(loaded, terminal);
  const { value } = await client.call('list_agents', {});
  const others = value.agents.filter(({ name }) => name !== 'codex');
  const found = others.filter(({ program }) => program !== null);
  const missing = others.filter(({ program }) => program === null).map(({ name }) => name);
  const isDefault = (name: string) => name === value.default;
  const findings = found.map(({ name, version, signed_in, can, hint }): Finding => {
    const login = signed_in === null ? '' : signed_in ? ', signed in' : ', not signed in';
    const detail = `${version ?? 'unknown version'}${login}; can ${can.join(', ')}`;
    if (signed_in !== false || hint === undefined) return { title: `Agent ${name}`, state: 'good', detail };
    return { title: `Agent ${name}`, state: 'warning', detail, remedy: hint };
  });
  if (missing.some(isDefault))
    findings.push({
      title: `Agent ${value.default}`,
      state: 'warning',
      detail: 'is the configured agent, but it is not installed',
      remedy: others.find(({ name }) => isDefault(name))?.hint ?? 'set delegate.agent',
    });
  const rest = missing.filter((name) => !isDefault(name));
  if (rest.length > 0)
    findings.push({ title: 'Other agents', state: 'good', detail: `not installed: ${rest.join(', ')}` });
  return findings;
}
