import type { AgentEvent, TodoItem, Usage } from '../agents/agent.ts';

/** Accumulates the state of a run from its events. */
export class RunProgress {
  threadId: string | undefined;
  turns = 0;
  itemsStarted = 0;
  itemsCompleted = 0;
  /** Kind of the last event. Clients show it as a sign of activity. */
  last = 'none';
  command: string | undefined;
  todo: readonly TodoItem[] = [];
  end: Extract<AgentEvent, { kind: 'completed' | 'failed' }> | undefined;
  readonly warnings = new Set<string>();

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
        if (event.item.type === 'command') this.command = event.item.command;
        if (event.item.type === 'todo') this.todo = event.item.items;
        break;
      case 'completed':
      case 'failed':
        this.end = event;
        break;
    }
  }

  /** Describes the progress in one line: the last command and the state of the to-do list. */
  describe(): string {
    const done = this.todo.filter((item) => item.completed).length;
    const next = this.todo.find((item) => !item.completed);
    const parts = [
      ...(this.command === undefined ? [] : [`$ ${oneLine(this.command, 120)}`]),
      ...(this.todo.length === 0
        ? []
        : [`${done} of ${this.todo.length} done${next ? `, next: ${oneLine(next.text, 80)}` : ''}`]),
    ];
    return parts.length > 0 ? parts.join(' · ') : 'thinking';
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
