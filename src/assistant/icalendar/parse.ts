import { CalendarParser, type CalendarProblem, type ParsedCalendar } from './calendar-parser.ts';
import { LineReader } from './content-line.ts';

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

const pieceLength = 1 << 17;

/** Reads a calendar in pieces, so that a large one does not block the event loop. */
export async function parseCalendar(
  documents: Iterable<Document> | AsyncIterable<Document>,
  { nowMs, progress, signal }: ParseOptions,
): Promise<ParsedCalendar> {
  const parser = new CalendarParser(nowMs);
  for await (const { name, pieces } of documents) {
    const reader = new LineReader((line, number) => parser.take(line, number));
    parser.begin(name);
    for await (const piece of pieces) {
      for (let from = 0; from < piece.length; from += pieceLength) {
        signal?.throwIfAborted();
        reader.push(piece.slice(from, from + pieceLength));
        progress?.(parser.count);
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    reader.end();
    parser.end();
  }
  return parser.finish();
}
