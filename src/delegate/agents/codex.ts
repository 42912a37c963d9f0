import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '../../json.ts';
import { readRegularFile } from '../../regular-file.ts';
import { openAppServer } from '../app-server/app-server.ts';
import { type HiddenFiles, hiddenPaths, isInside } from '../files/folder-scope.ts';
import { capture } from '../launch/launch.ts';
import { agentVariables, systemProgram, workspaceFolders } from '../launch/programs.ts';
import type { Agent, AgentCall, Login, Workspaces } from './agent.ts';
import { refuseBlockingFiles } from './blocking-files.ts';
import { appServerCommand, execCommand } from './codex-command.ts';
import { parseEvent } from './codex-events.ts';
import { type CodexPermissions, codexPermissions, writableRoots } from './codex-permissions.ts';
import { readCodexSettings, userSettingsFile } from './codex-settings.ts';
import { findThreadByName, readThreadUsage } from './codex-thread.ts';
import { disableServers, type OwnEntry, projectTrust } from './codex-trust.ts';
import { readWrites } from './codex-writes.ts';
import { findExecutable, readVersion, resolveNpmShim, type Search } from './executable.ts';
import type { Sandbox } from './sandbox.ts';

export interface CodexOptions extends HiddenFiles {
  /** Path or name of the program. Default: the native program that the `codex` on the PATH starts. */
  readonly command: string | undefined;
  readonly codexHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly ownEntry: OwnEntry;
  /** MCP servers that read-only runs may use. */
  readonly readOnlyServers: readonly string[];
  /** Folders whose own settings apply to runs in them. */
  readonly trustedFolders: readonly string[];
}

const installHint = 'install it with "npm install -g @openai/codex" or set delegate.command to its path.';

/**
 * Runs Codex as a session with `codex app-server`, or with `codex exec`, which reads the prompt from standard input and writes
 * events to standard output.
 */
export function createCodex(options: CodexOptions): Agent {
  const { command, codexHome, env } = options;
  let sandboxResult: Promise<boolean> | undefined;
  let appServer: Promise<boolean> | undefined;
  const searchFor = async (workspaces: Workspaces) => {
    const roots = writableRoots(await readCodexSettings(userSettingsFile(codexHome)));
    return { env, hint: installHint, untrusted: [...(await workspaceFolders(workspaces, env)), ...roots] };
  };
  const executable = async (search: Search) =>
    command === undefined
      ? resolveNpmShim(await findExecutable('codex', search))
      : findExecutable(command, search);
  const locate = async (...workspaces: Workspaces) => executable(await searchFor(workspaces));
  /** Starts Codex to see whether it can do something. */
  const canStart = async (args: readonly string[], workspaces: Workspaces) => {
    const search = await searchFor(workspaces);
    const { own } = await agentVariables(env, search.untrusted);
    const program = {
      command: await executable(search),
      args,
      env: { ...env, ...own, CODEX_HOME: codexHome },
    };
    return (await capture(program, { timeoutMs: 10_000 })).code === 0;
  };
  const hasAppServer = ({ cwd, origin }: AgentCall) => {
    appServer ??= canStart(['app-server', '--help'], [cwd, origin]);
    appServer.catch(() => {
      appServer = undefined;
    });
    return appServer;
  };
  return {
    name: 'codex',
    label: 'codex exec',
    testedVersion: '0.166.0',
    usageCovers: 'thread',
    profile: {
      can: ['steer', 'interrupt', 'approve', 'resume', 'fork', 'usage'],
      sandbox: 'own',
    },
    async invoke(call) {
      await refuseBlockingFiles(call.cwd);
      const isLive = call.isLive && (await hasAppServer(call));
      const search = await searchFor([call.cwd, call.origin]);
      const variables = await agentVariables(env, search.untrusted);
      const { overrides, instructions, permissions } = await isolate(call, options, variables.commands);
      return {
        command: await executable(search),
        ...(isLive ? appServerCommand : execCommand)(call, permissions, overrides),
        env: { ...variables.own, CODEX_HOME: codexHome, [gitVariable]: '/dev/null' },
        // The history of a thread already contains the instructions.
        ...(instructions !== undefined && call.threadId === undefined && { preamble: instructions }),
      };
    },
    openSession: openAppServer,
    parse: parseEvent,
    explain,
    locate,
    async version(...workspaces) {
      const search = await searchFor(workspaces);
      return readVersion(await executable(search), search);
    },
    login: () => readLogin(codexHome, env),
    writes: (report) => readWrites(codexHome, report),
    findThread: (name) => findThreadByName(codexHome, name),
    forksAtTurn: true,
    threadTotal: (threadId) => readThreadUsage(codexHome, threadId),
    async confine(sandbox, ...workspaces) {
      const search = await searchFor(workspaces);
      const variables = await agentVariables(env, search.untrusted);
      const settings = await readCodexSettings(userSettingsFile(codexHome));
      const { overrides } = codexPermissions(sandbox, options.unreadable, settings, []);
      const mode = `sandbox_mode=${JSON.stringify(sandbox)}`;
      const args = [mode, ...overrides].flatMap((override) => ['-c', override]);
      // The command gets the variables of the user, and Codex itself only what is safe outside the sandbox.
      const assignments = Object.entries(variables.commands).map(([name, value]) => `${name}=${value}`);
      const start = assignments.length === 0 ? [] : [await systemProgram('env', env), ...assignments];
      return {
        command: await executable(search),
        args: ['sandbox', ...args, '--', ...start],
        env: { ...variables.own, CODEX_HOME: codexHome },
      };
    },
    sandboxWorks(...workspaces) {
      sandboxResult ??= canStart(['sandbox', '--', 'true'], workspaces);
      return sandboxResult;
    },
  };
}

interface Isolation {
  /** Overrides that come after those of the caller, so that they take precedence. */
  readonly overrides: readonly string[];
  readonly permissions: CodexPermissions;
  readonly instructions: string | undefined;
}

/** Applies the user's settings, but none that the repository brings, and nothing that a run of this sandbox must not have. */
async function isolate(
  call: AgentCall,
  options: CodexOptions,
  variables: Readonly<Record<string, string>>,
): Promise<Isolation> {
  const { codexHome, ownEntry, readOnlyServers, trustedFolders } = options;
  const settings = await readCodexSettings(userSettingsFile(codexHome));
  const isReadOnly = call.sandbox === 'read-only';
  const trust = await projectTrust(settings, call.cwd, await isInside(call.cwd, trustedFolders));
  const servers = await disableServers(codexHome, call.cwd, ownEntry, {
    disableOthers: isReadOnly,
    allowed: readOnlyServers,
  });
  const hidden = await hiddenPaths(options, call.cwd);
  const permissions = codexPermissions(call.sandbox, hidden, settings, call.configOverrides);
  const overrides = [
    ...(isReadOnly ? serverFeatures : []),
    ...environmentPolicy(settings['shell_environment_policy'], call.sandbox, variables),
    ...permissions.overrides,
    servers,
    ...trust.overrides,
  ].filter((override) => override !== undefined);
  return { overrides, permissions, instructions: trust.instructions };
}

/** Features that bring tools which run outside the sandbox. */
const serverFeatures = ['apps', 'plugins'].map((feature) => `features.${feature}=false`);
/**
 * Codex runs git outside the sandbox to describe the workspace, and git would start the filters that the repository and its
 * submodules configure. This variable makes Codex's own git calls fail; commands do not get it.
 */
const gitVariable = 'GIT_DIR';

/**
 * Sandboxed commands get no variables such as API keys, because their output goes to the model. The user's policy applies.
 * `variables` are those that Codex itself gets with other values.
 */
function environmentPolicy(
  own: unknown,
  sandbox: Sandbox,
  variables: Readonly<Record<string, string>>,
): readonly string[] {
  const set = isObject(own) && isObject(own['set']) ? own['set'] : {};
  const excluded = isObject(own) && Array.isArray(own['exclude']) ? own['exclude'].map(String) : [];
  const withoutKeys = own === undefined && sandbox !== 'danger-full-access';
  return [
    `shell_environment_policy.exclude=${JSON.stringify([...excluded, gitVariable])}`,
    ...(withoutKeys ? ['shell_environment_policy.ignore_default_excludes=false'] : []),
    ...Object.entries(variables)
      .filter(([name]) => !Object.hasOwn(set, name))
      .map(([name, value]) => `shell_environment_policy.set.${name}=${JSON.stringify(value)}`),
  ];
}

const advice: readonly (readonly [RegExp, string])[] = [
  [
    /skip-git-repo-check was not specified/,
    'the folder is not in a git repository: pass skip_git_repo_check (on the command line: --skip-git-repo-check)',
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

/**
 * Finds out whether Codex can reach a model: with a login, or with a model provider of its own configuration. Codex ignores
 * OPENAI_API_KEY, and its app-server also CODEX_API_KEY.
 */
export async function readLogin(
  codexHome: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Login> {
  if (existsSync(join(codexHome, 'auth.json'))) return { isSignedIn: true, detail: 'signed in' };
  const missing = {
    isSignedIn: false,
    detail: 'no login found',
    remedy: 'run codex login, or configure a model provider with an API key',
  };
  const text = await readRegularFile(join(codexHome, 'config.toml')).catch(() => undefined);
  if (text === undefined) return missing;
  const { parse } = await import('smol-toml');
  let settings: CodexSettings;
  try {
    settings = parse(text) as CodexSettings;
  } catch (error) {
    const [reason] = (error as Error).message.split('\n');
    return { ...missing, detail: `${join(codexHome, 'config.toml')} cannot be read: ${reason}` };
  }
  const { model_provider: name = 'openai', model_providers = {} } = settings;
  const { requires_openai_auth: needsLogin, env_key: key } = model_providers[name] ?? {
    requires_openai_auth: true,
  };
  if (needsLogin) return missing;
  if (key !== undefined && !env[key])
    return {
      ...missing,
      detail: `the model provider ${name} needs the variable ${key}`,
      remedy: `set ${key} where the server is started`,
    };
  return { isSignedIn: true, detail: `the model provider ${name} needs no login` };
}

interface CodexSettings {
  readonly model_provider?: string;
  readonly model_providers?: Readonly<
    Record<string, { readonly requires_openai_auth?: boolean; readonly env_key?: string }>
  >;
}
