import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';

const maps = new Map<string, SourceMap>();

/** A stack trace in V8's own format, with the positions in the TypeScript sources. */
export function stackTrace(error: Error, frames: readonly NodeJS.CallSite[]): string {
  return [headline(error), ...frames.map(located)].join('\n    at ');
}

function headline(error: Error): string {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return 'Error';
  }
}

function located(frame: NodeJS.CallSite): string {
  const file = frame.getFileName();
  const line = frame.getLineNumber();
  const column = frame.getColumnNumber();
  if (!file?.endsWith('.cjs') || line === null || column === null) return String(frame);
  const origin = mapOf(file)?.findOrigin(line, column);
  if (origin === undefined || !('fileName' in origin)) return String(frame);
  // Sources are named relative to the folder of the build, which lies beside them in a clone only.
  const source = origin.fileName.replace(/^(\.\.\/)+/, '');
  return String(frame).replace(
    `${file}:${line}:${column}`,
    `${source}:${origin.lineNumber}:${origin.columnNumber}`,
  );
}

function mapOf(file: string): SourceMap | undefined {
  try {
    const map = maps.get(file) ?? new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')));
    maps.set(file, map);
    return map;
  } catch {
    return undefined;
  }
}
