import { promises as disk } from 'node:fs';
import { join } from 'node:path';
import { parseObject } from '../../json.ts';
import { maxFileBytes, readRegularFile } from '../../regular-file.ts';
import type { Usage } from './agent.ts';
import { parseUsage } from './protocols/agent-event.ts';

/** Reads the total usage from the session file of a thread. The event stream omits it if a turn was interrupted. */
export async function readThreadUsage(codexHome: string, threadId: string): Promise<Usage | undefined> {
  const file = await findRollout(join(codexHome, 'sessions'), threadId);
  if (file === undefined) return undefined;
  const lines = (await readRegularFile(file, maxFileBytes)).split('\n');
  const last = lines.findLast((line) => line.includes('"total_token_usage"'));
  if (last === undefined) return undefined;
  const total = /"total_token_usage":(\{[^{}]*\})/.exec(last)?.[1];
  return total === undefined ? undefined : parseUsage(JSON.parse(total));
}

/** Looks a thread up by the name that the user gave it. The latest entry counts, because a name can move. */
export async function findThreadByName(codexHome: string, name: string): Promise<string | undefined> {
  const index = await readRegularFile(join(codexHome, 'session_index.jsonl'), maxFileBytes).catch(() => '');
  const names = new Map<unknown, unknown>();
  for (const entry of index.split('\n').map(parseObject)) names.set(entry?.['id'], entry?.['thread_name']);
  const [id] = [...names].findLast(([, given]) => given === name) ?? [];
  return typeof id === 'string' ? id : undefined;
}

/** Searches the year/month/day folders, newest first, because recent threads are the ones usually resumed. */
async function findRollout(folder: string, threadId: string, depth = 3): Promise<string | undefined> {
  const names = (await disk.readdir(folder).catch(() => [])).sort().reverse();
  if (depth === 0) {
    const name = names.find((candidate) => candidate.endsWith(`-${threadId}.jsonl`));
    return name && join(folder, name);
  }
  for (const name of names) {
    const found = await findRollout(join(folder, name), threadId, depth - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
