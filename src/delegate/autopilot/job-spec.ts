import type { AgentName } from '../agents/agent.ts';
import type { AutopilotSettings } from '../settings/autopilot-settings.ts';
import type { SkillMode } from '../skills/skill-selection.ts';
import type { PlannedJob } from './plan.ts';

/** A planned job with the settings of its agent, as stored in the plan file and sent to clients. */
export interface JobSpec extends Omit<PlannedJob, 'skills'> {
  readonly skills_mode: SkillMode;
  readonly skills?: readonly string[];
  readonly max_skills: number;
  readonly model?: string;
  readonly reasoning_effort?: string;
  readonly config_overrides?: readonly string[];
}

export interface JobSetup extends Pick<AutopilotSettings, 'models' | 'efforts'> {
  /** The configured agent, which the models and efforts are for. */
  readonly agent: AgentName;
  readonly skillsMode: SkillMode;
  /** The skills named by the caller. */
  readonly skills: readonly string[];
  readonly maxSkills: number;
}

/** Applies the settings for a job's thinking level and the caller's choice of skills. */
export function specify({ skills, ...job }: PlannedJob, setup: JobSetup): JobSpec {
  const isConfigured = (job.agent ?? setup.agent) === setup.agent;
  const model = isConfigured ? setup.models[job.thinking_level] : undefined;
  const effort = isConfigured ? setup.efforts[job.thinking_level] : undefined;
  return {
    ...job,
    ...chooseSkills(skills, setup),
    max_skills: setup.maxSkills,
    ...(model !== undefined && { model }),
    ...(effort !== undefined &&
      (setup.agent === 'codex'
        ? { config_overrides: [`model_reasoning_effort=${JSON.stringify(effort)}`] }
        : { reasoning_effort: effort })),
  };
}

function chooseSkills(
  planned: readonly string[] | undefined,
  { skillsMode, skills, maxSkills }: JobSetup,
): Pick<JobSpec, 'skills_mode' | 'skills'> {
  if (skillsMode === 'explicit') return { skills_mode: 'explicit', skills };
  if (skillsMode === 'none' || planned?.length === 0) return { skills_mode: 'none' };
  if (planned === undefined) return { skills_mode: 'auto' };
  return { skills_mode: 'explicit', skills: planned.slice(0, maxSkills) };
}
