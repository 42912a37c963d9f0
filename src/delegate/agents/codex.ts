import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isObject } from '../../json.ts';
import { readRegularFile, readRegularFileSync } from '../../regular-file.ts';
import { type HiddenFiles, hiddenPaths, isInside } from '../process/folder-scope.ts';
import { capture } from '../process/launch.ts';
import { agentVariables, systemProgram, workspaceFolders } from '../process/programs.ts';
import type { Agent, AgentCall, Footprint, Login, Workspaces } from './agent.ts';
import { hiddenVariables, type SandboxOptions } from './agent-bounds.ts';
import { refuseBlockingFiles } from './blocking-files.ts';
import { appServerCommand, execCommand } from './codex-command.ts';
import { parseEvent } from './codex-events.ts';
import {
  type CodexPermissions,
  codexPermissions,
  type OwnEntry,
  projectTrust,
  readCodexSettings,
  selectServers,
  userSettingsFile,
  writableRoots,
} from './codex-settings.ts';
import { findThreadByName, readThreadUsage } from './codex-thread.ts';
import { findExecutable, programOf, resolveNpmShim, type Search } from './executable.ts';
import { openAppServer } from './protocols/app-server.ts';
import type { Sandbox } from './sandbox.ts';

export interface CodexOptions
  extends HiddenFiles,
    Pick<SandboxOptions, 'userHome' | 'visibleFolders' | 'visibleVariables'> {
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
 * Runs Codex as a conversation with `codex app-server`, or with `codex exec`, which reads the prompt from standard input and writes
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
      files: [codexHome],
    },
    async invoke(call) {
      await refuseBlockingFiles(call.cwd);
      const isLive = call.isLive && (await hasAppServer(call));
      const search = await searchFor([call.cwd, call.origin]);
      const variables = await agentVariables(env, search.untrusted);
      const { overrides, instructions, permissions, footprint } = await isolate(
        call,
        options,
        variables.commands,
      );
      return {
        command: await executable(search),
        ...(isLive ? appServerCommand : execCommand)(call, permissions, overrides),
        env: { ...variables.own, CODEX_HOME: codexHome, [gitVariable]: '/dev/null' },
        // `codex exec` itself reads the schema and writes the last message. Its own sandbox keeps commands out of this folder.
        footprint: isLive
          ? footprint
          : { ...footprint, writes: [...footprint.writes, dirname(call.lastMessageFile)] },
        // The history of a thread already contains the instructions.
        ...(instructions !== undefined && call.threadId === undefined && { preamble: instructions }),
      };
    },
    openConversation: openAppServer,
    parse: parseEvent,
    explain,
    ...programOf(searchFor, executable),
    login: () => readLogin(codexHome, env),
    findThread: (name) => findThreadByName(codexHome, name),
    forksAtTurn: true,
    threadTotal: (threadId) => readThreadUsage(codexHome, threadId),
    async confine({ sandbox, cwd, origin }) {
      const search = await searchFor([cwd, origin]);
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
        hides: [join(codexHome, 'auth.json')],
        writes: commandFolders(sandbox, settings),
      };
    },
    sandboxWorks(...workspaces) {
      sandboxResult ??= canStart(['sandbox', '--', 'true'], workspaces);
      return sandboxResult;
    },
  };
}

type Fields = Readonly<Record<string, unknown>>;

interface Isolation {
  /** Overrides that come after those of the caller, so that they take precedence. */
  readonly overrides: readonly string[];
  readonly permissions: CodexPermissions;
  readonly instructions: string | undefined;
  readonly footprint: Footprint;
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
  const isTrusted = await isInside(call.cwd, trustedFolders);
  const trust = await projectTrust(settings, call.cwd, isTrusted);
  const servers = await selectServers(codexHome, call.cwd, ownEntry, {
    disableOthers: isReadOnly,
    allowed: readOnlyServers,
  });
  const hidden = await hiddenPaths(options, call.cwd, call.reads);
  const permissions = codexPermissions(call.sandbox, hidden, settings, call.configOverrides);
  const overrides = [
    ...(isReadOnly ? serverFeatures : []),
    ...environmentPolicy(
      settings['shell_environment_policy'],
      call.sandbox,
      variables,
      hiddenVariables(options),
    ),
    ...permissions.overrides,
    servers.override,
    ...trust.overrides,
  ].filter((override) => override !== undefined);
  const footprint = codexFootprint(call, options, settings, servers.enabled);
  return { overrides, permissions, instructions: trust.instructions, footprint };
}

/** The files and variables of Codex, of its model provider, and of the person's MCP servers that this run has. */
function codexFootprint(
  { sandbox }: AgentCall,
  { codexHome, userHome }: CodexOptions,
  settings: Fields,
  servers: readonly Fields[],
): Footprint {
  const providers = isObject(settings['model_providers']) ? Object.values(settings['model_providers']) : [];
  const isBedrock = settings['model_provider'] === 'amazon-bedrock';
  return {
    writes: [codexHome, ...commandFolders(sandbox, settings)],
    protects: ['config.toml', 'hooks.json'].map((name) => join(codexHome, name)),
    temporary: [],
    reads: [
      ...(isBedrock ? [join(userHome, '.aws')] : []),
      ...servers.flatMap((server) => namedPaths(JSON.stringify(server), userHome)),
    ],
    variables: [
      ...['OPENAI_*', 'CODEX_*', ...(isBedrock ? ['AWS_*'] : [])],
      ...[...providers.filter(isObject), ...servers].flatMap(namedVariables),
    ],
    hides: [],
    // These programs of the person work outside the sandbox of Codex.
    writesAnywhere: servers.length > 0 || settings['notify'] !== undefined,
  };
}

/**
 * The folders besides the workspace that the sandbox of Codex lets commands write to. It creates mount points in them, so they must
 * be writable for Codex.
 */
function commandFolders(sandbox: AgentCall['sandbox'], settings: Fields): readonly string[] {
  if (sandbox !== 'workspace-write') return [];
  const own = settings['sandbox_workspace_write'];
  const excludesTmp = isObject(own) && own['exclude_slash_tmp'] === true;
  return [...writableRoots(settings), ...(excludesTmp ? [] : ['/tmp'])];
}

/** The variables that a model provider or an MCP server of the settings uses. */
function namedVariables(entry: Fields): readonly string[] {
  const { env_key: key, env_vars: list, bearer_token_env_var: bearer, env_http_headers: headers } = entry;
  const names = [
    key,
    bearer,
    ...(Array.isArray(list) ? list : []),
    ...Object.values(isObject(headers) ? headers : {}),
  ];
  return names.flatMap((one) => {
    const name = isObject(one) ? one['name'] : one;
    return typeof name === 'string' ? [name] : [];
  });
}

/** The absolute paths in a text. */
function namedPaths(text: string, userHome: string): readonly string[] {
  return [...text.matchAll(/(?<![\w.~/])(?:~|\$HOME)?\/[^\s"'\\:,;=]+/g)].map(([path]) =>
    path.replace(/^(~|\$HOME)(?=\/)/, userHome),
  );
}

/** Features that bring tools which run outside the sandbox. */
const serverFeatures = ['apps', 'plugins'].map((feature) => `features.${feature}=false`);
/**
 * Codex runs git outside the sandbox to describe the workspace, and git would start the filters that the repository and its
 * submodules configure. This variable makes Codex's own git calls fail; commands do not get it.
 */
const gitVariable = 'GIT_DIR';

/**
 * Sandboxed commands get no variables such as API keys, because their output goes to the model, not even those that Codex
 * itself needs. The user's policy applies.
 * `variables` are those that Codex itself gets with other values.
 */
function environmentPolicy(
  own: unknown,
  sandbox: Sandbox,
  variables: Readonly<Record<string, string>>,
  secret: readonly string[],
): readonly string[] {
  const set = isObject(own) && isObject(own['set']) ? own['set'] : {};
  const excluded = isObject(own) && Array.isArray(own['exclude']) ? own['exclude'].map(String) : [];
  const removed = own === undefined && sandbox !== 'danger-full-access' ? secret : [];
  return [
    `shell_environment_policy.exclude=${JSON.stringify([...excluded, gitVariable, ...removed])}`,
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

/** Whether Codex seems to be signed in: quick, because it is asked for every run. `readLogin` looks closely. */
export function seemsSignedIn(codexHome: string): boolean {
  if (existsSync(join(codexHome, 'auth.json'))) return true;
  try {
    return /^\s*model_provider\s*=/m.test(readRegularFileSync(join(codexHome, 'config.toml')));
  } catch {
    return false;
  }
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
