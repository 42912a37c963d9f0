import { maxFileBytes, readRegularBytesSync } from '../../regular-file.ts';
import { splitLines } from './prompt-file.ts';
import { type PromptRecord, parseRecord } from './record.ts';

/** A line as it stands, and what it says where it can be understood. */
export interface Line {
  readonly bytes: Buffer;
  readonly record?: PromptRecord;
}

const lineFeed = Buffer.from('\n');

/** None when there is no such file. */
export function readRecordLines(file: string): readonly Line[] {
  let bytes: Buffer;
  try {
    bytes = readRegularBytesSync(file, maxFileBytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  return splitLines(bytes).map((line, index) => {
    try {
      const record = parseRecord(line, index + 1);
      return record === undefined ? { bytes: line } : { bytes: line, record };
    } catch {
      return { bytes: line };
    }
  });
}

/** Of two with one name the first counts. */
export function recordsByName(lines: readonly Line[]): Map<string, PromptRecord> {
  const records = new Map<string, PromptRecord>();
  for (const { record } of lines)
    if (record !== undefined && !records.has(record.name)) records.set(record.name, record);
  return records;
}

/**
 * The file with the changed names as the records have them: each in its place, or at the end; lines that repeat such a
 * name are gone, and so is a name without a record.
 */
export function withRecords(
  lines: readonly Line[],
  changed: ReadonlySet<string>,
  records: ReadonlyMap<string, PromptRecord>,
): Buffer {
  const waiting = new Set(changed);
  const written = (name: string) => {
    const record = records.get(name);
    return waiting.delete(name) && record ? [Buffer.from(JSON.stringify(record)), lineFeed] : [];
  };
  const kept = lines.flatMap(({ bytes, record }) =>
    record !== undefined && changed.has(record.name) ? written(record.name) : [bytes, lineFeed],
  );
  const all = [...kept, ...[...waiting].flatMap(written)];
  // An empty file looks like one that somebody is about to write, and would not be believed at once.
  return all.length === 0 ? lineFeed : Buffer.concat(all);
}
