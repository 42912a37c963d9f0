import { promises as disk } from 'node:fs';
import { Failure } from '../../../failure.ts';
import { isObject, type JsonObject, messageOf } from '../../../json.ts';
import { readUnlinkedFileSync } from '../../../regular-file.ts';
import { version } from '../../../version.ts';
import {
  commandOf,
  diffOf,
  outputOf,
  planEvent,
  type ToolCall,
  toItem,
  toUsage,
  updateCall,
} from './acp-events.ts';
import type { AgentConversation, AgentStreams, TurnEnd, TurnInput } from './agent-conversation.ts';
import { type AgentEvent, addUsage, noUsage } from './agent-event.ts';
import { type ApprovalAnswer, type ApprovalRequest, approvalDecisions } from './approval.ts';
import { AgentExited, JsonPeer, type RequestId } from './json-peer.ts';
import { type Message, objects, otherArguments, text, wholeArguments } from './message.ts';

/** What the run host needs to open a conversation. Sent as JSON. */
export interface AcpOptions extends JsonObject {
  /** Name used in messages to the user. */
  readonly label: string;
  readonly cwd: string;
  /** The conversation to continue. */
  readonly threadId?: string;
  readonly isFork: boolean;
  readonly mcpServers: readonly JsonObject[];
  /** The file into which the tool `finish` writes the answer. */
  readonly answerFile: string;
  /** A part of the name of that tool, by which a request for permission to call it is recognized. */
  readonly finishTool: string;
  /** Tells the model how to answer. */
  readonly finishHint: string;
  readonly approvals: 'never' | 'ask';
  /** False if the tokens in the replies of the agent are incomplete. */
  readonly countsTokens: boolean;
  /** The mode in which the agent asks for permission. */
  readonly mode?: string;
  /** The request with which the agent fetches messages in the middle of a turn. Absent if it has none. */
  readonly steering?: string;
  /** Values for the options of the conversation, by category: `model`, `thought_level`. */
  readonly settings: Readonly<Record<string, string>>;
}

const maxAnswerBytes = 16 * 1024 * 1024;

interface Question {
  readonly requestId: RequestId;
  readonly params: Message;
}

/** A conversation with an agent that speaks the Agent Client Protocol: JSON-RPC over standard input and output. */
export class AcpConversation implements AgentConversation {
  readonly abilities;
  readonly #options: AcpOptions;
  readonly #streams: AgentStreams;
  readonly #peer: JsonPeer;
  readonly #updates: AcpUpdates;
  readonly #questions = new Map<string, Question>();
  /** Messages that the agent has not fetched yet. */
  readonly #steering: { readonly message: string; readonly result: PromiseWithResolvers<void> }[] = [];
  /** Requests that were refused since the last prompt. The protocol has no field for the reasons. */
  readonly #refusals: string[] = [];
  #sessionId = '';

  constructor(options: AcpOptions, streams: AgentStreams) {
    this.#options = options;
    this.#streams = streams;
    this.#updates = new AcpUpdates((event) => streams.emit(event), options.countsTokens);
    this.abilities = { steer: options.steering !== undefined, interrupt: true };
    const handlers = {
      onNotification: (method: string, params: Message) => {
        if (method === 'session/update' && isObject(params['update'])) this.#updates.apply(params['update']);
      },
      onRequest: (id: RequestId, method: string, params: Message) => this.#ask(id, method, params),
    };
    this.#peer = new JsonPeer(streams, handlers, { jsonrpc: '2.0' });
  }

  async open(): Promise<void> {
    const { cwd, mcpServers, threadId, isFork, mode } = this.#options;
    const agent = await this.#peer.request('initialize', {
      protocolVersion: 1,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      clientInfo: { name: 'adjutant', title: 'Adjutant', version },
    });
    const place = { cwd, mcpServers };
    const method = threadId === undefined ? 'session/new' : this.#methodToContinue(agent, isFork);
    const named = threadId === undefined ? {} : { sessionId: threadId };
    const opened = await this.#peer.request(method, { ...place, ...named }).catch((error: unknown) => {
      if (error instanceof AgentExited || threadId === undefined) throw error;
      throw new Failure('refused', `the conversation ${threadId} cannot be continued: ${messageOf(error)}`);
    });
    this.#sessionId = text(opened['sessionId']) ?? threadId ?? '';
    this.#streams.emit({ kind: 'thread', threadId: this.#sessionId });
    if (mode !== undefined) await this.#request('session/set_mode', { modeId: mode });
    await this.#configure(objects(opened['configOptions']));
    // What a continued conversation replays is not work of this run.
    this.#updates.start();
  }

  #methodToContinue({ agentCapabilities }: Message, isFork: boolean): string {
    const known = isObject(agentCapabilities) ? agentCapabilities : {};
    const session = isObject(known['sessionCapabilities']) ? known['sessionCapabilities'] : {};
    if (isFork && session['fork'] !== undefined) return 'session/fork';
    if (!isFork && session['resume'] !== undefined) return 'session/resume';
    if (!isFork && known['loadSession'] === true) return 'session/load';
    throw new Failure(
      'refused',
      `${this.#options.label} cannot ${isFork ? 'fork' : 'resume'} conversations; start a new run with delegate_run`,
    );
  }

  /** Sets the model and the effort, for agents that take them through the protocol. */
  async #configure(offered: readonly Message[]): Promise<void> {
    const { label, settings } = this.#options;
    for (const [category, value] of Object.entries(settings)) {
      const option = offered.find((one) => one['category'] === category || one['id'] === category);
      const configId = text(option?.['id']);
      if (configId !== undefined) await this.#request('session/set_config_option', { configId, value });
      else {
        const message = `${label} has no setting for ${category}, so ${value} was not used.`;
        this.#streams.emit({ kind: 'warning', message });
      }
    }
  }

  #request(method: string, params: JsonObject): Promise<Message> {
    return this.#peer.request(method, { sessionId: this.#sessionId, ...params });
  }

  async runTurn({ text: task }: TurnInput): Promise<TurnEnd> {
    const { answerFile, finishHint } = this.#options;
    await disk.rm(answerFile, { force: true });
    this.#streams.emit({ kind: 'turn' });
    try {
      for (let prompt = `${task}\n${finishHint}\n`; ; ) {
        this.#refusals.length = 0;
        const reply = await this.#request('session/prompt', { prompt: [{ type: 'text', text: prompt }] });
        const message = this.#updates.end(reply);
        const end = await this.#toEnd(text(reply['stopReason']) ?? 'end_turn', message);
        // Some agents end their turn when a request is refused.
        if (end.status !== 'completed' || end.message !== undefined || this.#refusals.length === 0)
          return end;
        prompt = `${this.#refusals.join('\n')}\nContinue without it.`;
      }
    } catch (error) {
      if (error instanceof AgentExited) throw error;
      this.#updates.end({});
      return { status: 'failed', message: messageOf(error) };
    } finally {
      for (const { result } of this.#steering.splice(0))
        result.reject(new Failure('refused', 'the agent has ended its turn without reading the message'));
    }
  }

  async #toEnd(reason: string, lastText: string): Promise<TurnEnd> {
    if (reason === 'cancelled') return { status: 'interrupted' };
    if (reason !== 'end_turn')
      return { status: 'failed', message: `the turn ended early: ${reason.replaceAll('_', ' ')}` };
    // The commands of the agent can replace the file with a link to one that is hidden from them.
    const answer = readUnlinkedFileSync(this.#options.answerFile, maxAnswerBytes)?.bytes.toString();
    return { status: 'completed', message: answer ?? (lastText || undefined) };
  }

  /** The agent fetches the message after its next tool call. */
  steer(message: string): Promise<void> {
    const result = Promise.withResolvers<void>();
    this.#steering.push({ message, result });
    return result.promise;
  }

  async interrupt(): Promise<void> {
    this.#peer.notify('session/cancel', { sessionId: this.#sessionId });
    for (const [id, { requestId }] of this.#questions) {
      this.#questions.delete(id);
      this.#peer.respond(requestId, { outcome: { outcome: 'cancelled' } });
    }
  }

  async answer(approvalId: string, answer: ApprovalAnswer): Promise<void> {
    const question = this.#questions.get(approvalId);
    if (question === undefined) return;
    this.#questions.delete(approvalId);
    this.#peer.respond(question.requestId, toOutcome(question.params, answer));
    if (answer.decision === 'refuse')
      this.#refusals.push(`The user refused your request${answer.reason ? `: ${answer.reason}` : '.'}`);
  }

  #ask(requestId: RequestId, method: string, params: Message): void {
    if (method === 'session/request_permission') this.#askPermission(requestId, params);
    else if (method === this.#options.steering) {
      const fetched = this.#steering.splice(0);
      this.#peer.respond(requestId, { messages: fetched.map(({ message }) => message) });
      for (const { result } of fetched) result.resolve();
    } else this.#peer.respondWithError(requestId, `Adjutant does not answer ${method}.`);
  }

  #askPermission(requestId: RequestId, params: Message): void {
    const call = this.#updates.requested(isObject(params['toolCall']) ? params['toolCall'] : {});
    const { approvals, finishTool } = this.#options;
    // Without questions to people, the sandbox alone limits what the agent can do.
    if (approvals === 'never' || isCallOf(finishTool, call)) {
      this.#peer.respond(requestId, toOutcome(params, { decision: 'allow_once' }));
      return;
    }
    const id = String(requestId);
    this.#questions.set(id, { requestId, params });
    this.#streams.emit({ kind: 'approval', request: toApproval(id, call, params, this.#options.cwd) });
  }
}

/** A command or a path can contain the name of the tool too. */
function isCallOf(tool: string, { kind, title, content }: ToolCall): boolean {
  const isPlain = !['execute', 'edit', 'delete', 'move', 'fetch'].includes(kind);
  return isPlain && title.includes(tool) && !content.some(({ type }) => type === 'diff');
}

/** Translates `session/request_permission`. */
function toApproval(id: string, call: ToolCall, params: Message, cwd: string): ApprovalRequest {
  const command = commandOf(call);
  const diff = diffOf(call);
  const canRemember = objects(params['options']).some(({ kind }) => kind === 'allow_always');
  const decisions = approvalDecisions.filter((one) => one !== 'allow_run' || canRemember);
  const words = call.content.map(outputOf).join('\n').trim();
  const about = { id, decisions, ...(words !== '' && { reason: words }) };
  if (command !== undefined)
    return { ...about, what: 'command', command, cwd, ...otherArguments(call.input, ['command']) };
  if (diff !== undefined) return { ...about, what: 'files', diff };
  // The agent chooses the title, which may leave out what the call does.
  const input = Object.keys(call.input).length === 0 ? {} : wholeArguments(call.input);
  const what = call.kind === 'fetch' ? 'network' : 'tool';
  return { ...about, what, tool: call.title || call.kind, ...input };
}

const kinds = {
  allow_once: ['allow_once', 'allow_always'],
  allow_run: ['allow_always', 'allow_once'],
  refuse: ['reject_once', 'reject_always'],
} as const;

/** The agent's own option for the answer. An agent without an option to refuse takes the request as cancelled. */
function toOutcome(params: Message, { decision }: ApprovalAnswer): JsonObject {
  const options = objects(params['options']);
  for (const kind of kinds[decision]) {
    const option = options.find((one) => one['kind'] === kind);
    if (option !== undefined)
      return { outcome: { outcome: 'selected', optionId: String(option['optionId']) } };
  }
  return { outcome: { outcome: 'cancelled' } };
}

type Stream = 'message' | 'reasoning';

/** Turns the updates of a conversation into events. Texts arrive in pieces, and tool calls in several updates. */
class AcpUpdates {
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
    this.#usage = addUsage(this.#usage, counts);
    this.#usageOfTurn = addUsage(this.#usageOfTurn, counts);
    const costUsd = this.#costUsd;
    this.#emit({ kind: 'usage', usage: this.#usage, ...(costUsd !== undefined && { costUsd }) });
  }
}

function isOver({ status }: ToolCall): boolean {
  return status === 'completed' || status === 'failed';
}
