import { Failure } from '../../failure.ts';
import { composePrompt } from '../delegation/subagent-prompt.ts';
import type { RunDirectory } from '../files/run-directory.ts';
import { answerSchema } from '../record/answer.ts';
import type { RunRequest } from '../record/run-request.ts';
import { selectSkills } from '../skills/skill-selection.ts';
import type { IndexedSkill } from '../skills/skills.ts';
import type { JobResult } from './autopilot-output.ts';
import { jobPrompt } from './job-prompt.ts';
import type { JobSpec } from './job-spec.ts';

export interface JobRequestOptions {
  /** The task of the whole autopilot. */
  readonly task: string;
  /** The working folder of the autopilot. */
  readonly cwd: string;
  readonly skills: readonly IndexedSkill[];
  readonly skipGitRepoCheck: boolean;
  /** True if writing jobs may ask people for permission. */
  readonly mayAsk: boolean;
}

/** Selects the skills for a job and composes the request for its agent. */
export async function createJobRequest(
  job: JobSpec,
  dependencies: readonly JobResult[],
  subrun: RunDirectory,
  cwd: string,
  { task, skills, skipGitRepoCheck, mayAsk }: JobRequestOptions,
): Promise<RunRequest> {
  const selection = await selectSkills(
    {
      mode: job.skills_mode === 'auto' && skills.length === 0 ? 'none' : job.skills_mode,
      task: `${job.title}\n${task}`,
      requested: job.skills ?? [],
      maxSkills: job.max_skills,
    },
    skills,
  );
  await subrun.writeJson('selected_skills.json', selection);
  if (selection.errors.length > 0) throw new Failure('refused', selection.errors.join('; '));
  return {
    directory: subrun,
    tool: 'delegate_autopilot',
    prompt: composePrompt({
      role: job.role,
      cwd,
      task: jobPrompt(job, task, dependencies),
      skills: selection.selected,
      context: `Autopilot job: ${job.title} (${job.id})`,
    }),
    outputSchema: answerSchema,
    cwd,
    sandbox: job.sandbox,
    approvals: mayAsk && job.sandbox === 'workspace-write' ? 'ask' : 'never',
    ...(job.agent !== undefined && { agent: job.agent }),
    ...(job.model !== undefined && { model: job.model }),
    ...(job.reasoning_effort !== undefined && { reasoningEffort: job.reasoning_effort }),
    configOverrides: job.config_overrides ?? [],
    skipGitRepoCheck,
    skills: job.skills_mode === 'auto' ? 'all' : 'named',
  };
}
