import type { JsonObject } from '../../json.ts';
import type { Sandbox } from './sandbox.ts';

/** The port to a program that takes a task and works on it until it is done. */
export interface Agent {
  readonly name: AgentName;
  /** What it is called in messages. */
  readonly label: string;
  /** The version this port was tried with. */
  readonly testedVersion: string;
  /** Whether the tokens it reports are those of the whole thread or of this run alone. */
  readonly usageCovers: 'thread' | 'run';
  /** The command line for one call; `unavailable` when the program is not there. */
  invoke(call: AgentCall): Promise<Invocation>;
  /** One line of its output; a line that says nothing is no event. */
  parse(line: string): readonly AgentEvent[];
  /** The version that is installed. */
  version(): Promise<string | undefined>;
  /** What the thread has used up to now, by the agent's own record. */
  threadTotal?(threadId: string): Promise<Usage | undefined>;
  /** What a person can do about this error, where the agent's own words do not say it. */
  explain?(error: string): string | undefined;
  /** Whether this machine lets the agent put its commands into a sandbox. */
  sandboxWorks?(): Promise<boolean>;
  /** What puts any command into the sandbox that the agent's own commands have. */
  confine?(sandbox: Sandbox): Promise<Confinement>;
}

export const agentNames = ['codex', 'claude'] as const;
export type AgentName = (typeof agentNames)[number];

/** What one call of an agent is to be like. The prompt is not part of it: it goes in on standard input. */
export interface AgentCall {
  readonly cwd: string;
  readonly sandbox: Sandbox;
  /** The thread to go on with; absent for a new one. */
  readonly threadId?: string;
  readonly model?: string;
  readonly reasoningEffort?: string;
  /** `key=value` of the agent's own configuration, in the order given. */
  readonly configOverrides: readonly string[];
  readonly skipGitRepoCheck: boolean;
  /** Leaves no thread behind. */
  readonly ephemeral: boolean;
  /** Which skills the agent may know of by itself: all it finds, or only those the prompt names. */
  readonly skills: 'all' | 'named';
  /** Features of the agent to switch off by name. */
  readonly disable: readonly string[];
  readonly outputSchemaFile: string;
  readonly lastMessageFile: string;
}

export interface Invocation {
  readonly command: string;
  readonly args: readonly string[];
  /** Variables it needs beside those of this process. */
  readonly env: Readonly<Record<string, string>>;
  /** Text to put before the prompt. */
  readonly preamble?: string;
  /** The part of `args` that names the thread to resume, for the record. */
  readonly subcommandArgs: readonly string[];
}

/** A program that runs the command given behind its arguments. */
export interface Confinement {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** What every agent's output comes down to. */
export type AgentEvent =
  | { readonly kind: 'thread'; readonly threadId: string }
  | { readonly kind: 'turn' }
  | {
      readonly kind: 'item';
      readonly id: string;
      readonly phase: 'started' | 'updated' | 'completed';
      readonly item: AgentItem;
    }
  /** Worth telling, and not the end: retries, unknown models, deprecations. */
  | { readonly kind: 'warning'; readonly message: string }
  | {
      readonly kind: 'completed';
      readonly usage: Usage | undefined;
      /** The final message, where the agent does not write it to a file. */
      readonly message?: string;
      readonly costUsd?: number;
    }
  | { readonly kind: 'failed'; readonly message: string; readonly usage?: Usage };

export type AgentItem =
  | { readonly type: 'message' | 'reasoning'; readonly text: string }
  | { readonly type: 'command'; readonly command: string; readonly exitCode?: number }
  | { readonly type: 'files'; readonly changes: readonly FileChange[] }
  | { readonly type: 'tool'; readonly name: string }
  | { readonly type: 'todo'; readonly items: readonly TodoItem[] };

export interface FileChange {
  readonly path: string;
  readonly kind: 'add' | 'delete' | 'update';
}

export interface TodoItem {
  readonly text: string;
  readonly completed: boolean;
}

/** Tokens, spelled as they are reported. */
export interface Usage extends JsonObject {
  readonly input_tokens: number;
  readonly cached_input_tokens: number;
  readonly output_tokens: number;
  readonly reasoning_output_tokens: number;
}
