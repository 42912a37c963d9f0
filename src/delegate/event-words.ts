import type { AgentEvent } from './agent.ts';
import { oneLine } from './run-progress.ts';

/** One event as a person would say it. */
export function describeEvent(event: AgentEvent): string {
  switch (event.kind) {
    case 'thread':
      return `thread ${event.threadId}`;
    case 'turn':
      return 'turn began';
    case 'warning':
      return `warning: ${oneLine(event.message, 300)}`;
    case 'failed':
      return `failed: ${oneLine(event.message, 300)}`;
    case 'completed':
      return 'turn completed';
    case 'item':
      return describeItem(event);
  }
}

function describeItem({ item, phase }: Extract<AgentEvent, { kind: 'item' }>): string {
  switch (item.type) {
    case 'message':
      return oneLine(item.text, 500);
    case 'reasoning':
      return `(${oneLine(item.text, 300)})`;
    case 'command':
      return item.exitCode === undefined
        ? `$ ${oneLine(item.command, 300)}`
        : `$ ${oneLine(item.command, 300)} → ${item.exitCode}`;
    case 'files':
      return item.changes.map(({ kind, path }) => `${kind} ${path}`).join(', ');
    case 'tool':
      return `${item.name} ${phase}`;
    case 'todo':
      return item.items
        .map(({ text, completed }) => `[${completed ? 'x' : ' '}] ${oneLine(text, 80)}`)
        .join(' ');
  }
}
