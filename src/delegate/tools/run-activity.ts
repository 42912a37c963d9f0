import { promises as disk } from 'node:fs';
import { join } from 'node:path';
import type { AgentEvent } from '../agents/agent.ts';
import type { AutopilotOutput } from '../autopilot/autopilot-output.ts';
import { EventFile } from '../run/event-file.ts';
import { RunProgress } from '../run/run-progress.ts';

/** Clients poll, so only the end of a long log is read. */
const tailBytes = 256 * 1024;

/** Says what the agent of a run directory is doing at the moment. */
export async function agentActivity(
  path: string,
  parse: (raw: string) => readonly AgentEvent[],
): Promise<string> {
  const file = join(path, 'events.jsonl');
  const size = (await disk.stat(file).catch(() => undefined))?.size ?? 0;
  const start = Math.max(0, size - tailBytes);
  const progress = new RunProgress();
  // The beginning of a long log is left out, but the agent has started.
  if (start > 0) progress.turns = 1;
  for await (const raw of new EventFile(file, start).lines())
    for (const event of parse(raw)) progress.apply(event);
  return progress.activity();
}

/** Says which jobs of an autopilot are in progress and what each is doing. */
export async function autopilotActivity(
  { jobs }: AutopilotOutput,
  activityOf: (path: string) => Promise<string>,
): Promise<string> {
  if (jobs.length === 0) return 'planning the jobs';
  const running = jobs.filter(({ status }) => status === 'running');
  const waiting = jobs.filter(({ status }) => status === 'waiting').length;
  const finished = jobs.length - running.length - waiting;
  const activities = await Promise.all(
    running.map(async ({ title, run_dir }) => `${title}: ${await activityOf(run_dir)}`),
  );
  return [`${finished} of ${jobs.length} jobs finished`, ...activities].join('; ');
}
