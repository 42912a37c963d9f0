import type { AgentName } from '../../src/delegate/agents/agent.ts';
import type { Sandbox } from '../../src/delegate/agents/sandbox.ts';
import type { JsonObject } from '../../src/json.ts';
import type { Turn } from '../model/turn.ts';

/**
 * One attack, as data. Texts may contain placeholders: $TRAP (a command that records that it ran outside the sandbox),
 * $PROGRAM (the path of a program that does the same and copies its input), $PROJECT, $HOME (the user's), $OUTSIDE (a folder
 * that no run may write to), $PRIVATE (a file that no repository may have sent to the model), $ELSEWHERE (the address of another
 * model) and $OWN (the folder with Adjutant's own files).
 */
export interface HostileCase {
  readonly name: string;
  readonly agents: readonly AgentName[];
  /** Default: read-only and workspace-write for Codex, read-only for Claude Code. */
  readonly sandboxes?: readonly Sandbox[];
  /** Files of the repository, committed before the attack. */
  readonly files?: Readonly<Record<string, string>>;
  /** Git commands that prepare the repository after the commit. */
  readonly git?: readonly (readonly string[])[];
  /** A shell script that prepares the repository, run in it. */
  readonly make?: string;
  /** Lines added to the user's own `config.toml` of Codex. */
  readonly userConfig?: string;
  /** Where the run works. Default: $PROJECT. */
  readonly cwd?: string;
  /** A command that the model runs. */
  readonly shell?: string;
  /** Other turns of the model. */
  readonly turns?: readonly Turn[];
  readonly task?: string;
  /** Further arguments of the tool call. */
  readonly args?: JsonObject;
  readonly tool?: 'delegate_resume';
  /** The metadata that Codex sends as a client. */
  readonly caller?: JsonObject;
  readonly settings?: Readonly<Record<string, string>>;
  readonly contract?: 'delegate';
  /** How the run ends. Default: completed. */
  readonly expected?: 'completed' | 'failed' | 'either';
  /** Files that must not exist afterwards. */
  readonly absent?: readonly string[];
  /** Part of `npm test`. */
  readonly quick?: true;
  /** What carries the attack out without Adjutant, for the self-check: the agent alone, or git alone. */
  readonly fires?: 'agent' | 'git';
}

export const both = ['codex', 'claude'] as const;
export const codex = ['codex'] as const;
export const claude = ['claude'] as const;
export const writing = ['workspace-write'] as const;
export const reading = ['read-only'] as const;
