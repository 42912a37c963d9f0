import { promises as disk } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { Failure } from '../../failure.ts';
import type { AcpOptions } from '../acp/acp-options.ts';
import { AcpSession } from '../acp/acp-session.ts';
import { createAnswerFolder, temporaryFolder } from '../files/answer-folder.ts';
import { hiddenPaths, isInFolder, isInside } from '../files/folder-scope.ts';
import type { Bounds } from '../launch/bounds.ts';
import { ownProgram } from '../launch/own-program.ts';
import {
  absoluteFolders,
  agentVariables,
  interpreterOf,
  trustedFolders,
  workspaceFolders,
} from '../launch/programs.ts';
import type { AcpDefinition } from './acp-definition.ts';
import type { Agent, AgentCall, Workspaces } from './agent.ts';
import { refuseBlockingFiles } from './blocking-files.ts';
import { findExecutable, readVersion, type Search } from './executable.ts';

export interface AcpAgentOptions {
  readonly command: string | undefined;
  readonly model: string | undefined;
  readonly userHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folders whose own settings apply to runs in them. */
  readonly trustedFolders: readonly string[];
  /** Files and folders of Adjutant that the agent must not read. */
  readonly unreadable: readonly string[];
  readonly ownFolders: readonly string[];
}

const finishHint =
  'When you are done, call the tool finish_run of the MCP server adjutant_run once, with that JSON object as its arguments, instead of writing it as text.';

/** Runs an agent as a session with the Agent Client Protocol, inside of Adjutant's own sandbox. */
export function createAcpAgent(definition: AcpDefinition, options: AcpAgentOptions): Agent {
  const { name, label, testedVersion, installHint } = definition;
  const { env, model: configuredModel } = options;
  const searchFor = async (workspaces: Workspaces) => ({
    env,
    hint: installHint,
    untrusted: [
      ...(await workspaceFolders(workspaces, env)),
      ...definition.state.flatMap(({ folder, sessions }) =>
        sessions === 'all' ? [resolve(options.userHome, folder)] : [],
      ),
    ],
  });
  const executable = (search: Search) => findExecutable(options.command ?? definition.command, search);
  const locate = async (...workspaces: Workspaces) => executable(await searchFor(workspaces));
  return {
    name,
    label,
    testedVersion,
    usageCovers: definition.threadTotal ? 'thread' : 'run',
    ...(definition.threadTotal && {
      threadTotal: async (threadId) => definition.threadTotal?.(options.userHome, threadId),
    }),
    profile: {
      can: [
        ...(definition.steering === undefined ? [] : (['steer'] as const)),
        'interrupt',
        'approve',
        ...(definition.canResume ? (['resume'] as const) : []),
        ...(definition.canFork ? (['fork'] as const) : []),
        'usage',
      ],
      sandbox: 'adjutant',
      credentials: definition.credentials,
    },
    // Not every agent exits when its input is closed.
    exitsLate: true,
    async invoke(call) {
      if (call.configOverrides.length > 0)
        throw new Failure('refused', `config_overrides works with Codex only. Remove it to run ${label}.`);
      await refuseBlockingFiles(call.cwd);
      const model = call.model ?? configuredModel;
      const storage = join(dirname(call.outputSchemaFile), '.agent');
      await disk.mkdir(storage, { recursive: true, mode: 0o700 });
      const answers = await createAnswerFolder(dirname(call.outputSchemaFile), env);
      await disk.copyFile(call.outputSchemaFile, join(answers, 'schema.json'));
      await createStateFolders(definition, options.userHome);
      const isTrusted = await isInside(call.cwd, options.trustedFolders);
      const search = await searchFor([call.cwd, call.origin]);
      const program = await executable(search);
      const trusted = await trustedFolders(env, search.untrusted);
      // The agent and its commands share a sandbox and the PATH of the user, on which a script would look up its interpreter.
      const [command, ...args] = [...(await interpreterOf(program, trusted, env)), program];
      const { own } = await agentVariables(env, search.untrusted);
      return {
        command: command!,
        args: [...args, ...definition.args(model === undefined ? {} : { model })],
        env: { ...own, PATH: absoluteFolders(env).join(delimiter), ...definition.env(call) },
        subcommandArgs: subcommand(call),
        session: { protocol: 'acp', options: sessionOptions(definition, call, model, answers) },
        bounds: await agentBounds(definition, call, { ...options, isTrusted, storage }),
      };
    },
    async openSession(start, channel) {
      const session = new AcpSession(start.options as AcpOptions, channel);
      await session.open();
      return session;
    },
    parse: () => [],
    locate,
    async version(...workspaces) {
      const search = await searchFor(workspaces);
      return readVersion(await executable(search), search);
    },
  };
}

/** Recorded in the run directory, so that the result names the thread that the run has continued. */
function subcommand({ threadId, fork }: AgentCall): readonly string[] {
  return threadId === undefined ? [] : [fork === undefined ? 'resume' : 'fork', threadId];
}

function sessionOptions(
  { label, mode, steering, canFork, takesModel, threadTotal }: AcpDefinition,
  call: AgentCall,
  model: string | undefined,
  answers: string,
): AcpOptions {
  const answerFile = resolve(answers, 'answer.json');
  const { command, args } = ownProgram('finish-tool', resolve(answers, 'schema.json'), answerFile);
  return {
    label,
    cwd: call.cwd,
    ...(call.threadId !== undefined && { threadId: call.threadId }),
    isFork: call.fork !== undefined,
    canFork,
    mcpServers: [{ name: 'adjutant_run', command, args: [...args], env: [] }],
    answerFile,
    finishTool: 'finish_run',
    finishHint,
    approvals: call.approvals,
    countsTokens: threadTotal === undefined,
    ...(mode !== undefined && { mode }),
    ...(steering !== undefined && { steering }),
    settings: {
      ...(model !== undefined && !takesModel && { model }),
      ...(call.reasoningEffort !== undefined && { thought_level: call.reasoningEffort }),
    },
  };
}

interface BoundsOptions {
  readonly userHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly unreadable: readonly string[];
  readonly ownFolders: readonly string[];
  readonly isTrusted: boolean;
  readonly storage: string;
}

/** Sockets through which a program can start others outside of the sandbox. */
const controlSockets = ['/run/user', '/run/dbus', '/run/docker.sock', '/run/containerd', '/run/podman'];

/** The limits for an agent that has no sandbox of its own. */
export async function agentBounds(
  definition: AcpDefinition,
  { cwd, sandbox }: AgentCall,
  options: BoundsOptions,
): Promise<Bounds | undefined> {
  const { userHome, env, isTrusted, storage } = options;
  const settings = isTrusted ? [] : await existing(repositorySettings(definition, cwd, userHome));
  const isUnrestricted = sandbox === 'danger-full-access';
  if (isUnrestricted && settings.length === 0) return undefined;
  if (isUnrestricted)
    return {
      writable: [],
      protected: [],
      hidden: settings,
      temporary: [],
      isReadOnly: false,
      storage,
    };
  const temporary = temporaryFolder(env);
  const sockets = [...controlSockets, env['XDG_RUNTIME_DIR'], join(tmpdir(), `adjutant-${userInfo().uid}`)];
  const kept = definition.state.filter(({ sessions }) => sessions === 'all');
  const own = kept.map(({ folder }) => resolve(userHome, folder));
  // The agent needs its files in the home folder, even if that is a folder of Adjutant too.
  const ownFolders = options.ownFolders.filter((folder) => !isInFolder(userHome, folder));
  const adjutant = await hiddenPaths({ unreadable: options.unreadable, ownFolders }, cwd);
  const mayWrite = sandbox === 'workspace-write';
  return {
    isReadOnly: true,
    writable: [temporary, ...own, ...(mayWrite ? [cwd] : [])],
    protected: mayWrite ? await existing([join(cwd, '.git')]) : [cwd],
    hidden: await existing([...sockets.filter((path) => path !== undefined), ...adjutant, ...settings]),
    temporary: definition.state.flatMap(({ folder, sessions }) =>
      sessions === 'all'
        ? []
        : [{ folder: resolve(userHome, folder), keeps: sessionFolders(userHome, folder, sessions) }],
    ),
    storage,
  };
}

/** The sandbox can only use folders that exist. */
export async function createStateFolders({ state }: AcpDefinition, userHome: string): Promise<void> {
  for (const { folder, sessions } of state)
    for (const path of sessionFolders(userHome, folder, sessions === 'all' ? [''] : ['', ...sessions]))
      await disk.mkdir(path, { recursive: true, mode: 0o700 });
}

function sessionFolders(userHome: string, folder: string, names: readonly string[]): readonly string[] {
  return names.map((name) => resolve(userHome, folder, name));
}

/** The settings in the folder and those above it, up to the home folder, which holds the user's own. */
function repositorySettings(definition: AcpDefinition, cwd: string, userHome: string): readonly string[] {
  const paths: string[] = [];
  for (let folder = cwd; folder !== userHome; folder = dirname(folder)) {
    paths.push(...definition.repositorySettings.map((name) => join(folder, name)));
    if (dirname(folder) === folder) break;
  }
  return paths.filter((path) => !isInFolder(path, '/proc'));
}

async function existing(paths: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(paths.map((path) => disk.stat(path).then(Boolean, () => false)));
  return [...new Set(paths.filter((_, at) => found[at]))];
}
