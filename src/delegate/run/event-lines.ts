import type { AgentEvent, FileChange, RecordedEvent, Usage } from '../agents/protocols/agent-event.ts';
import { describeRequest, oneLine } from './run-progress.ts';

/** One line of the event log. Lines without a text say nothing to a reader. */
export interface EventLine {
  readonly line: number;
  readonly text: string;
  /** When it happened. Absent for agents without a conversation. */
  readonly time?: string;
  /** The kind of event, and the item that it belongs to. */
  readonly kind?: string;
  readonly item?: string;
  /** The end of the output of a command, or the beginning of the difference that an edit makes. */
  readonly output?: string;
  readonly exit_code?: number;
  /** Tokens that the run has used so far. */
  readonly tokens?: Usage;
}

/**
 * Describes an event log line by line: up to `limit` lines after line `after`, or the last lines if `after` is negative. Deltas are
 * left out by default, because the complete text repeats them.
 */
export async function describeLog(
  log: AsyncIterable<string> | Iterable<string>,
  parse: (raw: string) => readonly RecordedEvent[],
  after: number,
  limit: number,
  withDeltas = false,
): Promise<readonly EventLine[]> {
  const lines: EventLine[] = [];
  let line = 0;
  let skipped = 0;
  for await (const raw of log) {
    line += 1;
    if (line <= after) continue;
    const described = describeLine(line, parse(raw));
    if (described.kind?.startsWith('delta.') && !withDeltas) {
      skipped = line;
      continue;
    }
    lines.push(described);
    if (after >= 0 && lines.length >= limit) break;
    if (after < 0 && lines.length > limit) lines.shift();
  }
  // A reader that continues after the last line must not read the skipped ones again.
  return skipped > (lines.at(-1)?.line ?? 0) ? [...lines, { line: skipped, text: '' }] : lines;
}

function describeLine(line: number, events: readonly RecordedEvent[]): EventLine {
  const text = events
    .map(describeEvent)
    .filter((one) => one !== '')
    .join('; ');
  const [event] = events;
  if (event?.at === undefined) return { line, text };
  const known = { line, text, time: event.at };
  switch (event.kind) {
    case 'delta':
      return { ...known, kind: `delta.${event.of}`, item: event.id };
    case 'usage':
      return { ...known, kind: 'usage', tokens: event.usage };
    case 'item': {
      const { item, id, phase } = event;
      const command = item.type === 'command' ? item : undefined;
      const output = item.type === 'files' ? differenceOf(item.changes) : command?.output;
      return {
        ...known,
        kind: `item.${phase}`,
        item: id,
        ...(output !== undefined && { output }),
        ...(command?.exitCode !== undefined && { exit_code: command.exitCode }),
      };
    }
    default:
      return { ...known, kind: event.kind };
  }
}

/** The differences of several files have their paths above them. */
function differenceOf(changes: readonly FileChange[]): string | undefined {
  const known = changes.flatMap(({ path, diff }) => (diff === undefined ? [] : [{ path, diff }]));
  if (known.length === 0) return undefined;
  return known.map(({ path, diff }) => (changes.length === 1 ? diff : `${path}\n${diff}`)).join('\n');
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
    case 'delta':
      return event.text;
    case 'usage':
      return '';
    case 'approval':
      return `asks for approval ${event.request.id}: ${describeRequest(event.request)}`;
    case 'answered':
      return `approval ${event.id}: ${event.decision} by ${event.by}${event.reason === undefined ? '' : ` (${oneLine(event.reason, 200)})`}`;
    case 'steered':
      return `message from ${event.by}: ${oneLine(event.message, 300)}`;
    case 'interrupted':
      return `interrupted by ${event.by}${event.message === undefined ? '' : `: ${oneLine(event.message, 300)}`}`;
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
