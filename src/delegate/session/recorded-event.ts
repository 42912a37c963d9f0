import { parseObject } from '../files/json-file.ts';
import type { RecordedEvent } from './agent-event.ts';

/** Parses a line that `EventRecorder` wrote. Returns `undefined` for the output of an agent. */
export function parseRecordedEvent(line: string): readonly RecordedEvent[] | undefined {
  if (!line.startsWith('{"at":')) return undefined;
  const event = parseObject(line);
  return event === undefined ? [] : [event as unknown as RecordedEvent];
}
