import { isObject, type JsonObject } from '../../../json.ts';
import { version } from '../../../version.ts';
import type {
  AgentConversation,
  AgentStreams,
  ConversationStart,
  TurnEnd,
  TurnInput,
} from './agent-conversation.ts';
import { addUsage, type Usage, usageSince } from './agent-event.ts';
import { toEvent, toUsage, unwrapShell } from './app-server-events.ts';
import { type ApprovalAnswer, type ApprovalRequest, approvalDecisions } from './approval.ts';
import { JsonPeer, type RequestId } from './json-peer.ts';
import { type Message, objects, text, wholeArguments } from './message.ts';

/** The first request of a conversation: how its thread begins. */
export interface AppServerOptions extends JsonObject {
  readonly method: 'thread/start' | 'thread/resume' | 'thread/fork';
  readonly params: JsonObject;
  /** Parameters of every turn. */
  readonly turn: JsonObject;
}

interface Question {
  readonly requestId: RequestId;
  readonly method: string;
  readonly params: Message;
}

/** Opens a conversation with `codex app-server`, which exchanges JSON messages over standard input and output. */
export async function openAppServer(
  { options }: ConversationStart,
  streams: AgentStreams,
): Promise<AgentConversation> {
  const conversation = new AppServerConversation(streams);
  await conversation.open(options as AppServerOptions);
  return conversation;
}

class AppServerConversation implements AgentConversation {
  readonly abilities = { steer: true, interrupt: true };
  readonly #streams: AgentStreams;
  readonly #peer: JsonPeer;
  readonly #questions = new Map<string, Question>();
  /** Items in progress, because a request for permission only names its item. */
  readonly #items = new Map<string, Message>();
  #threadId = '';
  #turnOptions: JsonObject = {};
  #turnId: string | undefined;
  #endTurn: ((end: TurnEnd) => void) | undefined;
  #message: string | undefined;
  /** The turns of this run, also those of the agents that Codex has started. */
  readonly #turns = new Set<string>();
  readonly #usage = new Map<string, { readonly before: Usage; readonly total: Usage }>();

  constructor(streams: AgentStreams) {
    this.#streams = streams;
    this.#peer = new JsonPeer(streams, {
      onNotification: (method, params) => this.#notice(method, params),
      onRequest: (id, method, params) => this.#ask(id, method, params),
    });
  }

  async open({ method, params, turn }: AppServerOptions): Promise<void> {
    await this.#peer.request('initialize', {
      clientInfo: { name: 'adjutant', title: 'Adjutant', version },
      capabilities: { experimentalApi: true },
    });
    this.#peer.notify('initialized');
    const { thread } = await this.#peer.request(method, params);
    this.#threadId = String(isObject(thread) ? thread['id'] : '');
    this.#turnOptions = turn;
    this.#streams.emit({ kind: 'thread', threadId: this.#threadId });
  }

  async runTurn({ text, outputSchema }: TurnInput): Promise<TurnEnd> {
    this.#message = undefined;
    const { promise, resolve } = Promise.withResolvers<TurnEnd>();
    this.#endTurn = resolve;
    const { turn } = await this.#peer.request('turn/start', {
      ...this.#turnOptions,
      threadId: this.#threadId,
      input: [{ type: 'text', text }],
      outputSchema: outputSchema as JsonObject,
    });
    // The notifications of a short turn can arrive before this reply is handled.
    if (this.#endTurn === resolve) this.#turnId ??= String(isObject(turn) ? turn['id'] : '');
    return promise;
  }

  async steer(message: string): Promise<void> {
    await this.#peer.request('turn/steer', {
      threadId: this.#threadId,
      input: [{ type: 'text', text: message }],
      expectedTurnId: this.#turnId ?? '',
    });
  }

  async interrupt(): Promise<void> {
    const threadId = this.#threadId;
    await this.#peer.request('turn/interrupt', { threadId, turnId: this.#turnId ?? '' });
    // The command of an interrupted turn continues as a background terminal.
    await this.#peer.request('thread/backgroundTerminals/clean', { threadId });
  }

  async answer(approvalId: string, answer: ApprovalAnswer): Promise<void> {
    const question = this.#questions.get(approvalId);
    if (question === undefined) return;
    this.#questions.delete(approvalId);
    const { requestId, method, params } = question;
    this.#peer.respond(requestId, toResponse(method, params, answer));
    // A refusal has no field for a reason.
    if (answer.decision === 'refuse' && answer.reason !== undefined)
      await this.steer(`The user refused this request: ${answer.reason}`).catch(() => {});
  }

  #ask(requestId: RequestId, method: string, params: Message): void {
    const id = String(requestId);
    const request = toApproval(id, method, params, this.#items.get(String(params['itemId'])));
    if (request !== undefined) {
      this.#questions.set(id, { requestId, method, params });
      this.#streams.emit({ kind: 'approval', request });
    } else if (method === 'mcpServer/elicitation/request') {
      this.#peer.respond(requestId, { action: 'decline', content: null });
    } else this.#peer.respondWithError(requestId, `Adjutant does not answer ${method}.`);
  }

  #notice(method: string, params: Message): void {
    if (method === 'thread/tokenUsage/updated') return this.#count(params);
    const turn = isObject(params['turn']) ? params['turn'] : undefined;
    if (method === 'turn/started') this.#turns.add(String(turn?.['id']));
    const item = isObject(params['item']) ? params['item'] : undefined;
    if (item !== undefined) this.#keep(method, item);
    // Codex can start further threads for agents of its own.
    const { threadId } = params;
    if (threadId !== undefined && threadId !== null && threadId !== this.#threadId) return;
    if (method === 'turn/started') this.#turnId = String(turn?.['id']);
    if (method === 'item/completed' && item?.['type'] === 'agentMessage')
      this.#message = String(item['text']);
    const event = toEvent(method, params);
    if (event !== undefined) this.#streams.emit(event);
    if (method === 'turn/completed' && turn !== undefined) this.#complete(turn);
  }

  #keep(method: string, item: Message): void {
    if (method === 'item/started') this.#items.set(String(item['id']), item);
    if (method === 'item/completed') this.#items.delete(String(item['id']));
  }

  #complete({ status, error }: Message): void {
    this.#turnId = undefined;
    const end = this.#endTurn;
    this.#endTurn = undefined;
    if (status === 'completed') end?.({ status, message: this.#message });
    else if (status === 'interrupted') end?.({ status });
    else {
      const message = String(isObject(error) ? error['message'] : (error ?? 'the turn failed'));
      end?.({ status: 'failed', message });
    }
  }

  /** Adds up the tokens since the start of the run, also those of the agents that Codex has started. */
  #count(params: Message): void {
    const counts = toUsage(params);
    if (counts === undefined) return;
    const { last, total } = counts;
    const threadId = String(params['threadId']);
    const isOwn = threadId === this.#threadId;
    // A resumed thread first repeats what it has used before.
    const isRepeated = !this.#turns.has(String(params['turnId']));
    const before = isRepeated ? total : usageSince(total, last);
    this.#usage.set(threadId, { before: this.#usage.get(threadId)?.before ?? before, total });
    if (isRepeated) return;
    const used = [...this.#usage.values()].map((one) => usageSince(one.total, one.before));
    const usage = used.reduce(addUsage);
    this.#streams.emit({ kind: 'usage', usage, ...(isOwn && { threadTotal: total }) });
  }
}

/** Translates a request of `codex app-server` for permission. `item` is the item that it is about, as it was announced. */
function toApproval(
  id: string,
  method: string,
  params: Message,
  item: Message | undefined,
): ApprovalRequest | undefined {
  const reason = typeof params['reason'] === 'string' ? { reason: params['reason'] } : {};
  const common = { id, decisions: approvalDecisions, ...reason };
  const cwd = typeof params['cwd'] === 'string' ? { cwd: params['cwd'] } : {};
  switch (method) {
    case 'item/commandExecution/requestApproval': {
      const { command, networkApprovalContext: network, additionalPermissions } = params;
      const host = isObject(network) ? { host: `${network['protocol']}://${network['host']}` } : {};
      return {
        ...common,
        what: 'host' in host ? 'network' : 'command',
        ...(typeof command === 'string' && { command: unwrapShell(command) }),
        ...cwd,
        ...host,
        ...(isObject(additionalPermissions) && wholeArguments({ additionalPermissions })),
      };
    }
    case 'item/fileChange/requestApproval': {
      const diff = diffOf(objects(item?.['changes']));
      const { grantRoot } = params;
      return {
        ...common,
        what: 'files',
        ...(diff !== undefined && { diff }),
        ...(typeof grantRoot === 'string' && wholeArguments({ grantRoot })),
      };
    }
    case 'item/permissions/requestApproval': {
      const { permissions } = params;
      return {
        ...common,
        what: 'permissions',
        ...cwd,
        ...(isObject(permissions) && wholeArguments(permissions)),
      };
    }
    default:
      return undefined;
  }
}

/** The changes as they are shown to a person. `undefined` if Codex has not announced all of them. */
function diffOf(changes: readonly Message[]): string | undefined {
  const texts = changes.map(({ path, kind, diff }) => {
    const { type, move_path: target } = isObject(kind) ? kind : {};
    const title = [text(type) ?? 'change', path, ...(typeof target === 'string' ? ['to', target] : [])];
    return typeof diff === 'string' ? `${title.join(' ')}\n${diff}` : undefined;
  });
  return texts.length === 0 || texts.includes(undefined) ? undefined : texts.join('\n');
}

/** The response to a request for permission. */
function toResponse(method: string, params: Message, { decision }: ApprovalAnswer): JsonObject {
  if (method === 'item/permissions/requestApproval')
    return {
      permissions: decision === 'refuse' ? {} : (params['permissions'] as JsonObject),
      scope: decision === 'allow_run' ? 'session' : 'turn',
    };
  const decisions = { allow_once: 'accept', allow_run: 'acceptForSession', refuse: 'decline' };
  return { decision: decisions[decision] };
}
