import { promises as disk } from 'node:fs';
import { join } from 'node:path';
import type { Usage } from '../agents/agent.ts';
import { readJson } from '../files/json-file.ts';
import type { RunDirectory } from '../files/run-directory.ts';
import type { AutopilotRequest } from './autopilot.ts';
import type { JobSpec } from './job-spec.ts';

/** A hidden file that exists while the autopilot is in progress. Its name and keys must not change: other versions read it. */
const file = '.flight.json';
/** An autopilot that crashes every server that resumes it must not be resumed for ever. */
const maxServers = 3;
/** Later than this, the working folder may have changed too much to resume. */
const resumeWindowMs = 2 * 60_000;

/** What another server needs to resume an autopilot. */
export interface AutopilotState {
  readonly request: AutopilotRequest;
  readonly plannerUsage: readonly (Usage | null)[];
  /** How many servers have run the autopilot so far. */
  readonly servers: number;
}

/** Saves the state, unless the request or a job contains a secret: redacted, they could not be run again. */
export async function saveState(
  directory: RunDirectory,
  { request, ...state }: AutopilotState,
  jobs: readonly JobSpec[] = [],
): Promise<void> {
  const saved = { flight: request, ...state };
  if (directory.isClean([saved, jobs])) await directory.writeJson(file, saved);
}

/** Returns `undefined` if the autopilot cannot be resumed, or no longer. */
export async function loadResumableState(directory: string): Promise<AutopilotState | undefined> {
  const saved = await readJson(join(directory, file));
  if (saved === undefined) return undefined;
  const { flight: request, ...state } = saved as unknown as Omit<AutopilotState, 'request'> & {
    readonly flight: AutopilotRequest;
  };
  if (state.servers >= maxServers) return undefined;
  return Date.now() - (await lastActivity(directory)) < resumeWindowMs ? { request, ...state } : undefined;
}

/** Keeps an autopilot resumable while its last agents are still running without a server. */
export async function extendResumeWindow(directory: string): Promise<void> {
  if ((await loadResumableState(directory)) === undefined) return;
  const now = new Date();
  await disk.utimes(join(directory, file), now, now).catch(() => {});
}

export async function deleteState(directory: RunDirectory): Promise<void> {
  await disk.rm(directory.file(file), { force: true });
}

/** The time of the last change. Agents write events without a server too, so their event files count. */
async function lastActivity(directory: string): Promise<number> {
  const jobs = await disk.readdir(join(directory, 'subruns')).catch(() => []);
  const files = [
    file,
    'autopilot_aggregate.json',
    ...jobs.map((job) => join('subruns', job, 'events.jsonl')),
  ];
  const times = files.map(
    async (name) => (await disk.stat(join(directory, name)).catch(() => undefined))?.mtimeMs,
  );
  return Math.max(0, ...(await Promise.all(times)).map((time) => time ?? 0));
}
