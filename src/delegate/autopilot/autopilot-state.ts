import { promises as disk } from 'node:fs';
import { join } from 'node:path';
import type { Usage } from '../agents/agent.ts';
import { readJson } from '../files/json-file.ts';
import type { RunDirectory } from '../files/run-directory.ts';
import type { AutopilotRequest } from './autopilot.ts';
import type { JobSpec } from './job-spec.ts';

/** Hidden, and only there while the autopilot is: what another server needs to go on with it. */
const file = '.flight.json';
/** An autopilot that brings down every server that takes it up must come to an end. */
const mostServers = 3;
/** Whoever comes later finds a world that has moved on. */
const waitMs = 2 * 60_000;

export interface AutopilotState {
  readonly flight: AutopilotRequest;
  readonly plannerUsage: readonly (Usage | null)[];
  /** How many have been at it. */
  readonly servers: number;
}

/** A plan with a secret in it, or in its jobs, is not kept: what is written down is not what has to be done. */
export async function saveState(
  directory: RunDirectory,
  plan: AutopilotState,
  jobs: readonly JobSpec[] = [],
): Promise<void> {
  if (directory.isClean([plan, jobs])) await directory.writeJson(file, plan);
}

/** `undefined` where the autopilot cannot be gone on with, or not any more. */
export async function loadResumableState(directory: string): Promise<AutopilotState | undefined> {
  const plan = (await readJson(join(directory, file))) as AutopilotState | undefined;
  if (plan === undefined || plan.servers >= mostServers) return undefined;
  return Date.now() - (await lastStep(directory)) < waitMs ? plan : undefined;
}

/** For an autopilot whose last agents are still at work: somebody is there to go on with it when they are done. */
export async function extendResumeWindow(directory: string): Promise<void> {
  if ((await loadResumableState(directory)) === undefined) return;
  const now = new Date();
  await disk.utimes(join(directory, file), now, now).catch(() => {});
}

export async function deleteState(directory: RunDirectory): Promise<void> {
  await disk.rm(directory.file(file), { force: true });
}

/** Jobs go on while no server looks, so the last word of each counts; their results may be written much later. */
async function lastStep(directory: string): Promise<number> {
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
