import { resolve } from 'node:path';
import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import type { RunDirectory } from '../files/run-directory.ts';
import { answerSchema } from '../record/answer.ts';
import type { RunRequest } from '../record/run-request.ts';
import type { DelegateOptions } from '../settings/delegate-options.ts';
import { type SkillSelection, selectSkills } from '../skills/skill-selection.ts';
import { asSkill, discoverSkills } from '../skills/skills.ts';
import { checkOverrides } from './overrides.ts';
import { type Caller, grantSandbox, mayAsk, overrideRights } from './permissions.ts';
import type { ForkInput, ResumeInput, RunInput, StartingTool } from './run-schema.ts';
import { composePrompt, continuation } from './subagent-prompt.ts';
import { refuseUnknownThread, type Target } from './thread.ts';

type Input = RunInput | ResumeInput | ForkInput;

/** Turns a tool call into a run request. Throws a `refused` failure if the caller lacks the permissions. */
export async function createRunRequest(
  tool: StartingTool,
  input: Input,
  directory: RunDirectory,
  caller: Caller,
  options: DelegateOptions,
  target: Target,
  { task, role }: Texts,
): Promise<RunRequest> {
  const cwd = resolve(input.cwd);
  const rights = await overrideRights(cwd, caller, options);
  const { allowed: overrides, ...dropped } = await checkOverrides(input.config_overrides ?? [], rights);
  const granted = await grantSandbox(input.sandbox, cwd, caller, options);
  const warnings = [...(granted.warning === undefined ? [] : [granted.warning]), ...dropped.warnings];
  const { agent, threadId } = target;
  refuseUnknownThread(target, options);
  const fork = 'fork' in input ? input.fork : undefined;
  const selection = await chooseSkills(directory, input, task, cwd, options);
  if (selection.errors.length > 0)
    throw new Failure('refused', `${selection.errors.join('; ')}; ${agent} was not started`);
  const effort = effortFor(input, overrides, agent === options.agent ? options.reasoningEffort : undefined);
  return {
    directory,
    tool,
    agent,
    prompt: composePrompt({
      role,
      cwd,
      task: task.trim() === '' ? continuation : task,
      skills: selection.selected,
      ...(threadId !== undefined && {
        context: `${fork === undefined ? 'Resume' : 'Forked from'} thread_id: ${threadId}`,
        followUp: true,
      }),
    }),
    outputSchema: answerSchema,
    cwd,
    sandbox: granted.sandbox,
    approvals: mayAsk(granted.sandbox, caller, options) ? 'ask' : 'never',
    ...(threadId !== undefined && { threadId }),
    ...(fork && { fork }),
    ...(input.model !== undefined && { model: input.model }),
    ...(effort !== undefined && { reasoningEffort: effort }),
    configOverrides: overrides,
    skipGitRepoCheck: input.skip_git_repo_check,
    skills: input.skills_mode === 'auto' ? 'all' : 'named',
    warnings,
  };
}

function effortFor(
  input: Input,
  overrides: readonly string[],
  configured: string | undefined,
): string | undefined {
  const overridden = overrides.some((override) => /^\s*model_reasoning_effort\s*=/.test(override));
  return input.reasoning_effort ?? (overridden ? undefined : configured);
}

/** What the agent is told to do and to be, with the prompts of the library that the caller names. */
export interface Texts {
  readonly task: string;
  readonly role: string;
}

/** Expands a task of the form `:name text`, and adds the prompt that the role names, if there is one. May ask the person. */
export async function expandTexts(
  { task = '', role }: { readonly task?: string; readonly role: string },
  { expandText }: DelegateOptions,
  context: Context,
): Promise<Texts> {
  const expanded = await expandText?.(task, {}, context);
  const prompt = /\s/.test(role) ? undefined : await describeRole(role, expandText, context);
  return { task: expanded ?? task, role: prompt === undefined ? role : `${role}\n${prompt.trim()}\n` };
}

/** `undefined` if the role is plain text: most roles are words such as "specialist", not prompts. */
async function describeRole(
  role: string,
  expandText: DelegateOptions['expandText'],
  context: Context,
): Promise<string | undefined> {
  try {
    return await expandText?.(`:${role}`, {}, context, { asks: false });
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

async function chooseSkills(
  directory: RunDirectory,
  input: Input,
  task: string,
  cwd: string,
  { codexHome, userHome }: DelegateOptions,
): Promise<SkillSelection> {
  const index = await discoverSkills({
    cwd,
    codexHome,
    userHome,
    includeRepo: input.include_repo_skills,
    includeGlobal: input.include_global_skills,
  });
  const hasNoTask = input.skills_mode === 'auto' && task.trim() === '';
  const selection = await selectSkills(
    {
      mode: hasNoTask ? 'none' : input.skills_mode,
      task,
      requested: input.skills ?? [],
      maxSkills: input.max_skills,
    },
    index.skills,
  );
  const warning = 'skills_mode=auto ignored because delegate_resume task is empty; selected_skills is empty.';
  const reported = hasNoTask ? { ...selection, warnings: [warning] } : selection;
  await directory.writeJson('skills_index.json', { roots: index.roots, skills: index.skills.map(asSkill) });
  await directory.writeJson('selected_skills.json', reported);
  return reported;
}
