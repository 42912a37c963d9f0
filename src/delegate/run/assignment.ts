import { resolve } from 'node:path';
import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { isObject, present } from '../../json.ts';
import type { RunDirectory } from '../workspace/run-directory.ts';
import { answerSchema } from './answer.ts';
import { approvalLifetime } from './approvers.ts';
import type { DelegateOptions } from './delegate-options.ts';
import { type Caller, grantSandbox, mayAsk, type OverrideRights, overrideRights } from './permissions.ts';
import type { RunRequest } from './run-request.ts';
import type { ForkInput, ResumeInput, RunInput, StartingTool } from './run-schema.ts';
import { type SkillSelection, selectSkills } from './skill-selection.ts';
import { asSkill, discoverSkills, skillFolders } from './skills.ts';
import { composePrompt, continuation } from './subagent-prompt.ts';
import { earlierWork, refuseUnknownThread, type Target } from './thread.ts';

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
  const { runDir } = target;
  const { notes, ...work } =
    runDir === undefined ? { notes: [] } : await earlierWork({ runDir, cwd, sandbox: granted.sandbox, fork });
  // The document has no tool that applies changes.
  if (!options.document) warnings.push(...notes);
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
    apply: options.document ? 'auto' : (input.apply ?? options.apply),
    ...work,
    ...((options.document || input.approvals !== 'never') && mayAsk(granted.sandbox, caller, options)
      ? { approvals: 'ask', ...present({ approvalTimeoutMs: await approvalLifetime(options) }) }
      : { approvals: 'never' }),
    ...(!options.document && input.budget !== undefined && { budget: input.budget }),
    ...(threadId !== undefined && { threadId }),
    ...(fork && { fork }),
    ...(input.model !== undefined && { model: input.model }),
    ...(effort !== undefined && { reasoningEffort: effort }),
    configOverrides: overrides,
    skipGitRepoCheck: input.skip_git_repo_check,
    skills: input.skills_mode === 'auto' ? 'all' : 'named',
    reads: skillFolders(selection.selected),
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
  { codexHome, userHome, librarySkills }: DelegateOptions,
): Promise<SkillSelection> {
  const index = await discoverSkills({
    cwd,
    codexHome,
    userHome,
    includeRepo: input.include_repo_skills,
    includeGlobal: input.include_global_skills,
    library: await librarySkills?.(),
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

/** Keys that set an agent's permissions, or that name programs or folders outside its sandbox. */
const protectedKeys =
  /^(sandbox|permissions|default_permissions|approval|notify|hooks|mcp|projects?$|profile|agents|apps|plugins|marketplaces|windows|network|experimental_network|exec_policy|rules|zsh_path|js_repl|allow_login_shell|otel|shell_environment_policy|log_dir|sqlite_home|cli_auth|features$)/i;
const harmlessFeatures = /^features\.(goals|multi_agent|collab|web_search\w*)$/;
/** Keys that name programs, which Codex starts outside any sandbox. */
const programKeys = words('command|cmd|args|program|executable|script|hooks?|helper|auth');
/** Keys that set the address of the model or the credentials sent to it. */
const addressKeys = words(
  'urls?|uri|endpoint|address|hosts?|port|proxy|socket|env|environment|headers?|bearer|credentials?|secret|password|key|certs?|ca',
);

function words(alternatives: string): RegExp {
  return new RegExp(`(^|[_-])(${alternatives})([_-]|$)`, 'i');
}

/** A single value in an override, with the path of keys to it. */
interface Leaf {
  readonly keys: readonly string[];
  readonly value: unknown;
}

/** Real overrides are short, and parsing long ones as TOML would keep the server busy for seconds. */
const maxOverridesLength = 16 * 1024;

interface CheckedOverrides {
  readonly allowed: readonly string[];
  /** One for each override that was dropped. */
  readonly warnings: readonly string[];
}

/**
 * Checks overrides against the rights of the caller. Overrides are parsed as Codex parses them, because an escape sequence
 * can hide a key. Text that Codex might parse differently needs the rights for everything.
 */
export async function checkOverrides(
  overrides: readonly string[],
  rights: OverrideRights,
): Promise<CheckedOverrides> {
  if (overrides.join('').length > maxOverridesLength)
    throw new Failure('refused', `The config overrides are longer than ${maxOverridesLength} characters.`);
  const [allowed, warnings]: [string[], string[]] = [[], []];
  for (const override of overrides) {
    const problem = await findProblem(override, rights);
    if (problem === undefined) allowed.push(override);
    else if (rights.drop) warnings.push(`${problem} It was not passed on.`);
    else throw new Failure('refused', `${problem} Set it in the agent's own settings instead.`);
  }
  return { allowed, warnings };
}

async function findProblem(override: string, rights: OverrideRights): Promise<string | undefined> {
  const at = override.indexOf('=');
  const key = override.slice(0, Math.max(at, 0)).trim();
  if (key === '')
    throw new Failure(
      'refused',
      `The config override ${JSON.stringify(override)} is not of the form key=value.`,
    );
  const parsed = await parseOverride(key, override.slice(at + 1).trim());
  if (typeof parsed === 'string')
    return rights.programs
      ? undefined
      : `The config override ${JSON.stringify(override)} is refused: ${parsed}.`;
  for (const { keys, value } of listLeaves(parsed)) {
    const reason = reasonToRefuse(keys, value, rights);
    if (reason !== undefined) return `The config override ${keys.join('.')} is refused: ${reason}.`;
  }
  return undefined;
}

function reasonToRefuse(keys: readonly string[], value: unknown, rights: OverrideRights): string | undefined {
  const [root = ''] = keys;
  const name = keys.join('.');
  // Disabling an MCP server can only reduce what the agent may do.
  const disablesServer = /^mcp_servers\.[\w-]+\.enabled$/.test(name) && value === false;
  if (!rights.programs) {
    if (protectedKeys.test(root) && !disablesServer && !harmlessFeatures.test(name))
      return 'it could widen the permissions of the run';
    if (keys.some((key) => programKeys.test(key))) return 'it could start a program outside the sandbox';
  }
  const setsAddress = keys.some((key) => addressKeys.test(key)) || isAddress(value);
  return setsAddress && !rights.addresses ? 'it could send data or keys to another address' : undefined;
}

function isAddress(value: unknown): boolean {
  return typeof value === 'string' && /^\s*[a-z][a-z\d+.-]*:\/\//i.test(value);
}

function listLeaves({ keys, value }: Leaf): Leaf[] {
  const inner: [string[], unknown][] = Array.isArray(value)
    ? value.map((item) => [[], item])
    : isObject(value)
      ? Object.entries(value).map(([key, item]) => [[key], item])
      : [];
  return inner.length === 0
    ? [{ keys, value }]
    : inner.flatMap(([more, item]) => listLeaves({ keys: [...keys, ...more], value: item }));
}

/**
 * Codex splits an override at the first `=`, splits the key at every dot, even in quotes, and parses the rest as TOML.
 * Returns the reason if that is ambiguous.
 */
async function parseOverride(key: string, text: string): Promise<Leaf | string> {
  const keys = key.split('.');
  if (!keys.every((part) => /^[\w-]+$/.test(part)))
    return 'its key must consist of plain names separated by dots, without quotation marks';
  const { parse } = await import('smol-toml');
  try {
    const { value, ...others } = parse(`value = ${text}`);
    if (Object.keys(others).length === 0) return { keys, value };
  } catch {
    // Codex treats invalid TOML as a string. Without these characters, no TOML parser reads it as anything else.
    if (!/["'[\]{}#=\\\p{Cc}]/u.test(text)) return { keys, value: text };
  }
  return 'its value is not one valid TOML value';
}
