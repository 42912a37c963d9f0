import type { Agent, AgentName } from './agent.ts';
import { createClaude } from './claude.ts';
import { createCodex } from './codex.ts';

export type Agents = Readonly<Record<AgentName, Agent>>;

type Options = Parameters<typeof createCodex>[0] &
  Parameters<typeof createClaude>[0] & {
    /** The agent that `command` starts. */
    readonly agent: AgentName;
  };

export function createAgents(options: Options): Agents {
  const commandOf = (name: AgentName) => (options.agent === name ? options.command : undefined);
  return {
    codex: createCodex({ ...options, command: commandOf('codex') }),
    claude: createClaude({ ...options, command: commandOf('claude') }),
  };
}
