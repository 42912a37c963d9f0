import { join } from 'node:path';
import { isObject, messageOf } from '../../json.ts';
import { log } from '../../log.ts';
import { EventFile } from '../files/event-file.ts';
import { parseObject } from '../files/json-file.ts';
import { parseRecordedEvent } from '../session/recorded-event.ts';
import type { ReportedWrite, WriteReport } from './agent.ts';
import { findRollout } from './codex-thread.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Reads the paths that Codex wrote from its events, and the edits from its session file, because the events omit them. */
export async function readWrites(codexHome: string, report: WriteReport): Promise<readonly ReportedWrite[]> {
  const paths = new Set<string>();
  for await (const line of report.events) for (const path of writtenPaths(line)) paths.add(path);
  if (paths.size === 0) return [];
  const edits = await readEdits(codexHome, report).catch((error: unknown) => {
    log('info', `the edits of thread ${report.threadId} could not be read: ${messageOf(error)}`);
    return [];
  });
  for (const { path } of edits) paths.delete(path);
  return [...edits, ...[...paths].map((path) => ({ path }))];
}

/** The paths that were written according to an event, of a session or of `codex exec`. */
function writtenPaths(line: string): readonly string[] {
  const [recorded] = parseRecordedEvent(line) ?? [];
  if (recorded !== undefined) {
    const isWrite = recorded.kind === 'item' && recorded.phase === 'completed';
    const item = isWrite && recorded.item.type === 'files' ? recorded.item : undefined;
    return item === undefined || item.failed ? [] : item.changes.map(({ path }) => path);
  }
  const event = line.includes('"file_change"') ? parseObject(line) : undefined;
  const item = event?.['item'];
  if (event?.['type'] !== 'item.completed' || !isObject(item) || item['status'] !== 'completed') return [];
  const changes = Array.isArray(item['changes']) ? item['changes'].filter(isObject) : [];
  return changes.map(({ path }) => String(path));
}

async function readEdits(codexHome: string, report: WriteReport): Promise<readonly ReportedWrite[]> {
  const { threadId, since } = report;
  const file = threadId === undefined ? undefined : await findRollout(join(codexHome, 'sessions'), threadId);
  if (file === undefined) return [];
  const writes: ReportedWrite[] = [];
  for await (const line of new EventFile(file).lines()) {
    if (!line.includes('"FileChange"')) continue;
    const { timestamp, payload } = parseObject(line) ?? {};
    const item = isObject(payload) ? payload['item'] : undefined;
    if (!isObject(item) || item['status'] !== 'completed' || !isObject(item['changes'])) continue;
    if (Date.parse(String(timestamp)) < since.getTime()) continue;
    for (const [path, change] of Object.entries(item['changes']))
      if (isObject(change)) writes.push(...toWrites(path, change));
  }
  return writes;
}

function toWrites(path: string, change: Fields): readonly ReportedWrite[] {
  if (change['type'] === 'delete') return [{ path, edit: { from: '', to: undefined } }];
  if (change['type'] === 'add')
    return [{ path, edit: { from: undefined, to: String(change['content'] ?? '') } }];
  // The content of a moved file is not reported.
  if (typeof change['move_path'] === 'string')
    return [{ path, edit: { from: '', to: undefined } }, { path: change['move_path'] }];
  return [{ path, edit: { patch: String(change['unified_diff'] ?? '') } }];
}
