import type { JsonObject } from '../../json.ts';
import type { Sandbox } from './sandbox.ts';

/** Adapter for a coding agent that runs one task to completion as a command-line program. */
export interface Agent {
  readonly name: AgentName;
  /** Name used in messages to the user. */
  readonly label: string;
  /** The agent version this adapter was tested with. */
  readonly testedVersion: string;
  /** Whether the reported token usage covers the whole thread or only this run. */
  readonly usageCovers: 'thread' | 'run';
  /** Builds the command line for one call. Fails with `unavailable` if the program is not installed. */
  invoke(call: AgentCall): Promise<Invocation>;
  /** Parses one line of output. Unknown or malformed lines yield no events. */
  parse(line: string): readonly AgentEvent[];
  /** The path of the program. Fails with `unavailable` if it is not installed. */
  locate(): Promise<string>;
  /** The installed version, or `undefined` if the program does not report one. */
  version(): Promise<string | undefined>;
  /** Total token usage of the thread, read from the agent's own session file. */
  threadTotal?(threadId: string): Promise<Usage | undefined>;
  /** Advice on how to fix this error, if the agent's own message gives none. */
  explain?(error: string): string | undefined;
  /** The writes that the agent reported, in order. Without this method, only the paths of its file events are known. */
  writes?(report: WriteReport): Promise<readonly ReportedWrite[]>;
  /** Whether the agent's sandbox works on this machine. */
  sandboxWorks?(): Promise<boolean>;
  /** Returns a wrapper that runs any command in the agent's own sandbox. */
  confine?(sandbox: Sandbox): Promise<Confinement>;
}

/** The name of a built-in agent, or of one in the settings. */
export type AgentName = string;

/** Options of one agent call. The prompt is separate because the agent reads it from standard input. */
export interface AgentCall {
  readonly cwd: string;
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
  /** Names of agent features to disable. */
  readonly disable: readonly string[];
  readonly outputSchemaFile: string;
  readonly lastMessageFile: string;
}

export interface Invocation {
  readonly command: string;
  readonly args: readonly string[];
  /** Environment variables to add to those of this process. */
  readonly env: Readonly<Record<string, string>>;
  /** Text to prepend to the prompt. */
  readonly preamble?: string;
  /** The part of `args` that resumes a thread. Recorded in the run directory. */
  readonly subcommandArgs: readonly string[];
}

/** A program that runs, in a sandbox, the command appended to its arguments. */
export interface Confinement {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Events common to all agents. */
export type AgentEvent =
  | { readonly kind: 'thread'; readonly threadId: string }
  | { readonly kind: 'turn' }
  | {
      readonly kind: 'item';
      readonly id: string;
      readonly phase: 'started' | 'updated' | 'completed';
      readonly item: AgentItem;
    }
  /** A problem that does not end the run, such as a retry, an unknown model or a deprecation. */
  | { readonly kind: 'warning'; readonly message: string }
  | {
      readonly kind: 'completed';
      readonly usage: Usage | undefined;
      /** The final message, for agents that do not write it to a file. */
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

/** Where an agent's reports of its writes are. */
export interface WriteReport {
  /** The lines of its output. */
  readonly events: AsyncIterable<string>;
  readonly threadId: string | undefined;
  /** When the run started. A thread can be older. */
  readonly since: Date;
}

/** A successful write of an agent. The edit is absent if the agent reports only the path. */
export interface ReportedWrite {
  readonly path: string;
  readonly edit?:
    | { readonly patch: string }
    /** The content before and after the write; `undefined` if there was no file. */
    | { readonly from: string | undefined; readonly to: string | undefined };
}

export interface TodoItem {
  readonly text: string;
  readonly completed: boolean;
}

/** Token counts, with the field names of tool results. */
export interface Usage extends JsonObject {
  readonly input_tokens: number;
  readonly cached_input_tokens: number;
  readonly output_tokens: number;
  readonly reasoning_output_tokens: number;
}
