import { resolve } from 'node:path';
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
): Promise<RunRequest> {
  const cwd = resolve(input.cwd);
  const rights = await overrideRights(cwd, caller, options);
  const { allowed: overrides, ...dropped } = await checkOverrides(input.config_overrides ?? [], rights);
  const granted = await grantSandbox(input.sandbox, cwd, caller, options);
  const warnings = [...(granted.warning === undefined ? [] : [granted.warning]), ...dropped.warnings];
  const { task, role } = await expandFromLibrary(input, options, warnings);
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

/** Expands a task of the form `:command text`, and adds the prompt that the role names, if there is one. */
export async function expandFromLibrary(
  input: { readonly task?: string; readonly role: string },
  { expandPrompt }: DelegateOptions,
  warnings: string[],
): Promise<{ task: string; role: string }> {
  const task = input.task ?? '';
  const [, command, text = ''] = /^:([\w./-]+)(?:\s+([\s\S]*))?$/.exec(task) ?? [];
  const expanded = command === undefined ? undefined : await expandPrompt?.(command, text);
  if (command !== undefined && expanded === undefined && expandPrompt !== undefined)
    warnings.push(`There is no prompt "${command}"; the task was used unchanged.`);
  const rolePrompt = await expandPrompt?.(input.role, '').catch(() => undefined);
  return {
    task: expanded ?? task,
    role: rolePrompt === undefined ? input.role : `${input.role}\n${rolePrompt.trim()}\n`,
  };
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
