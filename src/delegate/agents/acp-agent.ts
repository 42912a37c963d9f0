import { promises as disk } from 'node:fs';
import { delimiter, dirname, join, relative, resolve } from 'node:path';
import { Failure } from '../../failure.ts';
import { readRegularFile } from '../../regular-file.ts';
import { temporaryChanges } from '../process/bounds.ts';
import { canScopeSockets } from '../process/containment.ts';
import { isInFolder, isInside, realpath } from '../process/folder-scope.ts';
import { ownProgram } from '../process/own-program.ts';
import { describeAbstractSockets } from '../process/private-files.ts';
import {
  absoluteFolders,
  agentVariables,
  interpreterOf,
  trustedFolders,
  workspaceFolders,
} from '../process/programs.ts';
import type { AcpDefinition } from './acp-definition.ts';
import type { Agent, AgentCall, Footprint, Workspaces } from './agent.ts';
import { refuseBlockingFiles } from './blocking-files.ts';
import { findExecutable, programOf, type Search } from './executable.ts';
import { AcpConversation, type AcpOptions } from './protocols/acp-conversation.ts';
import { keepRenewedTokens } from './renewed-tokens.ts';

export interface AcpAgentOptions {
  readonly command: string | undefined;
  readonly model: string | undefined;
  readonly userHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folders whose own settings apply to runs in them. */
  readonly trustedFolders: readonly string[];
}

const finishHint =
  'When you are done, call the tool finish_run of the MCP server adjutant_run once, with that JSON object as its arguments, instead of writing it as text.';

/** Runs an agent as a conversation with the Agent Client Protocol, inside of Adjutant's own sandbox. */
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
      files: [...definition.credentials.files, ...definition.state.map(({ folder }) => folder)],
    },
    // Not every agent exits when its input is closed.
    exitsLate: true,
    async invoke(call) {
      if (call.configOverrides.length > 0)
        throw new Failure('refused', `config_overrides works with Codex only. Remove it to run ${label}.`);
      await refuseBlockingFiles(call.cwd);
      const model = call.model ?? configuredModel;
      // Through this folder the agent returns its answer. The rest of the run directory is hidden from it.
      const answers = join(dirname(call.outputSchemaFile), '.agent', 'answer');
      await disk.rm(answers, { recursive: true, force: true });
      await disk.mkdir(answers, { recursive: true, mode: 0o700 });
      await disk.copyFile(call.outputSchemaFile, join(answers, 'schema.json'));
      const place = await ownPlace(definition, call.origin ?? call.cwd, options.userHome);
      await createStateFolders(definition, options.userHome, place);
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
        env: {
          ...own,
          PATH: absoluteFolders(env).join(delimiter),
          ...definition.env(call),
          ...(place !== undefined && definition.ownState?.env(place)),
        },
        subcommandArgs: subcommand(call),
        conversation: { protocol: 'acp', options: conversationOptions(definition, call, model, answers) },
        footprint: await footprintOf(definition, call.cwd, options, isTrusted, [answers], place),
        warnings: call.sandbox === 'danger-full-access' ? [] : await socketWarnings(env),
      };
    },
    async keep(storage) {
      const { signIn, state } = definition;
      if (signIn === undefined) return;
      const temporary = state.filter(({ sessions }) => sessions !== 'all').map(({ folder }) => folder);
      const at = temporary.findIndex((folder) => isInFolder(signIn.file, folder));
      const changed = temporaryChanges(storage, at, relative(temporary[at]!, signIn.file));
      await keepRenewedTokens(resolve(options.userHome, signIn.file), changed, signIn);
    },
    async openConversation(start, streams) {
      const conversation = new AcpConversation(start.options as AcpOptions, streams);
      await conversation.open();
      return conversation;
    },
    parse: () => [],
    ...programOf(searchFor, executable),
  };
}

async function socketWarnings(env: AcpAgentOptions['env']): Promise<readonly string[]> {
  const sockets = (await canScopeSockets(env)) ? undefined : await describeAbstractSockets();
  return sockets === undefined
    ? []
    : [
        `The agent can reach the programs that listen on sockets without a file, which this kernel cannot hide: ${sockets}.`,
      ];
}

/** Recorded in the run directory, so that the result names the thread that the run has continued. */
function subcommand({ threadId, fork }: AgentCall): readonly string[] {
  return threadId === undefined ? [] : [fork === undefined ? 'resume' : 'fork', threadId];
}

function conversationOptions(
  { label, mode, steering, takesModel, threadTotal }: AcpDefinition,
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

/** What the agent needs of the person. */
export async function footprintOf(
  definition: AcpDefinition,
  cwd: string,
  { userHome, env }: Pick<AcpAgentOptions, 'userHome' | 'env'>,
  isTrusted: boolean,
  more: readonly string[] = [],
  place?: string,
): Promise<Footprint> {
  const { state, credentials, settings, ownState } = definition;
  const own = place === undefined ? [] : [place];
  const named = credentials.variables.flatMap((name) => (env[name]?.startsWith('/') ? [env[name]] : []));
  return {
    writes: [
      ...state.flatMap(({ folder, sessions }) => (sessions === 'all' ? [resolve(userHome, folder)] : [])),
      ...[...own, ...more],
    ],
    temporary: state.flatMap(({ folder, sessions }) =>
      sessions === 'all'
        ? []
        : [
            {
              folder: resolve(userHome, folder),
              keeps: [
                ...sessionFolders(userHome, folder, sessions),
                ...own.filter((path) => isInFolder(path, resolve(userHome, folder))),
              ],
            },
          ],
    ),
    reads: [...credentials.files.map((file) => resolve(userHome, file)), ...named],
    variables: [
      ...[...credentials.variables, ...(credentials.uses ?? [])],
      ...(settings === undefined ? [] : await namedVariables(resolve(userHome, settings))),
    ],
    hides: [
      ...(isTrusted ? [] : repositorySettings(definition, cwd, userHome)),
      // Runs in other folders are none of its business.
      ...(ownState === undefined ? [] : [resolve(userHome, ownState.folder)]),
    ],
  };
}

/** The variables that a settings file names, for example as `{env:NAME}`, `${NAME}` or `"envKey": "NAME"`. */
async function namedVariables(file: string): Promise<readonly string[]> {
  const text = await readRegularFile(file).catch(() => '');
  const names = text.matchAll(/\{env:(\w+)\}|\$\{?(\w+)|"envKey"\s*:\s*"(\w+)"/g);
  return [...names].map(([, ...found]) => found.find((name) => name !== undefined)!);
}

/** The folder in which runs in this workspace keep files of their own. */
async function ownPlace(
  { ownState }: AcpDefinition,
  workspace: string,
  userHome: string,
): Promise<string | undefined> {
  if (ownState === undefined) return undefined;
  const { createHash } = await import('node:crypto');
  const real = (await realpath(workspace)) ?? workspace;
  const name = createHash('sha256').update(real).digest('hex').slice(0, 16);
  return resolve(userHome, ownState.folder, name);
}

/** The sandbox can only use folders that exist. */
export async function createStateFolders(
  { state }: AcpDefinition,
  userHome: string,
  place?: string,
): Promise<void> {
  if (place !== undefined) await disk.mkdir(place, { recursive: true, mode: 0o700 });
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
