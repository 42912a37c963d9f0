import { promises as disk, existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Failure } from '../../failure.ts';
import { isObject, parseObject } from '../../json.ts';
import { readRegularFile } from '../../regular-file.ts';
import { type HiddenFiles, hiddenPaths, isInside } from '../process/folder-scope.ts';
import { agentVariables, findIn, trustedFolders, workspaceFolders } from '../process/programs.ts';
import type { Agent, AgentCall, Credentials, Footprint, Workspaces } from './agent.ts';
import { refuseBlockingFiles } from './blocking-files.ts';
import { findExecutable, programOf } from './executable.ts';
import { projectInstructions, projectRoot } from './project-instructions.ts';
import { openClaudeConversation } from './protocols/claude-conversation.ts';
import { parseClaudeLine } from './protocols/claude-events.ts';
import type { Sandbox } from './sandbox.ts';

export interface ClaudeOptions extends HiddenFiles {
  readonly command: string | undefined;
  readonly userHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folders whose own settings apply to runs in them. */
  readonly trustedFolders: readonly string[];
}

const installHint =
  'install it with "npm install -g @anthropic-ai/claude-code" or set delegate.command to its path.';

const maxRetries = '2';

const readingTools = ['Read', 'Grep', 'Glob'];

/**
 * The built-in tools of a writing run. Every tool but Bash works outside the sandbox of Claude Code, so a tool of a later version
 * must be examined before it is added. Tools that create worktrees, schedule work or start workflows are left out.
 */
const writingTools = [
  ...readingTools,
  ...['Bash', 'Edit', 'NotebookEdit', 'Write', 'WebFetch', 'WebSearch', 'Skill', 'Agent', 'SendMessage'],
  ...['TaskCreate', 'TaskGet', 'TaskList', 'TaskOutput', 'TaskStop', 'TaskUpdate', 'TodoWrite'],
];
const onlyTools = (names: readonly string[]) => ['--tools', names.join(',')];

/** Claude Code has no read-only sandbox, so a read-only run gets only the tools that read. */
const permissions: Readonly<Record<Sandbox, readonly string[]>> = {
  'read-only': ['--permission-mode', 'dontAsk', ...onlyTools(readingTools)],
  'workspace-write': ['--permission-mode', 'acceptEdits', ...onlyTools(writingTools)],
  'danger-full-access': ['--dangerously-skip-permissions'],
};

/** If people can be asked, everything that the sandbox does not allow is asked for. */
const asking: typeof permissions = {
  ...permissions,
  'workspace-write': ['--permission-mode', 'default', ...onlyTools(writingTools)],
  'danger-full-access': ['--permission-mode', 'default'],
};

/** Messages in both directions, with pieces of text, and a receipt for every message of the user. */
const conversationArguments = [
  '--input-format',
  'stream-json',
  '--include-partial-messages',
  '--replay-user-messages',
];

/** Where Claude Code keeps its credentials. */
export function claudeCredentials(env: Readonly<Record<string, string | undefined>>): Credentials {
  return {
    files: [join(env['CLAUDE_CONFIG_DIR'] || '.claude', '.credentials.json')],
    variables: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
    // On macOS they are in the keychain.
    isComplete: process.platform !== 'darwin',
    signIn: 'start claude once and sign in, or set ANTHROPIC_API_KEY',
  };
}

/**
 * Runs `claude -p`: as a conversation with messages in both directions, or as a program that reads the prompt from standard input
 * and writes events to standard output.
 */
export function createClaude(options: ClaudeOptions): Agent {
  const { command = 'claude', env } = options;
  const searchFor = async (workspaces: Workspaces) => ({
    env,
    hint: installHint,
    untrusted: await workspaceFolders(workspaces, env),
  });
  return {
    name: 'claude',
    label: 'claude',
    testedVersion: '2.1.197',
    usageCovers: 'run',
    profile: {
      can: ['steer', 'interrupt', 'approve', 'resume', 'fork', 'usage', 'cost'],
      sandbox: 'own',
      credentials: claudeCredentials(env),
      files: [env['CLAUDE_CONFIG_DIR'] || '.claude', '.claude.json', '.claude.json.backup'],
    },
    async invoke(call) {
      if (call.configOverrides.length > 0)
        throw new Failure('refused', 'config_overrides works with Codex only. Remove it to run Claude Code.');
      const { threadId, fork } = call;
      const resume = threadId === undefined ? [] : ['--resume', threadId];
      const subcommandArgs = threadId === undefined || fork === undefined ? resume : ['fork', threadId];
      await refuseBlockingFiles(call.cwd);
      const isTrusted = await isInside(call.cwd, options.trustedFolders);
      const hidden = await hiddenPaths(options, call.cwd, call.reads);
      const settings = await claudeSettings(env, call.sandbox, isTrusted, hidden, call.approvals === 'ask');
      const isNew = call.threadId === undefined;
      const preamble = isNew && !isTrusted ? await loadInstructions(call.cwd) : undefined;
      const servers = isTrusted ? projectServers(call.cwd) : [];
      const search = await searchFor([call.cwd, call.origin]);
      const variables = await agentVariables(env, search.untrusted);
      const separate = await separateCommands(call, env, variables.commands);
      return {
        command: await findExecutable(command, search),
        args: [
          ...(await buildArguments(call)),
          ...servers,
          ...settings.args,
          ...resume,
          ...(fork === undefined ? [] : ['--fork-session']),
        ],
        env: {
          ...variables.own,
          ...settings.env,
          // Its ten retries would take minutes to report a wrong key or an overloaded model.
          CLAUDE_CODE_MAX_RETRIES: env['CLAUDE_CODE_MAX_RETRIES'] || maxRetries,
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
          // Claude Code would otherwise run `git status`, and git would start the filters configured in the repository.
          CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS: '1',
          ...separate,
        },
        footprint: await claudeFootprint(
          options,
          { ...env, ...settings.env },
          separate['CLAUDE_ENV_FILE'],
          isTrusted,
        ),
        subcommandArgs,
        ...(call.isLive && { conversation: { protocol: 'stream-json', options: {} } }),
        ...(preamble !== undefined && { preamble }),
      };
    },
    async missing() {
      if (process.platform !== 'linux') return [];
      const folders = await trustedFolders(env, []);
      const found = await Promise.all(sandboxPrograms.map((name) => findIn(folders, name, env)));
      const absent = sandboxPrograms.filter((_, at) => found[at] === undefined);
      return absent.length === 0
        ? []
        : [`install ${absent.join(' and ')}, without which runs with workspace-write fail`];
    },
    openConversation: openClaudeConversation,
    parse: parseClaudeLine,
    ...programOf(searchFor, (search) => findExecutable(command, search)),
  };
}

/** The files and variables of Claude Code and of the cloud through which it reaches its models. */
async function claudeFootprint(
  { userHome }: Pick<ClaudeOptions, 'userHome'>,
  env: ClaudeOptions['env'],
  environmentFile: string | undefined,
  isTrusted: boolean,
): Promise<Footprint> {
  const folder = env['CLAUDE_CONFIG_DIR'] || join(userHome, '.claude');
  // The sandbox can only use folders that exist.
  await disk.mkdir(folder, { recursive: true, mode: 0o700 });
  const [aws, google] = [env['CLAUDE_CODE_USE_BEDROCK'], env['CLAUDE_CODE_USE_VERTEX']].map(Boolean);
  return {
    writes: [folder],
    protects: [join(folder, 'settings.json')],
    temporary: [],
    reads: [
      ...(environmentFile === undefined ? [] : [environmentFile]),
      ...(aws ? [join(userHome, '.aws')] : []),
      ...(google ? [join(userHome, '.config', 'gcloud'), env['GOOGLE_APPLICATION_CREDENTIALS'] ?? ''] : []),
    ],
    variables: ['ANTHROPIC_*', 'CLAUDE_*', ...(aws ? ['AWS_*'] : []), ...(google ? ['GOOGLE_*'] : [])],
    hides: [],
    // The hooks of the person and of a trusted folder work outside the sandbox of Claude Code.
    writesAnywhere: isTrusted || isObject((await loadUserSettings(env))['hooks']),
  };
}

/**
 * Gives the sandboxed commands other variables than Claude Code itself, which puts the content of CLAUDE_ENV_FILE before each
 * of them. Commands get the variables of the user. In a writing run, the git commands that Claude Code itself starts fail:
 * they run outside its sandbox with the hooks and filters of the repository, for example for a sub-agent with a worktree.
 */
async function separateCommands(
  { cwd, sandbox, outputSchemaFile }: AgentCall,
  env: ClaudeOptions['env'],
  variables: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const hidesGit = sandbox === 'workspace-write';
  const lines = [
    ...(hidesGit ? ['unset GIT_DIR'] : []),
    ...Object.entries(variables).map(([name, value]) => `export ${name}='${value.replaceAll("'", "'\\''")}'`),
  ];
  if (lines.length === 0 || sandbox === 'read-only') return {};
  const own = env['CLAUDE_ENV_FILE'];
  const more = own ? await readRegularFile(resolve(cwd, own)).catch(() => '') : '';
  const folder = join(dirname(outputSchemaFile), '.agent');
  await disk.mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'environment.sh');
  await disk.writeFile(file, [...lines, more].join('\n'), { mode: 0o600 });
  return { ...(hidesGit && { GIT_DIR: '/dev/null' }), CLAUDE_ENV_FILE: file };
}

/** Claude Code does not read these files when project settings are disabled. */
async function loadInstructions(cwd: string): Promise<string | undefined> {
  const text = await projectInstructions(cwd, [['CLAUDE.md'], ['.claude/CLAUDE.md'], ['CLAUDE.local.md']]);
  // In a prompt, `@path` attaches the file without a check of permissions.
  return text?.replaceAll(/@(?=[^\s@])/g, '@ ');
}

/** The MCP servers of a trusted repository. Those of the user stay out, because this server may be one of them. */
function projectServers(cwd: string): readonly string[] {
  const file = join(projectRoot(cwd), '.mcp.json');
  return existsSync(file) ? ['--mcp-config', file] : [];
}

async function buildArguments(call: AgentCall): Promise<string[]> {
  return [
    '-p',
    '--output-format',
    'stream-json',
    '--verbose',
    '--json-schema',
    JSON.stringify(JSON.parse(await readRegularFile(call.outputSchemaFile))),
    ...(call.isLive ? conversationArguments : []),
    ...(call.isLive && call.approvals === 'ask' ? ['--permission-prompt-tool', 'stdio'] : []),
    // Skip the user's MCP servers: this server may be one of them.
    '--strict-mcp-config',
    ...(call.approvals === 'ask' ? asking : permissions)[call.sandbox],
    ...(call.model === undefined ? [] : ['--model', call.model]),
    ...(call.reasoningEffort === undefined ? [] : ['--effort', call.reasoningEffort]),
    ...(call.ephemeral ? ['--no-session-persistence'] : []),
    ...(call.skills === 'named' ? ['--disable-slash-commands'] : []),
  ];
}

type Fields = Readonly<Record<string, unknown>>;

const maxSettingsBytes = 1024 * 1024;

/** The programs that the sandbox of Claude Code needs on Linux. */
const sandboxPrograms = ['bwrap', 'socat'];

const sandboxSettings = {
  enabled: true,
  // Root cannot mount /proc again inside of Adjutant's sandbox, which protects the settings of the kernel in it.
  ...(process.getuid?.() === 0 && { enableWeakerNestedSandbox: true }),
  autoAllowBashIfSandboxed: true,
  allowUnsandboxedCommands: false,
  failIfUnavailable: true,
};

interface SettingsOfRun {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Selects the Claude Code settings of a run. Repository settings are not loaded unless the user trusts the folder, because
 * they can name programs, servers and permissions. User settings are loaded, but Claude Code merges all permission lists, so
 * a general user permission would widen the sandbox of a writing run. In that case the settings file is not loaded;
 * everything in it that does not widen the sandbox is passed with `--settings` and the environment. With `mayAsk`, a command
 * can leave the sandbox if a person allows it.
 */
export async function claudeSettings(
  env: Readonly<Record<string, string | undefined>>,
  sandbox: Sandbox,
  isTrusted: boolean,
  unreadable: readonly string[],
  mayAsk = false,
): Promise<SettingsOfRun> {
  const denied = unreadable.flatMap(denyRules);
  const forbidding = denied.length === 0 ? {} : { permissions: { deny: denied } };
  const pass = (sources: string, settings: object, variables: SettingsOfRun['env'] = {}) => ({
    args: [
      '--setting-sources',
      sources,
      ...(Object.keys(settings).length === 0 ? [] : ['--settings', JSON.stringify(settings)]),
    ],
    env: variables,
  });
  const sources = isTrusted ? 'user,project,local' : 'user';
  // A read-only run has no writing tools to permit, and an unrestricted run has no sandbox to widen.
  if (sandbox !== 'workspace-write') return pass(sources, forbidding);
  const filesystem = unreadable.length === 0 ? {} : { filesystem: { denyRead: unreadable } };
  const confined = {
    ...forbidding,
    sandbox: { ...sandboxSettings, allowUnsandboxedCommands: mayAsk, ...filesystem },
  };
  const settings = await loadUserSettings(env);
  if (!widensSandbox(settings)) return pass(sources, confined);
  const { env: variables, permissions, ...rest } = settings;
  const { deny, ask } = isObject(permissions) ? permissions : {};
  const safe = {
    ...rest,
    ...confined,
    permissions: { deny: [...(Array.isArray(deny) ? deny : []), ...denied], ask },
  };
  // Variables can hold API keys, and other users can read command-line arguments.
  return pass(
    isTrusted ? 'project,local' : '',
    safe,
    isObject(variables)
      ? Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, String(value)]))
      : {},
  );
}

/** Rules for the tools that read. A leading `//` marks an absolute path. */
function denyRules(path: string): string[] {
  return [`Read(/${path})`, `Read(/${path}/**)`];
}

function widensSandbox({ permissions, sandbox }: Fields): boolean {
  return (
    sandbox !== undefined ||
    (isObject(permissions) && Object.keys(permissions).some((key) => key !== 'deny' && key !== 'ask'))
  );
}

async function loadUserSettings(env: Readonly<Record<string, string | undefined>>): Promise<Fields> {
  const folder = env['CLAUDE_CONFIG_DIR'] || join(env['HOME'] ?? env['USERPROFILE'] ?? '', '.claude');
  const text = await readRegularFile(join(folder, 'settings.json'), maxSettingsBytes).catch(() => '');
  return parseObject(text) ?? {};
}
