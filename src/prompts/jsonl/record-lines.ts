import { maxFileBytes, readRegularBytesSync } from '../../regular-file.ts';
import { splitLines } from './prompt-file.ts';
import { type PromptRecord, parseRecord } from './record.ts';

/** A line of the file, with its record if the line is valid. */
export interface Line {
  readonly bytes: Buffer;
  readonly record?: PromptRecord;
}

const lineFeed = Buffer.from('\n');

/** Returns no lines if the file does not exist. */
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

/** If several records have the same name, the first one counts. */
export function recordsByName(lines: readonly Line[]): Map<string, PromptRecord> {
  const records = new Map<string, PromptRecord>();
  for (const { record } of lines)
    if (record !== undefined && !records.has(record.name)) records.set(record.name, record);
  return records;
}

/**
 * Returns the new content of the file. A changed record replaces its old line, or is appended if it is new. A changed
 * name without a record is removed, and so are further lines with a changed name. Other lines stay as they are.
 */
export function withRecords(
  lines: readonly Line[],
  changed: ReadonlySet<string>,
  records: ReadonlyMap<string, PromptRecord>,
): Buffer {
  const pending = new Set(changed);
  const printLine = (name: string) => {
    const record = records.get(name);
    return pending.delete(name) && record ? [Buffer.from(JSON.stringify(record)), lineFeed] : [];
  };
  const existing = lines.flatMap(({ bytes, record }) =>
    record !== undefined && changed.has(record.name) ? printLine(record.name) : [bytes, lineFeed],
  );
  const all = [...existing, ...[...pending].flatMap(printLine)];
  // Never write an empty file: readers treat it as still being written and keep the old version.
  return all.length === 0 ? lineFeed : Buffer.concat(all);
}
