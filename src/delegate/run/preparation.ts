import { promises as disk } from 'node:fs';
import { Failure } from '../../failure.ts';
import type { Agent, Invocation } from '../agents/agent.ts';
import type { RunRequest } from '../record/run-request.ts';

/** Writes the prompt, the output schema and the command line into the run directory. Returns the command to start. */
export async function prepareRun(agent: Agent, request: RunRequest, isLive: boolean): Promise<Invocation> {
  const { directory, cwd } = request;
  const stats = await disk.stat(cwd).catch(() => undefined);
  if (stats === undefined) throw new Failure('refused', `the working folder ${cwd} does not exist`);
  if (!stats.isDirectory()) throw new Failure('refused', `the working folder ${cwd} is not a folder`);
  await directory.writeText('subagent_prompt.txt', request.prompt);
  await directory.writeJson('subagent_output.schema.json', request.outputSchema);
  const { configOverrides = [], skipGitRepoCheck = false } = request;
  const invocation = await agent.invoke({
    cwd,
    ...(request.origin !== undefined && { origin: request.origin }),
    sandbox: request.sandbox,
    ...(request.threadId !== undefined && { threadId: request.threadId }),
    ...(request.model !== undefined && { model: request.model }),
    ...(request.reasoningEffort !== undefined && { reasoningEffort: request.reasoningEffort }),
    configOverrides,
    skipGitRepoCheck,
    ephemeral: request.ephemeral ?? false,
    skills: request.skills ?? 'all',
    disable: request.disable ?? [],
    outputSchemaFile: directory.file('subagent_output.schema.json'),
    lastMessageFile: directory.file('last_message.json'),
    isLive,
    approvals: request.approvals ?? 'never',
    ...(request.fork && { fork: request.fork }),
  });
  await directory.writeJson('codex_exec.json', {
    argv: [invocation.command, ...invocation.args],
    run_dir: directory.path,
    codex_cwd: cwd,
    sandbox: request.sandbox,
    skip_git_repo_check: skipGitRepoCheck,
    config_overrides: configOverrides,
    subcommand_args: invocation.subcommandArgs,
    prompt_via_stdin: true,
    agent: agent.name,
    ...(request.model !== undefined && { model: request.model }),
    ...(invocation.session && {
      protocol: invocation.session.protocol,
      session: invocation.session.options,
      prompt_via_stdin: false,
    }),
    warnings: request.warnings ?? [],
  });
  return invocation;
}
