import type { AgentEvent, TodoItem, Usage } from '../agents/agent.ts';

/** What the events of a run add up to so far. */
export class RunProgress {
  threadId: string | undefined;
  turns = 0;
  itemsStarted = 0;
  itemsCompleted = 0;
  /** The kind of the last event, for those who only want to see that something happens. */
  last = 'none';
  command: string | undefined;
  todo: readonly TodoItem[] = [];
  end: Extract<AgentEvent, { kind: 'completed' | 'failed' }> | undefined;
  readonly warnings = new Set<string>();

  take(event: AgentEvent): void {
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

  /** One line for a person: the last command, and how far the list of things to do has come. */
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

/** White space collapsed, and cut at a length. */
export function oneLine(text: string, longest: number): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim();
  return flat.length > longest ? `${flat.slice(0, longest - 1)}…` : flat;
}

/** What came on top of what was there before. */
export function usageSince(total: Usage, before: Usage): Usage {
  const since = (key: keyof Usage) => Math.max(0, Number(total[key]) - Number(before[key]));
  return {
    input_tokens: since('input_tokens'),
    cached_input_tokens: since('cached_input_tokens'),
    output_tokens: since('output_tokens'),
    reasoning_output_tokens: since('reasoning_output_tokens'),
  };
}
