import { isObject } from '../../json.ts';
import { parseObject } from '../files/json-file.ts';
import type { ReportedWrite, WriteReport } from './agent.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Reads the results of Edit, Write and NotebookEdit, which contain the file before and after the edit. Errors have no path. */
export async function readWrites({ events }: WriteReport): Promise<readonly ReportedWrite[]> {
  const writes: ReportedWrite[] = [];
  for await (const line of events) {
    if (!line.includes('"tool_use_result"')) continue;
    const result = parseObject(line)?.['tool_use_result'];
    if (isObject(result)) writes.push(...toWrites(result));
  }
  return writes;
}

function toWrites(result: Fields): readonly ReportedWrite[] {
  const { notebook_path: notebook, error } = result;
  if (typeof notebook === 'string') {
    if (typeof error === 'string' && error !== '') return [];
    return [{ path: notebook, ...pair(result['original_file'], result['updated_file']) }];
  }
  const { filePath: path, originalFile: original, oldString, newString, content } = result;
  if (typeof path !== 'string') return [];
  if (typeof oldString === 'string' && typeof newString === 'string') {
    const parts = typeof original === 'string' ? original.split(oldString) : [];
    // An edit with an empty old text creates the file.
    if (oldString === '') return [{ path, ...pair(original, newString) }];
    const isKnown = result['replaceAll'] === true ? parts.length > 1 : parts.length === 2;
    return [{ path, ...(isKnown && pair(original, parts.join(newString))) }];
  }
  return typeof content === 'string' ? [{ path, ...pair(original, content) }] : [];
}

function pair(from: unknown, to: unknown): Pick<ReportedWrite, 'edit'> {
  if (typeof to !== 'string' || (typeof from !== 'string' && from !== null)) return {};
  return { edit: { from: from ?? undefined, to } };
}
