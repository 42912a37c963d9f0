import { isObject, type JsonObject, parseObject } from '../../../json.ts';
import type { ApprovalDecision, ApprovalRequest } from './approval.ts';

/** Events common to all agents. A live conversation also reports deltas, usage, approvals and the messages of people. */
export type AgentEvent =
  | { readonly kind: 'thread'; readonly threadId: string }
  | { readonly kind: 'turn'; readonly id?: string }
  | {
      readonly kind: 'item';
      readonly id: string;
      readonly phase: 'started' | 'updated' | 'completed';
      readonly item: AgentItem;
    }
  /** The next piece of an item in progress. The completed item repeats the whole text. */
  | {
      readonly kind: 'delta';
      readonly id: string;
      readonly of: 'message' | 'reasoning' | 'output';
      readonly text: string;
    }
  /** What the run has used so far. `threadTotal` includes earlier runs of the thread. */
  | { readonly kind: 'usage'; readonly usage: Usage; readonly threadTotal?: Usage; readonly costUsd?: number }
  /** Without `expiresAt`, a rule answers at once. */
  | { readonly kind: 'approval'; readonly request: ApprovalRequest; readonly expiresAt?: string }
  /** `by` is a person, a rule or the time limit. */
  | {
      readonly kind: 'answered';
      readonly id: string;
      readonly decision: ApprovalDecision;
      readonly by: string;
      readonly reason?: string;
    }
  | { readonly kind: 'steered'; readonly message: string; readonly by: string }
  /** With a message, the agent continues with it in a new turn. */
  | { readonly kind: 'interrupted'; readonly by: string; readonly message?: string }
  /** A problem that does not end the run, such as a deprecation. `isFailure`: an attempt failed and is repeated. */
  | { readonly kind: 'warning'; readonly message: string; readonly isFailure?: true }
  | {
      readonly kind: 'completed';
      readonly usage: Usage | undefined;
      /** The final message, for agents that do not write it to a file. */
      readonly message?: string;
      readonly costUsd?: number;
    }
  | { readonly kind: 'failed'; readonly message: string; readonly usage?: Usage };

/** An event as read from the record of a run. The output of agents without a conversation has no times. */
export type RecordedEvent = AgentEvent & { readonly at?: string };

export type AgentItem =
  | { readonly type: 'message' | 'reasoning'; readonly text: string }
  | {
      readonly type: 'command';
      readonly command: string;
      readonly exitCode?: number;
      /** The end of the output, if it is long. */
      readonly output?: string;
    }
  /** `failed` is set if a completed item changed nothing. */
  | { readonly type: 'files'; readonly changes: readonly FileChange[]; readonly failed?: true }
  | { readonly type: 'tool'; readonly name: string }
  | { readonly type: 'todo'; readonly items: readonly TodoItem[] };

export interface FileChange {
  readonly path: string;
  readonly kind: 'add' | 'delete' | 'update';
  /** Its first lines, each with `+`, `-` or a space, for agents that report them. */
  readonly diff?: string;
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

export const noUsage: Usage = combine(() => 0);

/** Returns the usage since an earlier total. */
export function usageSince(total: Usage, before: Usage): Usage {
  return combine((name) => Math.max(0, Number(total[name]) - Number(before[name])));
}

export function addUsage(one: Usage, other: Usage): Usage {
  return combine((name) => Number(one[name]) + Number(other[name]));
}

/** Token counts of Codex: with these names from `codex exec`, and in camel case from `codex app-server`. */
export function parseUsage(counts: unknown): Usage | undefined {
  if (!isObject(counts)) return undefined;
  const camelCase = (name: string) => name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  return combine((name) => Number(counts[name] ?? counts[camelCase(String(name))] ?? 0));
}

function combine(count: (name: keyof Usage) => number): Usage {
  return {
    input_tokens: count('input_tokens'),
    cached_input_tokens: count('cached_input_tokens'),
    output_tokens: count('output_tokens'),
    reasoning_output_tokens: count('reasoning_output_tokens'),
  };
}

/** Parses a line that `EventRecorder` wrote. Returns `undefined` for the output of an agent. */
export function parseRecordedEvent(line: string): readonly RecordedEvent[] | undefined {
  if (!line.startsWith('{"at":')) return undefined;
  const event = parseObject(line);
  return event === undefined ? [] : [event as unknown as RecordedEvent];
}
