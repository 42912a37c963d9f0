import { resolve } from 'node:path';
import { Failure } from '../../failure.ts';
import { isInFolder } from '../process/folder-scope.ts';
import { type AcpAgentOptions, createAcpAgent } from './acp-agent.ts';
import * as definitions from './acp-agents.ts';
import { type AcpDefinition, type CustomAgent, customDefinition } from './acp-definition.ts';
import type { Agent, AgentName } from './agent.ts';
import { type SandboxOptions, withSandbox } from './agent-bounds.ts';
import { createClaude } from './claude.ts';
import { createCodex } from './codex.ts';
import { parseRecordedEvent } from './protocols/agent-event.ts';

type Options = Parameters<typeof createCodex>[0] &
  Parameters<typeof createClaude>[0] &
  Omit<SandboxOptions, 'runFolders'> & {
    readonly runsDir: string;
    readonly otherRunsDir?: string;
    /** Further agents, and programs and models of the built-in ones. */
    readonly agents: readonly CustomAgent[];
    /** The agent of runs that name none, and the one that `command` starts. */
    readonly agent: AgentName;
  };

type CreateAgent = (options: Omit<Options, 'command'> & Pick<AcpAgentOptions, 'command' | 'model'>) => Agent;

const speaksAcp =
  (definition: AcpDefinition): CreateAgent =>
  (options) =>
    createAcpAgent(definition, options);

export const acpDefinitions: readonly AcpDefinition[] = Object.values(definitions);

const builtIn: Readonly<Record<AgentName, CreateAgent>> = {
  codex: createCodex,
  claude: createClaude,
  ...Object.fromEntries(acpDefinitions.map((one) => [one.name, speaksAcp(one)])),
};

/** The agents that runs can use. */
export class Agents {
  readonly #agents: ReadonlyMap<AgentName, Agent>;
  readonly #options: Options;

  constructor(options: Options) {
    const custom = new Map(options.agents.map((one) => [one.name, one]));
    const names = new Set([...Object.keys(builtIn), ...custom.keys()]);
    const all = [...names].map((name) => {
      const { command, model } = custom.get(name) ?? {};
      const create = builtIn[name] ?? speaksAcp(customDefinition(custom.get(name)!));
      const program = (options.agent === name ? options.command : undefined) ?? command;
      return withRecordedEvents(create({ ...options, command: program, model }));
    });
    const runFolders = [options.runsDir, options.otherRunsDir].filter((folder) => folder !== undefined);
    this.#agents = new Map(
      all.map((agent) => {
        const own = filesOf(agent, options);
        const others = all
          .filter(({ name }) => name !== agent.name && Object.hasOwn(builtIn, name))
          .flatMap((one) => filesOf(one, options))
          .filter((path) => !own.some((folder) => isInFolder(path, folder)));
        return [agent.name, withSandbox(agent, { ...options, runFolders }, others)];
      }),
    );
    this.#options = options;
  }

  get all(): readonly Agent[] {
    return [...this.#agents.values()];
  }

  /** The agent that ran an existing run. If it is no longer configured, any agent can still report the run. */
  of(name: unknown): Agent {
    return this.#agents.get(String(name)) ?? this.all[0]!;
  }

  /** Those of these agents whose programs are installed. */
  async installed(names: readonly AgentName[]): Promise<readonly AgentName[]> {
    const isInstalled = names.map((name) =>
      Promise.resolve(this.#agents.get(name)?.locate()).then(
        (program) => program !== undefined,
        () => false,
      ),
    );
    const found = await Promise.all(isInstalled);
    return [...new Set(names.filter((_, at) => found[at]))];
  }

  /** If the program of an agent cannot be started, the failure also names the agents that are installed. */
  async namingOthers<Value>({ name }: Agent, start: Promise<Value>): Promise<Value> {
    try {
      return await start;
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'unavailable') throw error;
      const others = await this.installed([...this.#agents.keys()].filter((one) => one !== name));
      if (others.length === 0) throw error;
      const named = others.map((one) => `${one} (--agent ${one})`).join(', ');
      throw new Failure('unavailable', `${error.message.replace(/\.$/, '')}; installed: ${named}`, {
        cause: error,
      });
    }
  }

  /** The agent of that name, or the configured one. */
  get(name: AgentName = this.#options.agent): Agent {
    const agent = this.#agents.get(name);
    if (agent !== undefined) return agent;
    const known = [...this.#agents.keys()].join(', ');
    throw new Failure('refused', `There is no agent "${name}". Known agents: ${known}.`);
  }
}

/** The files of an agent, which no other agent sees. */
function filesOf({ profile }: Agent, { userHome }: Options): readonly string[] {
  return profile.files.map((path) => resolve(userHome, path)).filter((path) => !isInFolder(userHome, path));
}

/** The event file of a conversation contains events, that of other runs the output of the agent. */
function withRecordedEvents(agent: Agent): Agent {
  return { ...agent, parse: (line) => parseRecordedEvent(line) ?? agent.parse(line) };
}
