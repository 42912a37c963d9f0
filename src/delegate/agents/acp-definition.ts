import type { AgentCall, Credentials, Usage } from './agent.ts';

/** How an agent that speaks the Agent Client Protocol is started, and which files it uses. */
export interface AcpDefinition {
  readonly name: string;
  readonly label: string;
  readonly testedVersion: string;
  readonly command: string;
  readonly installHint: string;
  args(call: Pick<AgentCall, 'model'>): readonly string[];
  env(call: Pick<AgentCall, 'approvals'>): Readonly<Record<string, string>>;
  /** True if the model is chosen on the command line, not through the protocol. */
  readonly takesModel: boolean;
  /** The tokens of a thread, if the reply to a prompt does not name those of the whole turn. */
  threadTotal?(userHome: string, threadId: string): Promise<Usage | undefined>;
  /** The mode in which the agent asks for permission, if it is not the default. */
  readonly mode?: string;
  readonly steering?: string;
  readonly canFork: boolean;
  /** Settings in a repository, which can name programs and addresses. */
  readonly repositorySettings: readonly string[];
  /** Folders below the home folder in which the agent keeps its files. Only changes in `sessions` are kept after a run. */
  readonly state: readonly StateFolder[];
  /**
   * For an agent whose sessions are in a file that also decides what its next start runs: a folder below the home folder with a
   * folder for each workspace, in which runs keep files of their own. The person's own agent never reads them.
   */
  readonly ownState?: {
    readonly folder: string;
    env(place: string): Readonly<Record<string, string>>;
  };
  /** A file with tokens that the agent renews, and the fields of it that are kept after a run. */
  readonly signIn?: SignInFile;
  /** Settings of the person, relative to the home folder, which can name variables with keys. */
  readonly settings?: string;
  readonly canResume: boolean;
  readonly credentials: Credentials;
}

export interface SignInFile {
  readonly file: string;
  readonly fields: readonly string[];
}

export interface StateFolder {
  readonly folder: string;
  readonly sessions: readonly string[] | 'all';
}

/** The keys of model providers, for agents that can use any of them. */
export const providerKeys = [
  ...[
    'ANTHROPIC',
    'AZURE_OPENAI',
    'CEREBRAS',
    'COHERE',
    'DASHSCOPE',
    'DEEPSEEK',
    'FIREWORKS',
    'GEMINI',
    'GOOGLE',
  ],
  ...[
    'GROQ',
    'MISTRAL',
    'MOONSHOT',
    'NVIDIA',
    'OPENAI',
    'OPENROUTER',
    'PERPLEXITY',
    'TOGETHER',
    'XAI',
    'ZHIPU',
  ],
].map((name) => `${name}_API_KEY`);

/** Limits an agent to the MCP server of the run, without those in the user's settings. */
export const onlyOwnServer = ['--allowed-mcp-server-names', 'adjutant_run'];

/** An agent from the settings. */
export interface CustomAgent {
  readonly name: string;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly model?: string;
  readonly writes?: readonly string[];
}

export function customDefinition({
  name,
  command = name,
  args = [],
  writes = [],
}: CustomAgent): AcpDefinition {
  return {
    name,
    label: name,
    testedVersion: '',
    command,
    installHint: `set its command in delegate.agents.`,
    args: () => args,
    env: () => ({}),
    takesModel: false,
    canFork: true,
    canResume: true,
    repositorySettings: [],
    state: writes.map((folder) => ({ folder, sessions: 'all' })),
    credentials: {
      files: [],
      variables: [],
      uses: providerKeys,
      isComplete: false,
      signIn: `see the documentation of ${name}`,
    },
  };
}
