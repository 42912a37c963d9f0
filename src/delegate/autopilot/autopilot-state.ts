import { promises as disk } from 'node:fs';
import { join } from 'node:path';
import type { Usage } from '../agents/agent.ts';
import { readJson } from '../files/json-file.ts';
import type { RunDirectory } from '../files/run-directory.ts';
import type { AutopilotRequest } from './autopilot.ts';
import type { JobSpec } from './job-spec.ts';

/** A hidden file that exists while the autopilot is in progress. */
const file = '.autopilot.json';
/** An autopilot that crashes every host must not be continued for ever. */
const maxHosts = 4;
/** Later than this, the working folder may have changed too much to continue. */
const resumeWindowMs = 60 * 60_000;

/** What another host needs to continue an autopilot. */
export interface AutopilotState {
  readonly request: AutopilotRequest;
  readonly plannerUsage: readonly (Usage | null)[];
  /** How many hosts have carried the autopilot so far. */
  readonly hosts: number;
}

/** Saves the state, unless the request or a job contains a secret: redacted, they could not be run again. */
export async function saveState(
  directory: RunDirectory,
  state: AutopilotState,
  jobs: readonly JobSpec[] = [],
): Promise<void> {
  if (directory.isClean([state, jobs])) await directory.writeJson(file, state);
  else await deleteState(directory);
}

/** Returns `undefined` if the autopilot cannot be continued, or no longer. */
export async function loadResumableState(directory: string): Promise<AutopilotState | undefined> {
  const state = (await readJson(join(directory, file))) as AutopilotState | undefined;
  if (state === undefined || state.hosts >= maxHosts) return undefined;
  return Date.now() - (await lastActivity(directory)) < resumeWindowMs ? state : undefined;
}

export async function deleteState(directory: RunDirectory): Promise<void> {
  await disk.rm(directory.file(file), { force: true });
}

/** The time of the last change by the autopilot or an agent. */
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
