import { turnOfEventLoop } from '../../awaitable.ts';
import { CalendarParser, type ParsedCalendar } from './calendar-parser.ts';
import type { CalendarProblem } from './calendar-problems.ts';
import { LineReader } from './text.ts';

export type { CalendarProblem, ParsedCalendar };

/** One iCalendar text: a file, a response, or an object on a CalDAV server. */
export interface Document {
  /** File name or path, if the calendar has several documents. */
  readonly name?: string;
  readonly pieces: Iterable<string> | AsyncIterable<string>;
}

export interface ParseOptions {
  readonly nowMs: number;
  /** Called repeatedly with the number of events read so far. */
  readonly progress?: ((events: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Short, so that only a few events are read without a pause. */
const pieceLength = 1 << 8;
/** How long the parser may work before other requests are served. */
const sliceMs = 15;

/** Reads a calendar in pieces, so that a large one does not block the event loop. */
export async function parseCalendar(
  documents: Iterable<Document> | AsyncIterable<Document>,
  { nowMs, progress, signal }: ParseOptions,
): Promise<ParsedCalendar> {
  const parser = new CalendarParser(nowMs);
  let sliceStart = performance.now();
  const pause = async () => {
    if (performance.now() - sliceStart < sliceMs) return;
    progress?.(parser.count);
    await turnOfEventLoop();
    signal?.throwIfAborted();
    sliceStart = performance.now();
  };
  for await (const { name, pieces } of documents) {
    const reader = new LineReader((line) => parser.take(line));
    parser.begin(name);
    for await (const piece of pieces) {
      for (let from = 0; from < piece.length; from += pieceLength) {
        signal?.throwIfAborted();
        reader.push(piece.slice(from, from + pieceLength));
        if (parser.hasUncheckedRules) await parser.checkRules();
        await pause();
      }
    }
    reader.end();
    for (const _ of parser.end()) await pause();
    await parser.checkRules();
    progress?.(parser.count);
  }
  return parser.finish(pause);
}
