import type { AgentEvent, AgentItem, TodoItem, Usage } from '../agents/agent.ts';

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
  end: Extract<AgentEvent, { kind: 'completed' | 'failed' }> | undefined;
  readonly warnings = new Set<string>();
  /** Commands, file changes and tool calls in progress, by the id of their item. */
  readonly #actions = new Map<string, string>();
  #lastAction: string | undefined;

  apply(event: AgentEvent): void {
    this.last = event.kind;
    switch (event.kind) {
      case 'thread':
        this.threadId ??= event.threadId;
        break;
      case 'turn':
        this.turns += 1;
        break;
      case 'warning':
        this.warnings.add(event.message);
        break;
      case 'item':
        this.last = `item.${event.phase}`;
        if (event.phase === 'started') this.itemsStarted += 1;
        if (event.phase === 'completed') this.itemsCompleted += 1;
        if (event.item.type === 'message') this.lastMessage = event.item.text;
        if (event.item.type === 'command') this.command = event.item.command;
        if (event.item.type === 'todo') this.todo = event.item.items;
        this.#follow(event.id, event.phase, event.item);
        break;
      case 'completed':
      case 'failed':
        this.end = event;
        break;
    }
  }

  /** Describes the progress in one line: the last command and the state of the to-do list. */
  describe(): string {
    const parts = [
      ...(this.command === undefined ? [] : [`$ ${oneLine(this.command, 120)}`]),
      ...this.#todoState(),
    ];
    return parts.length > 0 ? parts.join(' · ') : 'thinking';
  }

  /** Says what the agent is doing at the moment. */
  activity(): string {
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

/** Collapses white space and truncates the text. */
export function oneLine(text: string, maxLength: number): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim();
  return flat.length > maxLength ? `${flat.slice(0, maxLength - 1)}…` : flat;
}

/** Returns the usage since an earlier total. */
export function usageSince(total: Usage, before: Usage): Usage {
  const increase = (key: keyof Usage) => Math.max(0, Number(total[key]) - Number(before[key]));
  return {
    input_tokens: increase('input_tokens'),
    cached_input_tokens: increase('cached_input_tokens'),
    output_tokens: increase('output_tokens'),
    reasoning_output_tokens: increase('reasoning_output_tokens'),
  };
}
