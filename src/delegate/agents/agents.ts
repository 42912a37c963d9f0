import { parseRecordedEvent } from '../session/recorded-event.ts';
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
    codex: withRecordedEvents(createCodex({ ...options, command: commandOf('codex') })),
    claude: withRecordedEvents(createClaude({ ...options, command: commandOf('claude') })),
  };
}

/** The event file of a session contains events, that of other runs the output of the agent. */
function withRecordedEvents(agent: Agent): Agent {
  return { ...agent, parse: (line) => parseRecordedEvent(line) ?? agent.parse(line) };
}
