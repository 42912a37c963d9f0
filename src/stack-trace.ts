import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';

const maps = new Map<string, SourceMap>();

/** Formats a stack trace like V8 does, but with positions in the TypeScript sources. */
export function stackTrace(error: Error, frames: readonly NodeJS.CallSite[]): string {
  return [headline(error), ...frames.map(formatFrame)].join('\n    at ');
}

function headline(error: Error): string {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return 'Error';
  }
}

function formatFrame(frame: NodeJS.CallSite): string {
  const file = frame.getFileName();
  const line = frame.getLineNumber();
  const column = frame.getColumnNumber();
  if (!file?.endsWith('.cjs') || line === null || column === null) return String(frame);
  const origin = readMap(file)?.findOrigin(line, column);
  if (origin === undefined || !('fileName' in origin)) return String(frame);
  // The source map names sources relative to dist. An installed package has no sources, so the prefix means nothing there.
  const source = origin.fileName.replace(/^(\.\.\/)+/, '');
  return String(frame).replace(
    `${file}:${line}:${column}`,
    `${source}:${origin.lineNumber}:${origin.columnNumber}`,
  );
}

function readMap(file: string): SourceMap | undefined {
  try {
    const map = maps.get(file) ?? new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')));
    maps.set(file, map);
    return map;
  } catch {
    return undefined;
  }
}
