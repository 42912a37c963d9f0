import { isObject } from '../../json.ts';
import type { AgentEvent, Usage } from '../session/agent-event.ts';
import type { Message } from '../session/json-peer.ts';
import { planEvent, type ToolCall, text, toItem, toUsage, updateCall } from './acp-events.ts';

type Stream = 'message' | 'reasoning';

const noUsage: Usage = {
  input_tokens: 0,
  cached_input_tokens: 0,
  output_tokens: 0,
  reasoning_output_tokens: 0,
};

/** Turns the updates of a session into events. Texts arrive in pieces, and tool calls in several updates. */
export class AcpUpdates {
  readonly #emit: (event: AgentEvent) => void;
  readonly #calls = new Map<string, ToolCall>();
  readonly #countsTokens: boolean;
  #isStarted = false;
  #open: { readonly of: Stream; readonly id: string; text: string } | undefined;
  #texts = 0;
  /** The last message without a tool call after it. */
  #lastMessage = '';
  #usage = noUsage;
  #usageOfTurn = noUsage;
  #costUsd: number | undefined;

  constructor(emit: (event: AgentEvent) => void, countsTokens: boolean) {
    this.#emit = emit;
    this.#countsTokens = countsTokens;
  }

  /** Until this call, updates are ignored. */
  start(): void {
    this.#isStarted = true;
  }

  apply(update: Message): void {
    if (!this.#isStarted) return;
    switch (update['sessionUpdate']) {
      case 'agent_message_chunk':
        this.#addText('message', update);
        break;
      case 'agent_thought_chunk':
        this.#addText('reasoning', update);
        break;
      case 'tool_call':
      case 'tool_call_update':
        this.#addCall(update);
        break;
      case 'plan':
        this.#emit(planEvent(update));
        break;
      case 'usage_update':
        this.#addCost(update['cost']);
    }
    this.#count(update);
  }

  /** A call as it is known after a request for permission, which may be the first message about it. */
  requested(toolCall: Message): ToolCall {
    const known = this.#calls.get(String(toolCall['toolCallId']));
    const call = updateCall(known, toolCall);
    // Other content is a text for the person who is asked.
    const content = call.content.filter(({ type }) => type === 'diff');
    this.#calls.set(call.id, { ...call, content });
    if (known === undefined && this.#isStarted)
      this.#emit({ kind: 'item', id: call.id, phase: 'started', item: toItem({ ...call, content }) });
    return call;
  }

  /** Ends a turn. Returns its last message. */
  end(reply: Message): string {
    this.#closeText();
    for (const call of this.#calls.values())
      if (!isOver(call)) this.#emit({ kind: 'item', id: call.id, phase: 'completed', item: toItem(call) });
    this.#calls.clear();
    // Agents report tokens either for each call of the model or for the turn.
    if (this.#usageOfTurn === noUsage) this.#count(reply);
    this.#usageOfTurn = noUsage;
    const message = this.#lastMessage;
    this.#lastMessage = '';
    return message;
  }

  #addText(of: Stream, { content }: Message): void {
    const chunk = isObject(content) ? (text(content['text']) ?? '') : '';
    if (chunk === '') return;
    if (this.#open?.of !== of) this.#closeText();
    this.#open ??= { of, id: `${of}-${++this.#texts}`, text: '' };
    this.#open.text += chunk;
    this.#emit({ kind: 'delta', id: this.#open.id, of, text: chunk });
  }

  #closeText(): void {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return;
    if (open.of === 'message') this.#lastMessage = open.text;
    this.#emit({ kind: 'item', id: open.id, phase: 'completed', item: { type: open.of, text: open.text } });
  }

  #addCall(update: Message): void {
    this.#closeText();
    this.#lastMessage = '';
    const known = this.#calls.get(String(update['toolCallId']));
    const call = updateCall(known, update);
    this.#calls.set(call.id, call);
    if (known !== undefined && isOver(known)) return;
    const phase = isOver(call) ? 'completed' : known === undefined ? 'started' : 'updated';
    this.#emit({ kind: 'item', id: call.id, phase, item: toItem(call) });
  }

  #addCost(cost: unknown): void {
    if (!isObject(cost) || cost['currency'] !== 'USD' || typeof cost['amount'] !== 'number') return;
    this.#costUsd = cost['amount'];
    if (this.#countsTokens) this.#emit({ kind: 'usage', usage: this.#usage, costUsd: this.#costUsd });
  }

  #count(message: Message): void {
    const counts = this.#countsTokens ? toUsage(message) : undefined;
    if (counts === undefined) return;
    this.#usage = sum(this.#usage, counts);
    this.#usageOfTurn = sum(this.#usageOfTurn, counts);
    const costUsd = this.#costUsd;
    this.#emit({ kind: 'usage', usage: this.#usage, ...(costUsd !== undefined && { costUsd }) });
  }
}

function isOver({ status }: ToolCall): boolean {
  return status === 'completed' || status === 'failed';
}

function sum(one: Usage, other: Usage): Usage {
  const add = (name: keyof Usage) => Number(one[name]) + Number(other[name]);
  return {
    input_tokens: add('input_tokens'),
    cached_input_tokens: add('cached_input_tokens'),
    output_tokens: add('output_tokens'),
    reasoning_output_tokens: add('reasoning_output_tokens'),
  };
}
