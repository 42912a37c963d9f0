import type { AgentCall, Credentials } from './agent.ts';

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
  /** True if the reply to a prompt does not name the tokens of the whole turn. */
  readonly countsElsewhere?: boolean;
  /** The mode in which the agent asks for permission, if it is not the default. */
  readonly mode?: string;
  readonly steering?: string;
  readonly canFork: boolean;
  /** Settings in a repository, which can name programs and addresses. */
  readonly repositorySettings: readonly string[];
  /** Folders below the home folder in which the agent keeps its files. Only changes in `sessions` are kept after a run. */
  readonly state: readonly StateFolder[];
  readonly canResume: boolean;
  readonly credentials: Credentials;
}

export interface StateFolder {
  readonly folder: string;
  readonly sessions: readonly string[] | 'all';
}

/** Limits an agent to the MCP server of the run, without those in the user's settings. */
const onlyOwnServer = ['--allowed-mcp-server-names', 'adjutant_run'];

const gemini: AcpDefinition = {
  name: 'gemini',
  label: 'Gemini CLI',
  testedVersion: '0.61.0',
  command: 'gemini',
  installHint: 'install it with "npm install -g @google/gemini-cli".',
  args: ({ model }) => ['--acp', ...onlyOwnServer, ...(model === undefined ? [] : ['-m', model])],
  // Trusting the folder is harmless, because the settings in the repository are hidden.
  env: () => ({ GEMINI_CLI_TRUST_WORKSPACE: 'true', GEMINI_CLI_NO_RELAUNCH: 'true' }),
  takesModel: true,
  canFork: false,
  canResume: false,
  repositorySettings: ['.gemini', '.env'],
  state: [{ folder: '.gemini', sessions: ['tmp', 'history'] }],
  credentials: {
    files: ['.gemini/oauth_creds.json', '.gemini/.env'],
    variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI'],
    isComplete: true,
    signIn: 'start gemini once and sign in, or set GEMINI_API_KEY',
  },
};

const qwen: AcpDefinition = {
  name: 'qwen',
  label: 'Qwen Code',
  testedVersion: '0.24.4',
  command: 'qwen',
  installHint: 'install it with "npm install -g @qwen-code/qwen-code".',
  args: ({ model }) => ['--acp', ...onlyOwnServer, ...(model === undefined ? [] : ['--model', model])],
  env: () => ({ QWEN_CODE_NO_RELAUNCH: 'true', QWEN_CODE_DISABLE_CRON: '1' }),
  takesModel: true,
  // By default a model decides what needs permission.
  mode: 'default',
  steering: 'craft/drainMidTurnQueue',
  canFork: false,
  canResume: true,
  repositorySettings: ['.qwen', '.env'],
  state: [{ folder: '.qwen', sessions: ['tmp', 'projects'] }],
  credentials: {
    files: ['.qwen/oauth_creds.json', '.qwen/.env'],
    variables: ['OPENAI_API_KEY', 'DASHSCOPE_API_KEY', 'QWEN_API_KEY'],
    isComplete: false,
    signIn: 'start qwen once and sign in, or set OPENAI_API_KEY',
  },
};

const asksFor = JSON.stringify({ edit: 'ask', bash: 'ask', webfetch: 'ask' });

const opencode: AcpDefinition = {
  name: 'opencode',
  label: 'opencode',
  testedVersion: '1.18.33',
  command: 'opencode',
  installHint: 'install it with "npm install -g opencode-ai".',
  args: () => ['acp'],
  env: ({ approvals }) => ({
    OPENCODE_DISABLE_PROJECT_CONFIG: '1',
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    ...(approvals === 'ask' && { OPENCODE_PERMISSION: asksFor }),
  }),
  takesModel: false,
  countsElsewhere: true,
  canFork: true,
  canResume: true,
  repositorySettings: ['.opencode', 'opencode.json', 'opencode.jsonc'],
  state: [
    { folder: '.local/share/opencode', sessions: 'all' },
    { folder: '.local/state/opencode', sessions: [] },
    { folder: '.config/opencode', sessions: [] },
    { folder: '.cache/opencode', sessions: [] },
  ],
  credentials: {
    files: ['.local/share/opencode/auth.json'],
    variables: ['OPENCODE_API_KEY'],
    isComplete: false,
    signIn: 'run "opencode auth login"',
  },
};

export const acpDefinitions: readonly AcpDefinition[] = [gemini, opencode, qwen];

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
      isComplete: false,
      signIn: `see the documentation of ${name}`,
    },
  };
}
