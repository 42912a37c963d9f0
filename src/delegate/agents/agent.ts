import type { Bounds } from '../process/bounds.ts';
import type { ConversationStart, OpenConversation } from './protocols/agent-conversation.ts';
import type { RecordedEvent, Usage } from './protocols/agent-event.ts';
import type { Sandbox } from './sandbox.ts';

export type { AgentEvent, AgentItem, TodoItem, Usage } from './protocols/agent-event.ts';

/** Adapter for a coding agent that runs one task to completion as a command-line program. */
export interface Agent {
  readonly name: AgentName;
  /** Name used in messages to the user. */
  readonly label: string;
  /** The agent version this adapter was tested with. */
  readonly testedVersion: string;
  /** Whether the reported token usage covers the whole thread or only this run. */
  readonly usageCovers: 'thread' | 'run';
  /** True if the agent may keep running after its conversation was closed. It is then ended without a wait. */
  readonly exitsLate?: boolean;
  readonly profile: AgentProfile;
  /** Builds the command line for one call. Fails with `unavailable` if the program is not installed. */
  invoke(call: AgentCall): Promise<Invocation>;
  /** Opens a conversation, if `invoke` returned one. Absent for agents that only run a task to completion. */
  readonly openConversation?: OpenConversation;
  /** Parses one line of output. Unknown or malformed lines yield no events. */
  parse(line: string): readonly RecordedEvent[];
  /** The path of the program. Fails with `unavailable` if it is not installed, or only in a folder of the run. */
  locate(...workspaces: Workspaces): Promise<string>;
  /** The installed version, or `undefined` if the program does not report one. */
  version(...workspaces: Workspaces): Promise<string | undefined>;
  /** Whether the agent can reach a model. Without this method, `credentials` are looked for. */
  login?(): Promise<Login>;
  /** The id of the thread to which the user gave this name. */
  findThread?(name: string): Promise<string | undefined>;
  /** True if a fork can leave out the last turns of the thread. */
  readonly forksAtTurn?: boolean;
  /** Total token usage of the thread, read from the agent's own session file. */
  threadTotal?(threadId: string): Promise<Usage | undefined>;
  /** Advice on how to fix this error, if the agent's own message gives none. */
  explain?(error: string): string | undefined;
  /** Whether the agent's sandbox works on this machine. */
  sandboxWorks?(...workspaces: Workspaces): Promise<boolean>;
  /** Keeps what the agent may keep of its changes to its own files. Called after a run with the storage of its sandbox. */
  keep?(storage: string): Promise<void>;
  /** What this machine lacks for runs that write, as advice. */
  missing?(): Promise<readonly string[]>;
  /** Returns a wrapper that runs any command in the agent's own sandbox. */
  confine?(place: CommandPlace): Promise<Confinement>;
}

/** The folders of a run: its own and the one it is a copy of. Programs in them are not started. */
export type Workspaces = readonly (string | undefined)[];

/** Facts about an agent for the person who chooses one. */
export interface AgentProfile {
  readonly can: readonly ('steer' | 'interrupt' | 'approve' | 'resume' | 'fork' | 'usage' | 'cost')[];
  /** Who limits what the commands of the agent can write. */
  readonly sandbox: 'own' | 'adjutant';
  /** Absent if the agent has a method `login`. */
  readonly credentials?: Credentials;
  /** Where it keeps its sign-in, settings and conversations: paths below the home folder, or absolute ones. */
  readonly files: readonly string[];
}

/** Whether an agent can reach a model, and what to do if it cannot. */
export interface Login {
  readonly isSignedIn: boolean;
  readonly detail: string;
  readonly remedy?: string;
}

/** Where the credentials of an agent can be. */
export interface Credentials {
  /** Relative to the home folder, or absolute. */
  readonly files: readonly string[];
  readonly variables: readonly string[];
  /** Further secret variables that the agent uses. `*` stands for any text. */
  readonly uses?: readonly string[];
  /** False if credentials can also be elsewhere, such as in a keychain or in the settings of a provider. */
  readonly isComplete: boolean;
  /** How to sign in. */
  readonly signIn: string;
}

/** The name of a built-in agent, or of one in the settings. */
export type AgentName = string;

/** Options of one agent call. The prompt is separate because the agent reads it from standard input. */
export interface AgentCall {
  readonly cwd: string;
  /** The folder of the user, if `cwd` is a copy of it. */
  readonly origin?: string;
  readonly sandbox: Sandbox;
  /** The thread to resume. Absent for a new thread. */
  readonly threadId?: string;
  readonly model?: string;
  readonly reasoningEffort?: string;
  /** `key=value` overrides of the agent's configuration, in order. */
  readonly configOverrides: readonly string[];
  readonly skipGitRepoCheck: boolean;
  /** If true, the agent does not save the thread, so it cannot be resumed. */
  readonly ephemeral: boolean;
  /** Which skills the agent may use: all it discovers itself, or only those named in the prompt. */
  readonly skills: 'all' | 'named';
  /** Folders that it can read although they are below hidden ones. */
  readonly reads?: readonly string[];
  /** Names of agent features to disable. */
  readonly disable: readonly string[];
  readonly outputSchemaFile: string;
  readonly lastMessageFile: string;
  /** True if the agent should be started as a conversation, if it can. Otherwise it runs the task to completion. */
  readonly isLive: boolean;
  /** `ask`: the agent asks before it leaves its sandbox. Only for conversations. */
  readonly approvals: 'never' | 'ask';
  /** Starts a new thread with the history of `threadId`, up to and including this turn or the last one. */
  readonly fork?: { readonly lastTurnId?: string };
}

export interface Invocation {
  readonly command: string;
  readonly args: readonly string[];
  /** Environment variables to add to those of this process. */
  readonly env: Readonly<Record<string, string>>;
  /** Variables of this process that the agent does not get. */
  readonly withoutVariables?: readonly string[];
  readonly footprint: Footprint;
  /** Text to prepend to the prompt. */
  readonly preamble?: string;
  /** The part of `args` that resumes a thread. Recorded in the run directory. */
  readonly subcommandArgs: readonly string[];
  /** Present if the command starts a conversation instead of reading the prompt from standard input. */
  readonly conversation?: ConversationStart;
  /** The sandbox of Adjutant around the agent. */
  readonly bounds?: Bounds | undefined;
  /** What the result says about the sandbox. */
  readonly warnings?: readonly string[];
}

/** What an agent needs in the home folder and the environment of the person. Everything else that is private is kept from it. */
export interface Footprint {
  /** Folders in which the agent keeps its files. */
  readonly writes: readonly string[];
  /** Files in them that it only reads. */
  readonly protects?: readonly string[];
  /** Folders in which its changes are lost at the end, except those of the folders in `keeps`. */
  readonly temporary: Bounds['temporary'];
  /** Private files and folders that it reads, such as its sign-in. */
  readonly reads: readonly string[];
  /** Secret variables that it uses. `*` stands for any text. */
  readonly variables: readonly string[];
  /** Settings of the repository, which can name programs and addresses. */
  readonly hides: readonly string[];
  /** True if programs of the person that the agent starts outside its own sandbox may write. */
  readonly writesAnywhere?: boolean;
}

/** Where a command works that an agent may have written, such as a check. */
export type CommandPlace = Pick<AgentCall, 'cwd' | 'origin' | 'sandbox' | 'outputSchemaFile'>;

/** A program that runs, in a sandbox, the command appended to its arguments. */
export interface Confinement {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Files of the agent that the command must not read. */
  readonly hides?: readonly string[];
  /** Folders besides the workspace that its sandbox lets the command write to. */
  readonly writes?: readonly string[];
  /** The sandbox of Adjutant around it. */
  readonly bounds?: Bounds | undefined;
}
