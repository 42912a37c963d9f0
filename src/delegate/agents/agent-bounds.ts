import { promises as disk } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Bounds, existing } from '../process/bounds.ts';
import { type Containment, hasNamespaces } from '../process/containment.ts';
import type { Environment } from '../process/environment.ts';
import {
  type HiddenFiles,
  hiddenPaths,
  hostFolder,
  isInFolder,
  temporaryFolder,
} from '../process/folder-scope.ts';
import {
  codeCaches,
  matches,
  privateFiles,
  secretFiles,
  secretVariables,
  socketsIn,
} from '../process/private-files.ts';
import type { Agent, AgentCall, CommandPlace, Footprint } from './agent.ts';

export interface SandboxOptions extends HiddenFiles {
  readonly userHome: string;
  readonly env: Environment;
  readonly containment?: Containment | 'auto' | undefined;
  /** Folders with the files of runs. An agent sees none but its own. */
  readonly runFolders: readonly string[];
  /** Private files and folders of the person that runs may read. */
  readonly visibleFolders: readonly string[];
  /** Variables that runs get although their names or values suggest a secret. */
  readonly visibleVariables: readonly string[];
}

/** Puts the sandbox of Adjutant around an agent, which hides the files of `others`. The sandbox of the agent itself, if it has one, works inside. */
export function withSandbox(agent: Agent, options: SandboxOptions, others: readonly string[]): Agent {
  const files = { ...options, unreadable: [...options.unreadable, ...others] };
  const hasLayer = () => hasNamespaces(options.env, options.containment);
  const { confine } = agent;
  return {
    ...agent,
    ...(confine && {
      async confine(place) {
        const confinement = await confine(place);
        if (!(await hasLayer())) return confinement;
        const { hides = [], writes: folders = [] } = confinement;
        const writes = [...agent.profile.files.map((path) => resolve(options.userHome, path)), ...folders];
        const footprint = { writes, temporary: [], reads: [], variables: [], hides };
        return { ...confinement, bounds: await agentBounds('adjutant', place, footprint, files) };
      },
    }),
    async invoke(call) {
      const invocation = await agent.invoke(call);
      const { footprint } = invocation;
      const withoutVariables = unneededSecrets(call, footprint, options);
      const { sandbox } = agent.profile;
      if (sandbox === 'own' && !(await hasLayer()))
        return {
          ...invocation,
          withoutVariables,
          ...(call.sandbox !== 'danger-full-access' && { warnings: [missingLayer(agent)] }),
        };
      const bounds = await agentBounds(sandbox, call, footprint, files);
      // What a run without a sandbox hides is a precaution, which must not prevent it.
      if (call.sandbox === 'danger-full-access' && bounds !== undefined && !(await hasLayer()))
        return { ...invocation, withoutVariables, warnings: [loadedSettings(agent, bounds)] };
      return { ...invocation, withoutVariables, bounds };
    },
  };
}

function missingLayer({ name }: Agent): string {
  return `Linux namespaces do not work here, so only the sandbox of ${name} itself limits this run: your keys, passwords and settings of other programs were not hidden from it.`;
}

function loadedSettings({ label }: Agent, { hidden }: Bounds): string {
  return `Linux namespaces do not work here, so ${label} could read settings that come with the folder, which can start programs: ${hidden.join(', ')}.`;
}

/** The variables of the person that this agent does not get. */
function unneededSecrets(
  { sandbox }: Pick<AgentCall, 'sandbox'>,
  { variables }: Footprint,
  options: SandboxOptions,
): readonly string[] {
  if (sandbox === 'danger-full-access') return [];
  // Without its proxy, the agent cannot reach its model.
  const isNeeded = matches([...variables, '*_PROXY']);
  return hiddenVariables(options).filter((name) => !isNeeded(name));
}

/** The variables of the person that commands of agents do not get. */
export function hiddenVariables({
  env,
  userHome,
  visibleFolders,
  visibleVariables,
}: Pick<SandboxOptions, 'env' | 'userHome' | 'visibleFolders' | 'visibleVariables'>): readonly string[] {
  const { hidden } = privateFiles(userHome, env, visibleFolders);
  const signs = hidden.includes(join(userHome, '.ssh')) ? [] : ['SSH_AUTH_SOCK'];
  return secretVariables(env, [...visibleVariables, ...signs]);
}

/** The limits of one call. Without a sandbox, only the settings of the repository are hidden, which can name programs. */
export async function agentBounds(
  limiter: Agent['profile']['sandbox'],
  { cwd, origin = cwd, sandbox, approvals, outputSchemaFile, reads = [] }: CommandPlace & Partial<AgentCall>,
  footprint: Footprint,
  options: SandboxOptions,
): Promise<Bounds | undefined> {
  const { userHome, env } = options;
  const storage = join(dirname(outputSchemaFile), '.agent');
  const hides = await existing(footprint.hides);
  const none = {
    writable: [],
    protected: [],
    visible: [],
    temporary: [],
    emptied: [],
    isReadOnly: false,
    storage,
  };
  const isUnrestricted = sandbox === 'danger-full-access';
  if (isUnrestricted && hides.length === 0) return undefined;
  await disk.mkdir(storage, { recursive: true, mode: 0o700 });
  if (isUnrestricted) return { ...none, hidden: hides, visible: footprint.writes };
  const temporary = temporaryFolder(env);
  const own = [...footprint.writes, ...footprint.temporary.map(({ folder }) => folder)];
  // The agent needs its files in the home folder, even if that is a folder of Adjutant too.
  const ownFolders = options.ownFolders.filter((folder) => !isInFolder(userHome, folder));
  const adjutant = await hiddenPaths({ ...options, ownFolders }, cwd);
  const person = privateFiles(userHome, env, options.visibleFolders);
  const named = secretFiles(env, [...options.visibleVariables, ...footprint.variables]).filter(
    (path) => ![userHome, cwd, origin].some((folder) => isInFolder(folder, path)),
  );
  const kept = [cwd, origin, ...person.visible];
  const sockets = (await socketsIn([userHome, temporary, '/tmp'])).filter(
    (path) => !kept.some((folder) => isInFolder(path, folder)),
  );
  const mayWrite = sandbox === 'workspace-write';
  // A person can allow the commands of an agent to leave its own sandbox.
  const isReadOnly = limiter === 'adjutant' || !(footprint.writesAnywhere || approvals === 'ask');
  return {
    isReadOnly,
    writable: await existing([temporary, ...footprint.writes, ...(mayWrite ? [cwd] : [])]),
    protected: [
      ...(mayWrite ? (limiter === 'adjutant' ? [join(cwd, '.git')] : []) : [cwd]),
      ...(footprint.protects ?? []),
    ],
    hidden: await existing([
      ...[...person.hidden, ...named, ...adjutant, ...options.runFolders, ...hides, hostFolder()],
      ...sockets,
    ]),
    visible: [
      ...[...person.visible, ...own, ...footprint.reads, ...reads, cwd, origin],
      // The prompt names skills by their paths.
      ...options.unreadable.map((path) => join(path, 'skills')),
    ],
    temporary: footprint.temporary,
    emptied: (await codeCaches([temporary, '/tmp'])).filter(
      (path) => ![...kept, ...own, userHome, storage].some((folder) => isInFolder(folder, path)),
    ),
    storage,
  };
}
