import { existsSync, lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../../failure.ts';
import type { JsonObject } from '../../json.ts';
import type { AgentCall, Invocation } from './agent.ts';
import type { CodexPermissions } from './codex-settings.ts';
import type { AppServerOptions } from './protocols/app-server.ts';

type Command = Pick<Invocation, 'args' | 'subcommandArgs' | 'conversation'>;

/** The command line of `codex exec`. */
export function execCommand(
  call: AgentCall,
  permissions: CodexPermissions,
  finalOverrides: readonly string[],
): Command {
  if (call.fork !== undefined)
    throw new Failure('refused', 'This version of Codex cannot fork a thread for Adjutant; update Codex.');
  const subcommandArgs = call.threadId === undefined ? [] : ['resume', call.threadId];
  return {
    args: [
      'exec',
      // A resumed thread does not restore folder and sandbox, and codex does not accept these options after the subcommand.
      '-C',
      call.cwd,
      ...permissions.args,
      '--json',
      '--output-schema',
      call.outputSchemaFile,
      '-o',
      call.lastMessageFile,
      ...(call.skipGitRepoCheck ? ['--skip-git-repo-check'] : []),
      ...(call.ephemeral ? ['--ephemeral'] : []),
      ...overrideArguments(call, finalOverrides),
      ...subcommandArgs,
      '-',
    ],
    subcommandArgs,
  };
}

/** The command line of `codex app-server`, with the same settings, and its first request. */
export function appServerCommand(
  call: AgentCall,
  permissions: CodexPermissions,
  finalOverrides: readonly string[],
): Command {
  const { cwd, threadId, ephemeral, fork } = call;
  // `codex exec` makes this check itself.
  if (!call.skipGitRepoCheck && !isInRepository(cwd))
    throw new Failure(
      'refused',
      'Not inside a trusted directory and --skip-git-repo-check was not specified: the folder is not in a git repository; pass skip_git_repo_check.',
    );
  const start = {
    cwd,
    approvalPolicy: call.approvals === 'ask' ? 'on-request' : 'never',
    ...permissions.thread,
  };
  const more: JsonObject = { ...start, threadId, excludeTurns: true };
  const options: Pick<AppServerOptions, 'method' | 'params'> =
    threadId === undefined
      ? { method: 'thread/start', params: { ...start, ephemeral } }
      : fork === undefined
        ? { method: 'thread/resume', params: more }
        : { method: 'thread/fork', params: { ...more, ephemeral, lastTurnId: fork.lastTurnId } };
  return {
    args: ['app-server', ...overrideArguments(call, finalOverrides)],
    subcommandArgs: threadId === undefined ? [] : [fork === undefined ? 'resume' : 'fork', threadId],
    conversation: { protocol: 'app-server', options: { ...options, turn: {} } },
  };
}

/** An empty `.git` folder does not count: sandboxes leave some behind. */
function isInRepository(cwd: string): boolean {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const git = join(folder, '.git');
    if (existsSync(join(git, 'HEAD')) || lstatSync(git, { throwIfNoEntry: false })?.isFile()) return true;
    if (dirname(folder) === folder) return false;
  }
}

function overrideArguments(call: AgentCall, finalOverrides: readonly string[]): readonly string[] {
  return [
    ...(call.model === undefined ? [] : [`model=${JSON.stringify(call.model)}`]),
    ...call.configOverrides,
    ...(call.reasoningEffort === undefined
      ? []
      : [`model_reasoning_effort=${JSON.stringify(call.reasoningEffort)}`]),
    // With this feature, codex would wait forever for an unreachable provider.
    ...['unbounded_connection_retries', ...call.disable].map((feature) => `features.${feature}=false`),
    'skills.bundled.enabled=false',
    ...(call.skills === 'named' ? ['skills.include_instructions=false'] : []),
    ...finalOverrides,
  ].flatMap((override) => ['-c', override]);
}
