import { promises as disk } from 'node:fs';
import { Failure } from '../../failure.ts';
import { isObject, type JsonObject, messageOf } from '../../json.ts';
import { maxFileBytes, readRegularFile } from '../../regular-file.ts';
import { version } from '../../version.ts';
import type { AgentSession, SessionChannel, TurnEnd, TurnInput } from '../session/agent-session.ts';
import type { ApprovalAnswer } from '../session/approval.ts';
import { AgentExited, JsonPeer, type Message, type RequestId } from '../session/json-peer.ts';
import { toApproval, toOutcome } from './acp-approvals.ts';
import { objects, type ToolCall, text } from './acp-events.ts';
import type { AcpOptions } from './acp-options.ts';
import { AcpUpdates } from './acp-updates.ts';

interface Question {
  readonly requestId: RequestId;
  readonly params: Message;
}

/** A session with an agent that speaks the Agent Client Protocol: JSON-RPC over standard input and output. */
export class AcpSession implements AgentSession {
  readonly abilities;
  readonly #options: AcpOptions;
  readonly #channel: SessionChannel;
  readonly #peer: JsonPeer;
  readonly #updates: AcpUpdates;
  readonly #questions = new Map<string, Question>();
  /** Messages that the agent has not fetched yet. */
  readonly #steering: { readonly message: string; readonly result: PromiseWithResolvers<void> }[] = [];
  /** Requests that were refused since the last prompt. The protocol has no field for the reasons. */
  readonly #refusals: string[] = [];
  #sessionId = '';

  constructor(options: AcpOptions, channel: SessionChannel) {
    this.#options = options;
    this.#channel = channel;
    this.#updates = new AcpUpdates((event) => channel.emit(event), options.countsTokens);
    const steer = options.steering !== undefined;
    this.abilities = { steer, interrupt: true, approvals: true, fork: options.canFork };
    const handlers = {
      onNotification: (method: string, params: Message) => {
        if (method === 'session/update' && isObject(params['update'])) this.#updates.apply(params['update']);
      },
      onRequest: (id: RequestId, method: string, params: Message) => this.#ask(id, method, params),
    };
    this.#peer = new JsonPeer(channel, handlers, { jsonrpc: '2.0' });
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
      throw new Failure('refused', `the session ${threadId} cannot be continued: ${messageOf(error)}`);
    });
    this.#sessionId = text(opened['sessionId']) ?? threadId ?? '';
    this.#channel.emit({ kind: 'thread', threadId: this.#sessionId });
    if (mode !== undefined) await this.#request('session/set_mode', { modeId: mode });
    await this.#configure(objects(opened['configOptions']));
    // What a continued session replays is not work of this run.
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
      `${this.#options.label} cannot ${isFork ? 'fork' : 'resume'} sessions; start a new run with delegate_run`,
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
        this.#channel.emit({ kind: 'warning', message });
      }
    }
  }

  #request(method: string, params: JsonObject): Promise<Message> {
    return this.#peer.request(method, { sessionId: this.#sessionId, ...params });
  }

  async runTurn({ text: task }: TurnInput): Promise<TurnEnd> {
    const { answerFile, finishHint } = this.#options;
    await disk.rm(answerFile, { force: true });
    this.#channel.emit({ kind: 'turn' });
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
    const answer = await readRegularFile(this.#options.answerFile, maxFileBytes).catch(() => undefined);
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

  async close(): Promise<void> {}

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
    this.#channel.emit({ kind: 'approval', request: toApproval(id, call, params, this.#options.cwd) });
  }
}

/** A command or a path can contain the name of the tool too. */
function isCallOf(tool: string, { kind, title, content }: ToolCall): boolean {
  const isPlain = !['execute', 'edit', 'delete', 'move', 'fetch'].includes(kind);
  return isPlain && title.includes(tool) && !content.some(({ type }) => type === 'diff');
}
