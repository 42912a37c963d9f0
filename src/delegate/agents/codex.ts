import { capture } from '../launch/launch.ts';
import type { Agent, AgentCall, Invocation } from './agent.ts';
import { disableOwnServers, type OwnEntry } from './codex-config.ts';
import { parseEvent } from './codex-events.ts';
import { readThreadUsage } from './codex-thread.ts';
import { projectTrust } from './codex-trust.ts';
import { findExecutable, readVersion, resolveNpmShim } from './executable.ts';

export interface CodexOptions {
  /** Path or name of the program. Default: the native program that the `codex` on the PATH starts. */
  readonly command: string | undefined;
  readonly codexHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly ownEntry: OwnEntry;
}

const installHint = 'install it with "npm install -g @openai/codex" or set delegate.command to its path.';

/** Runs `codex exec`, which reads the prompt from standard input and writes events to standard output. */
export function createCodex({ command, codexHome, env, ownEntry }: CodexOptions): Agent {
  let lookup: Promise<string> | undefined;
  let sandboxResult: Promise<boolean> | undefined;
  const executable = () => {
    lookup ??=
      command === undefined
        ? findExecutable('codex', env, installHint).then(resolveNpmShim)
        : findExecutable(command, env, installHint);
    // Do not cache a failed lookup: the user may install codex while the server runs.
    lookup.catch(() => {
      lookup = undefined;
    });
    return lookup;
  };
  return {
    name: 'codex',
    label: 'codex exec',
    testedVersion: '0.166.0',
    usageCovers: 'thread',
    async invoke(call) {
      const trust = await projectTrust(codexHome, call.cwd);
      const disabledServers = await disableOwnServers(codexHome, call.cwd, ownEntry);
      const finalOverrides = [disabledServers, trust.override].filter((override) => override !== undefined);
      return {
        command: await executable(),
        ...buildArguments(call, finalOverrides),
        env: { CODEX_HOME: codexHome },
        // A resumed thread already contains the instructions.
        ...(trust.instructions !== undefined &&
          call.threadId === undefined && { preamble: trust.instructions }),
      };
    },
    parse: parseEvent,
    explain,
    version: async () => readVersion(await executable(), env),
    threadTotal: (threadId) => readThreadUsage(codexHome, threadId),
    async confine(sandbox) {
      const args = ['sandbox', '-c', `sandbox_mode=${JSON.stringify(sandbox)}`, '--'];
      return { command: await executable(), args, env: { CODEX_HOME: codexHome } };
    },
    sandboxWorks() {
      sandboxResult ??= executable().then((program) =>
        canStartSandboxed(program, { ...env, CODEX_HOME: codexHome }),
      );
      return sandboxResult;
    },
  };
}

async function canStartSandboxed(
  program: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const probe = { command: program, args: ['sandbox', '--', 'true'], env };
  return (await capture(probe, { timeoutMs: 10_000 })).code === 0;
}

function buildArguments(
  call: AgentCall,
  finalOverrides: readonly string[],
): Pick<Invocation, 'args' | 'subcommandArgs'> {
  const subcommandArgs = call.threadId === undefined ? [] : ['resume', call.threadId];
  const overrides = [
    ...(call.model === undefined ? [] : [`model=${JSON.stringify(call.model)}`]),
    ...call.configOverrides,
    ...(call.reasoningEffort === undefined
      ? []
      : [`model_reasoning_effort=${JSON.stringify(call.reasoningEffort)}`]),
    // With this feature, codex would wait forever for an unreachable provider.
    ...['unbounded_connection_retries', ...call.disable].map((feature) => `features.${feature}=false`),
    ...(call.skills === 'named' ? ['skills.include_instructions=false'] : []),
    ...finalOverrides,
  ];
  return {
    args: [
      'exec',
      // A resumed thread does not restore folder and sandbox, and codex does not accept these options after the subcommand.
      '-C',
      call.cwd,
      '--sandbox',
      call.sandbox,
      '--json',
      '--output-schema',
      call.outputSchemaFile,
      '-o',
      call.lastMessageFile,
      ...(call.skipGitRepoCheck ? ['--skip-git-repo-check'] : []),
      ...(call.ephemeral ? ['--ephemeral'] : []),
      ...overrides.flatMap((override) => ['-c', override]),
      ...subcommandArgs,
      '-',
    ],
    subcommandArgs,
  };
}

const advice: readonly (readonly [RegExp, string])[] = [
  [
    /skip-git-repo-check was not specified/,
    'the folder is not in a git repository: pass skip_git_repo_check',
  ],
  [
    /401 Unauthorized|Missing environment variable|not logged in/i,
    'log in with "codex login", or set the API key of the model provider',
  ],
  [/no rollout found/, 'codex has no such thread in CODEX_HOME, or the thread was ephemeral'],
  [/waiting for network|error sending request|Connection failed/, 'the model provider cannot be reached'],
];

function explain(error: string): string | undefined {
  return advice.find(([pattern]) => pattern.test(error))?.[1];
}
