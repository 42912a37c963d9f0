import type { AgentEvent } from '../agents/agent.ts';
import { oneLine } from './run-progress.ts';

export interface EventLine {
  readonly line: number;
  readonly text: string;
}

/** Describes an event log line by line: up to `limit` lines after line `after`, or the last lines if `after` is negative. */
export async function describeLog(
  log: AsyncIterable<string> | Iterable<string>,
  parse: (raw: string) => readonly AgentEvent[],
  after: number,
  limit: number,
): Promise<readonly EventLine[]> {
  const lines: EventLine[] = [];
  let line = 0;
  for await (const raw of log) {
    line += 1;
    if (line <= after) continue;
    const descriptions = parse(raw).map(describeEvent);
    lines.push({ line, text: descriptions.filter((one) => one !== '').join('; ') });
    if (after >= 0 && lines.length >= limit) break;
    if (after < 0 && lines.length > limit) lines.shift();
  }
  return lines;
}

/** Describes one event for the user. */
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
