import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { isObject, type JsonObject, parseObject } from '../../../json.ts';
import type {
  AgentConversation,
  AgentStreams,
  ConversationStart,
  TurnEnd,
  TurnInput,
} from './agent-conversation.ts';
import { type AgentEvent, type AgentItem, addUsage, noUsage, type Usage } from './agent-event.ts';
import { type ApprovalAnswer, type ApprovalRequest, approvalDecisions } from './approval.ts';
import { resultText, toEnd, toEvents, toUsage } from './claude-events.ts';
import { AgentExited } from './json-peer.ts';
import { type Message, objects, otherArguments, wholeArguments } from './message.ts';

type ItemEvent = Extract<AgentEvent, { kind: 'item' }>;

/** Opens a conversation with `claude -p --input-format stream-json`. Claude Code reports its thread with the first turn. */
export async function openClaudeConversation(
  _: ConversationStart,
  streams: AgentStreams,
): Promise<AgentConversation> {
  return new ClaudeConversation(streams);
}

class ClaudeConversation implements AgentConversation {
  readonly abilities = { steer: true, interrupt: true };
  readonly #streams: AgentStreams;
  readonly #questions = new Map<string, Message>();
  /** Messages of the user that Claude Code has not taken up yet. */
  readonly #unread = new Map<string, PromiseWithResolvers<void>>();
  readonly #items = new Map<string, AgentItem>();
  #turn: PromiseWithResolvers<TurnEnd> | undefined;
  #isInterrupted = false;
  #isExited = false;
  #threadId: string | undefined;
  #usage = noUsage;
  /** The tokens of the calls in the turn in progress. */
  #turnUsage = noUsage;
  #messageId = '';

  constructor(streams: AgentStreams) {
    this.#streams = streams;
    // The agent may exit at any time. The exit itself is reported by its process.
    streams.input.on('error', () => {});
    const lines = createInterface({ input: streams.output, crlfDelay: Number.POSITIVE_INFINITY });
    lines.on('line', (line) => this.#receive(parseObject(line) ?? {}));
    lines.on('close', () => {
      this.#isExited = true;
      const exited = new AgentExited('refused', 'the agent has exited');
      this.#turn?.reject(exited);
      for (const { reject } of this.#unread.values()) reject(exited);
    });
  }

  async runTurn({ text }: TurnInput): Promise<TurnEnd> {
    if (this.#isExited) throw new AgentExited('refused', 'the agent has exited');
    this.#turn = Promise.withResolvers<TurnEnd>();
    this.#isInterrupted = false;
    const { promise } = this.#turn;
    this.#say(text).catch(() => {});
    return promise;
  }

  steer(message: string): Promise<void> {
    return this.#say(message);
  }

  async interrupt(): Promise<void> {
    this.#isInterrupted = true;
    this.#send({
      type: 'control_request',
      request_id: randomUUID(),
      request: { subtype: 'interrupt' },
    });
  }

  async answer(approvalId: string, answer: ApprovalAnswer): Promise<void> {
    const request = this.#questions.get(approvalId);
    if (request === undefined) return;
    this.#questions.delete(approvalId);
    this.#send({
      type: 'control_response',
      response: { subtype: 'success', request_id: approvalId, response: toPermission(request, answer) },
    });
  }

  /** Resolves when Claude Code has taken up the message. */
  #say(text: string): Promise<void> {
    const uuid = randomUUID();
    const read = Promise.withResolvers<void>();
    this.#unread.set(uuid, read);
    this.#send({ type: 'user', uuid, message: { role: 'user', content: [{ type: 'text', text }] } });
    return read.promise;
  }

  #send(message: JsonObject): void {
    if (!this.#isExited) this.#streams.input.write(`${JSON.stringify(message)}\n`);
  }

  #receive(message: Message): void {
    switch (message['type']) {
      case 'control_request':
        return this.#ask(message);
      case 'stream_event':
        return this.#stream(message['event']);
      case 'result':
        return this.#endTurn(message);
      case 'user':
        if (message['isReplay'] === true) return this.#confirm(String(message['uuid']));
    }
    for (const event of toEvents(message)) {
      if (event.kind === 'thread' && event.threadId === this.#threadId) continue;
      if (event.kind === 'thread') this.#threadId = event.threadId;
      this.#streams.emit(event.kind === 'item' ? this.#complete(event, message) : event);
    }
  }

  /** The result of a tool only names the id of its call. */
  #complete(event: ItemEvent, message: Message): ItemEvent {
    if (event.phase === 'started') this.#items.set(event.id, event.item);
    const item = event.phase === 'completed' ? this.#items.get(event.id) : undefined;
    if (item === undefined) return event;
    this.#items.delete(event.id);
    const output = resultText(message, event.id);
    if (item.type === 'command') return { ...event, item: { ...item, output } };
    const result = message['tool_use_result'];
    if (item.type !== 'files' || !isObject(result)) return { ...event, item };
    const kind = item.changes[0]?.kind ?? 'update';
    return {
      ...event,
      item: { type: 'files', changes: writtenPaths(result).map((path) => ({ path, kind })) },
    };
  }

  #confirm(uuid: string): void {
    this.#unread.get(uuid)?.resolve();
    this.#unread.delete(uuid);
  }

  #ask({ request_id, request }: Message): void {
    const id = String(request_id);
    if (!isObject(request) || request['subtype'] !== 'can_use_tool') {
      const error = `Adjutant does not answer ${isObject(request) ? request['subtype'] : 'this request'}.`;
      this.#send({ type: 'control_response', response: { subtype: 'error', request_id: id, error } });
      return;
    }
    this.#questions.set(id, request);
    this.#streams.emit({ kind: 'approval', request: toApproval(id, request) });
  }

  /** Reports the pieces of messages, and the tokens of each call of the model. */
  #stream(event: unknown): void {
    if (!isObject(event)) return;
    const { message, delta, usage } = event;
    if (event['type'] === 'message_start' && isObject(message)) {
      this.#messageId = String(message['id']);
      this.#count(toUsage(message['usage']), true);
    }
    if (event['type'] === 'message_delta') this.#count(toUsage(usage), false);
    if (event['type'] !== 'content_block_delta' || !isObject(delta)) return;
    const of = delta['type'] === 'thinking_delta' ? 'reasoning' : 'message';
    const text = delta['type'] === 'thinking_delta' ? delta['thinking'] : delta['text'];
    if (typeof text === 'string' && text !== '')
      this.#streams.emit({ kind: 'delta', id: `${this.#messageId}-${event['index']}`, of, text });
  }

  /** The start of a message names its input, the end its output. */
  #count(usage: Usage | undefined, isStart: boolean): void {
    if (usage === undefined) return;
    this.#turnUsage = isStart
      ? addUsage(this.#turnUsage, { ...usage, output_tokens: 0 })
      : addUsage(this.#turnUsage, { ...noUsage, output_tokens: usage.output_tokens });
    if (!isStart) this.#streams.emit({ kind: 'usage', usage: addUsage(this.#usage, this.#turnUsage) });
  }

  #endTurn(message: Message): void {
    const end = toEnd(message);
    this.#usage = addUsage(this.#usage, end.usage ?? this.#turnUsage);
    this.#turnUsage = noUsage;
    const costUsd = message['total_cost_usd'];
    this.#streams.emit({
      kind: 'usage',
      usage: this.#usage,
      ...(typeof costUsd === 'number' && { costUsd }),
    });
    // A message that came too late for this turn starts another one.
    if (this.#unread.size > 0 && end.kind === 'completed' && !this.#isInterrupted) return;
    const turn = this.#turn;
    this.#turn = undefined;
    if (this.#isInterrupted) turn?.resolve({ status: 'interrupted' });
    else if (end.kind === 'completed') turn?.resolve({ status: 'completed', message: end.message });
    else turn?.resolve({ status: 'failed', message: end.message });
  }
}

/** Translates `can_use_tool`. */
function toApproval(id: string, request: Message): ApprovalRequest {
  const given = isObject(request['input']) ? request['input'] : {};
  const suggestions = objects(request['permission_suggestions']);
  // Shown with the arguments, because allowing the request for the whole run grants it.
  const input = suggestions.length === 0 ? given : { ...given, allowed_for_the_run: suggestions };
  const tool = String(request['tool_name']);
  const text = (name: string) => (typeof given[name] === 'string' ? given[name] : undefined);
  const hasSuggestions = Array.isArray(request['permission_suggestions']);
  const decisions = approvalDecisions.filter((one) => one !== 'allow_run' || hasSuggestions);
  const about = { id, decisions };
  const reason = text('description');
  const why = reason === undefined ? {} : { reason };
  const whole = wholeArguments(input);
  // Only the arguments of Claude Code's own tools have a known meaning.
  if (tool.startsWith('mcp__')) return { ...about, what: 'tool', tool, ...whole };
  const command = text('command');
  if (command !== undefined)
    return {
      ...about,
      what: 'command',
      command,
      ...otherArguments(input, ['command', 'description']),
      ...why,
    };
  const pathName = text('file_path') === undefined ? 'notebook_path' : 'file_path';
  const path = text(pathName);
  if (path !== undefined && tool !== 'Read') {
    const others = otherArguments(input, [pathName, ...removedTexts, ...addedTexts]);
    return { ...about, what: 'files', diff: toDiff(path, input), tool, ...others };
  }
  const url = text('url');
  if (url !== undefined) return { ...about, what: 'network', host: hostOf(url), tool, ...whole };
  return { ...about, what: 'tool', tool, ...whole, ...why };
}

const removedTexts = ['old_string'];
const addedTexts = ['new_string', 'content', 'new_source'];

function toDiff(path: string, input: Message): string {
  const lines = (name: string, sign: string) =>
    typeof input[name] === 'string' ? input[name].split('\n').map((line) => sign + line) : [];
  return [
    `--- ${path}`,
    `+++ ${path}`,
    ...removedTexts.flatMap((name) => lines(name, '-')),
    ...addedTexts.flatMap((name) => lines(name, '+')),
  ].join('\n');
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

/** The answer to `can_use_tool`. Permissions for the whole run are kept in the session, not in the user's settings. */
function toPermission(request: Message, { decision, reason }: ApprovalAnswer): JsonObject {
  if (decision === 'refuse')
    return { behavior: 'deny', message: reason ?? 'The user refused this request. Continue without it.' };
  const updatedPermissions = objects(request['permission_suggestions']).map(
    (suggestion) => ({ ...suggestion, destination: 'session' }) as JsonObject,
  );
  return {
    behavior: 'allow',
    updatedInput: (isObject(request['input']) ? request['input'] : {}) as JsonObject,
    ...(decision === 'allow_run' && { updatedPermissions }),
  };
}

/** The file that Edit, Write or NotebookEdit has written. Errors have no path. */
function writtenPaths({ notebook_path, error, filePath }: Message): readonly string[] {
  if (typeof notebook_path === 'string')
    return typeof error === 'string' && error !== '' ? [] : [notebook_path];
  return typeof filePath === 'string' ? [filePath] : [];
}
