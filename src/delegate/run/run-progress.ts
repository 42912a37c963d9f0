import { truncate } from '../../single-line.ts';
import type { AgentEvent, AgentItem, TodoItem, Usage } from '../agents/agent.ts';
import type { ApprovalRequest } from '../agents/protocols/approval.ts';

/** Accumulates the state of a run from its events. */
export class RunProgress {
  threadId: string | undefined;
  turns = 0;
  itemsStarted = 0;
  itemsCompleted = 0;
  /** Kind of the last event. Clients show it as a sign of activity. */
  last = 'none';
  command: string | undefined;
  lastMessage: string | undefined;
  todo: readonly TodoItem[] = [];
  /** What the run has used so far, if its agent reports it. */
  usage: Usage | undefined;
  threadTotal: Usage | undefined;
  /** The cost of the run, if its agent reports it. */
  costUsd: number | undefined;
  end: Extract<AgentEvent, { kind: 'completed' | 'failed' }> | undefined;
  /** The last attempt that failed and was not followed by any progress. */
  lastFailure: string | undefined;
  /** Commands, file changes and tool calls in progress, by the id of their item. */
  readonly #actions = new Map<string, string>();
  #lastAction: string | undefined;
  /** The end of the message that the agent writes at the moment. */
  #text = '';
  /** Requests that wait for an answer, by their id. */
  readonly #questions = new Map<string, string>();

  apply(event: AgentEvent): void {
    this.last = event.kind;
    if (event.kind === 'delta' && event.of === 'message')
      this.#text = (this.#text + event.text).slice(-maxTextChars);
    else if (event.kind !== 'usage') this.#text = '';
    switch (event.kind) {
      case 'thread':
        this.threadId ??= event.threadId;
        break;
      case 'turn':
        this.turns += 1;
        break;
      case 'warning':
        if (event.isFailure) this.lastFailure = event.message;
        break;
      case 'item':
        this.last = `item.${event.phase}`;
        this.lastFailure = undefined;
        if (event.phase === 'started') this.itemsStarted += 1;
        if (event.phase === 'completed') this.itemsCompleted += 1;
        if (event.item.type === 'message') this.lastMessage = event.item.text;
        if (event.item.type === 'command') this.command = event.item.command;
        if (event.item.type === 'todo') this.todo = event.item.items;
        this.#follow(event.id, event.phase, event.item);
        break;
      case 'usage':
        this.usage = event.usage;
        this.threadTotal = event.threadTotal ?? this.threadTotal;
        this.costUsd = event.costUsd ?? this.costUsd;
        break;
      case 'approval':
        this.#questions.set(event.request.id, describeRequest(event.request));
        break;
      case 'answered':
        this.#questions.delete(event.id);
        break;
      case 'completed':
      case 'failed':
        this.end = event;
        if (event.kind === 'completed') this.costUsd = event.costUsd ?? this.costUsd;
        break;
    }
  }

  /** Describes the progress in one line: the last command and the state of the to-do list. */
  describe(): string {
    const question = [...this.#questions.values()].at(-1);
    if (question !== undefined) return `waiting for approval: ${question}`;
    if (this.#text !== '') return `writing: ${oneLine(this.#text, maxTextChars)}`;
    const parts = [
      ...(this.command === undefined ? [] : [`$ ${oneLine(this.command, 120)}`]),
      ...this.#todoState(),
    ];
    return parts.length > 0 ? parts.join(' · ') : 'thinking';
  }

  /** Says what the agent is doing at the moment. */
  activity(): string {
    const question = [...this.#questions.values()].at(-1);
    if (question !== undefined) return `waiting for approval: ${question}`;
    if (this.#text !== '') return `writing: ${oneLine(this.#text, maxTextChars)}`;
    const now = [...this.#actions.values()].at(-1);
    const last = this.#lastAction === undefined ? '' : `; last: ${this.#lastAction}`;
    const idle = this.turns === 0 ? 'starting the agent' : `thinking${last}`;
    return [now ?? idle, ...this.#todoState()].join(' · ');
  }

  #follow(id: string, phase: string, item: AgentItem): void {
    const action = actionOf(item);
    if (action === undefined) return;
    if (phase === 'completed') {
      this.#actions.delete(id);
      this.#lastAction = action;
    } else this.#actions.set(id, action);
  }

  #todoState(): readonly string[] {
    if (this.todo.length === 0) return [];
    const done = this.todo.filter((item) => item.completed).length;
    const next = this.todo.find((item) => !item.completed);
    return [`${done} of ${this.todo.length} done${next ? `, next: ${oneLine(next.text, 80)}` : ''}`];
  }
}

function actionOf(item: AgentItem): string | undefined {
  switch (item.type) {
    case 'command':
      return `running $ ${oneLine(item.command, 120)}`;
    case 'files':
      return `changing ${oneLine(item.changes.map(({ path }) => path).join(', '), 120)}`;
    case 'tool':
      return `calling ${item.name}`;
    default:
      return undefined;
  }
}

const maxTextChars = 200;

/** Says in one line what an agent asks permission for. */
export function describeRequest({ what, command, host, tool, diff, ...request }: ApprovalRequest): string {
  if (host !== undefined) return `connect to ${oneLine(host, 120)}`;
  if (command !== undefined) return `$ ${oneLine(command, 200)}`;
  const subject = [tool ?? diff, request.arguments].filter((part) => part !== undefined).join(' ');
  return `${what} ${oneLine(subject, 120)}`.trim();
}

/** Says what an agent gets if a person allows its request. */
export function gainsOf({ what, host, decisions }: ApprovalRequest): string {
  if (!decisions.includes('allow_once'))
    return 'Nothing: it can only be refused, because it is not shown whole.';
  if (what === 'network') return `It may connect to ${host ?? 'the network'}. Nothing else changes.`;
  if (what === 'tool') return 'It may call this tool once.';
  if (what === 'files') return 'It may make these changes outside its sandbox.';
  return 'It may write outside its folder and use the network, for this command only. Your private files stay hidden.';
}

/** All that one reader or another takes for the end of a line. */
export const lineEnd = /\r\n|[\n\r\v\f\x1C-\x1E\x85\u2028\u2029]/g;

/** Marks every line of an agent's text except the first, which follows our own words, so that none of them looks like ours. */
export function quoteLines(text: string): string {
  return text.replaceAll(lineEnd, '\n> ');
}

/** Collapses white space and truncates the text. */
export function oneLine(text: string, maxLength: number): string {
  return truncate(text.replaceAll(/\s+/g, ' ').trim(), maxLength);
}
