import type { Readable, Writable } from 'node:stream';
import type { JsonObject, JsonSchema } from '../../../json.ts';
import type { AgentEvent } from './agent-event.ts';
import type { ApprovalAnswer } from './approval.ts';

/**
 * A live conversation with the agent of one run: *opening* → *idle* → *in a turn* → *idle* → *closed*. In a turn, the agent can wait
 * for the answer to a request. The conversation is closed from every state when the agent exits. `src/delegate/run/run-start.ts`
 * drives it in the run host: it starts the turns, applies the approval rules, records the events and executes the orders of people. An
 * implementation only translates.
 */
export interface AgentConversation {
  readonly abilities: ConversationAbilities;
  /** Runs one turn to its end. Its events go to the listener of `open`. Never rejects for what the agent or the model does. */
  runTurn(turn: TurnInput): Promise<TurnEnd>;
  /** Adds a message to the turn in progress. Rejects if the agent refuses it. */
  steer(message: string): Promise<void>;
  /** Ends the turn in progress, which then returns `interrupted`, and the commands that it has started. */
  interrupt(): Promise<void>;
  /** Answers an `approval` event. Called once for each. */
  answer(approvalId: string, answer: ApprovalAnswer): Promise<void>;
}

/** What an agent can do through its conversation. */
export interface ConversationAbilities {
  readonly steer: boolean;
  readonly interrupt: boolean;
}

export interface TurnInput {
  readonly text: string;
  /** The schema of the final message. Agents without such an option ignore it; the caller validates and repairs. */
  readonly outputSchema: JsonSchema;
}

export type TurnEnd =
  | { readonly status: 'completed'; readonly message: string | undefined }
  | { readonly status: 'interrupted' }
  | { readonly status: 'failed'; readonly message: string };

/** How to open a conversation. Part of `Invocation`, which is sent to the run host as JSON. */
export interface ConversationStart {
  /** The protocol, as it is recorded: `app-server`, `acp` or `stream-json`. */
  readonly protocol: string;
  /** What the implementation needs to open the conversation, such as the parameters of its first request. */
  readonly options: JsonObject;
}

export interface AgentStreams {
  /** The standard input and output of the agent's process. */
  readonly input: Writable;
  readonly output: Readable;
  /** Receives all events, in order, from the start of the thread on. */
  readonly emit: (event: AgentEvent) => void;
}

/** Opens a conversation with an agent that was just started. Rejects with a `Failure` if the agent refuses. */
export type OpenConversation = (
  start: ConversationStart,
  streams: AgentStreams,
) => Promise<AgentConversation>;
