import { promises as disk, existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Failure } from '../../failure.ts';
import type { Sandbox } from '../agents/sandbox.ts';
import { readJson } from '../process/json-file.ts';
import { changesState, hasJournal } from '../workspace/journal.ts';
import { workspaceFolder } from '../workspace/workspace.ts';
import type { RunRequest } from './run-request.ts';
import { hasEnd } from './run-state.ts';

/** A run that continues or forks the thread of an earlier one. */
interface FollowUp {
  /** The directory of the last run of the thread. */
  readonly runDir: string;
  readonly cwd: string;
  readonly sandbox: Sandbox;
  readonly fork: RunRequest['fork'];
}

type EarlierWork = Pick<RunRequest, 'continues' | 'sharedBy'> & { readonly notes: readonly string[] };

/**
 * A run that goes on sees what the run before it has changed: it takes its changes over, or, if it only reads or is a fork, looks
 * at them. If it cannot see changes that wait, a note says so.
 */
export async function earlierWork({ runDir, cwd, sandbox, fork }: FollowUp): Promise<EarlierWork> {
  const { path, id } = await ownerOf(runDir);
  const storage = join(path, workspaceFolder);
  const state = await changesState(storage);
  const isWaiting = state === 'waiting' || state === 'branch';
  const isWriting = sandbox === 'workspace-write' && fork === undefined;
  // Whether a run in progress leaves changes that wait is not known yet.
  if (isWriting && !(isWaiting && hasEnd(path))) return { continues: path, notes: [] };
  if (!isWaiting) return { notes: [] };
  const origin = (await readJson(join(storage, 'workspace.json')))?.['origin'];
  const isSame = !hasEnd(path) || origin === (await disk.realpath(cwd).catch(() => cwd));
  // What the agent knows of a part of the earlier run does not fit all its changes.
  const isReading = sandbox === 'read-only' && fork?.lastTurnId === undefined;
  if (isSame && isWriting && !hasJournal(storage)) return { continues: path, notes: [] };
  if (isSame && isReading) return { sharedBy: { id, path }, notes: [] };
  const place = state === 'branch' ? 'on a branch' : 'waiting to be applied';
  return {
    notes: [
      `This run does not see the changes of run ${id}, which are ${place}. "adjutant runs apply ${id}" applies them, and "adjutant runs diff ${id}" shows them.`,
    ],
  };
}

/** The run with the changes: the run itself, or the autopilot whose jobs work in one workspace. */
async function ownerOf(runDir: string): Promise<{ readonly path: string; readonly id: string }> {
  const jobs = dirname(runDir);
  if (basename(jobs) !== 'subruns') return { path: runDir, id: basename(runDir) };
  const autopilot = dirname(jobs);
  const id = basename(autopilot);
  const job = `${id}/${basename(runDir)}`;
  if (existsSync(join(runDir, workspaceFolder)) || !existsSync(join(autopilot, workspaceFolder)))
    return { path: runDir, id: job };
  if (!hasEnd(autopilot))
    throw new Failure(
      'refused',
      `The changes of ${job} are in the workspace of the autopilot ${id}, which is still in progress. Wait until it has ended.`,
    );
  return { path: autopilot, id };
}
