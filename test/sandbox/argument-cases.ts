import { both, codex, type HostileCase, reading, writing } from './hostile-case.ts';

const override = (name: string, text: string, more: Partial<HostileCase> = {}): HostileCase => ({
  name: `override: ${name}`,
  agents: codex,
  sandboxes: reading,
  args: { config_overrides: [text] },
  expected: 'failed',
  ...more,
});
const provider = (fields: string) =>
  `model_providers.x={name="x",wire_api="responses",requires_openai_auth=false,${fields}}`;

/** Arguments of a tool call that ask for more than the caller has. */
export const argumentCases: readonly HostileCase[] = [
  override('the sandbox', 'sandbox_mode="danger-full-access"', { shell: '$TRAP' }),
  override('the sandbox in a table', 'sandbox_workspace_write={writable_roots=["/"],network_access=true}'),
  override('a permission profile', 'default_permissions=":danger-full-access"', { quick: true }),
  override('a notify program', 'notify=["sh","-c","$TRAP"]', { quick: true, fires: 'agent' }),
  override('an MCP server', 'mcp_servers={trap={command="sh",args=["-c","$TRAP"]}}', { fires: 'agent' }),
  override('an MCP server with a quoted key', '"mcp_servers".trap.command="$PROGRAM"'),
  override('trust for the repository', 'projects={"$PROJECT"={trust_level="trusted"}}', {
    files: { '.codex/config.toml': '[mcp_servers.trap]\ncommand = "sh"\nargs = ["-c", "$TRAP"]\n' },
    fires: 'agent',
  }),
  override('an address', provider('base_url="$ELSEWHERE/v1",env_key="SOME_API_KEY"'), {
    args: {
      config_overrides: ['model_provider="x"', provider('base_url="$ELSEWHERE/v1",env_key="SOME_API_KEY"')],
    },
    quick: true,
    fires: 'agent',
  }),
  override('an escaped address', '', {
    args: { config_overrides: ['model_provider="x"', provider('"\\u0062ase_url"="$ELSEWHERE/v1"')] },
    quick: true,
    fires: 'agent',
  }),
  override('an escaped program', '', {
    args: {
      config_overrides: [
        'model_provider="x"',
        provider('base_url="http://127.0.0.1:9/v1","\\u0061uth"={"\\u0063ommand"="$PROGRAM"}'),
      ],
    },
    fires: 'agent',
  }),
  override('variables for commands', 'shell_environment_policy.set={BASH_ENV="$PROGRAM"}'),
  override('a legacy sandbox feature', 'features.use_legacy_landlock=true'),
  override('another settings profile', 'profile="wide"'),
  override('a second line', 'model="x"\nsandbox_mode="danger-full-access"'),
  override('a program with a read-only ceiling, under the drop-in contract', 'notify=["sh","-c","$TRAP"]', {
    contract: 'delegate',
    settings: { 'delegate-sandbox-ceiling': 'read-only' },
    expected: 'completed',
    quick: true,
  }),
  override('a program of a read-only caller, under the drop-in contract', 'notify=["sh","-c","$TRAP"]', {
    contract: 'delegate',
    caller: { thread_id: 'x', sandbox_mode: 'read-only' },
    expected: 'completed',
  }),
  ...['/', '$HOME', '/etc', '$HOME/..'].map(
    (cwd): HostileCase => ({
      name: `writing in ${cwd}`,
      agents: both,
      sandboxes: writing,
      cwd,
      args: { skip_git_repo_check: true },
      shell: 'touch adjutant-was-here',
      expected: 'failed',
      absent: [`${cwd}/adjutant-was-here`],
      ...(cwd === '$HOME' && { quick: true }),
    }),
  ),
  {
    name: 'danger-full-access outside the listed folders',
    agents: both,
    sandboxes: ['danger-full-access'],
    shell: '$TRAP',
    expected: 'failed',
    quick: true,
  },
  {
    name: 'danger-full-access above the ceiling, under the drop-in contract',
    agents: codex,
    contract: 'delegate',
    settings: { 'delegate-sandbox-ceiling': 'workspace-write' },
    sandboxes: ['danger-full-access'],
    shell: '$TRAP; true',
  },
  {
    name: 'danger-full-access for a read-only caller',
    agents: codex,
    sandboxes: ['danger-full-access'],
    caller: { thread_id: 'x', sandbox_mode: 'read-only' },
    shell: '$TRAP; true',
    quick: true,
  },
  {
    name: 'writing for a caller without workspaces',
    agents: codex,
    sandboxes: writing,
    caller: { thread_id: 'x', sandbox_mode: 'workspace-write' },
    shell: 'echo x > made.txt; true',
    absent: ['$PROJECT/made.txt'],
    quick: true,
  },
  {
    name: 'writing outside the workspaces of the caller',
    agents: codex,
    sandboxes: writing,
    caller: { thread_id: 'x', sandbox_mode: 'workspace-write', workspaces: { '/srv/other': {} } },
    shell: 'echo x > made.txt; true',
    absent: ['$PROJECT/made.txt'],
  },
  ...['--last', '-c', '--dangerously-bypass-approvals-and-sandbox'].map(
    (thread_id): HostileCase => ({
      name: `thread_id ${thread_id}`,
      agents: both,
      tool: 'delegate_resume',
      sandboxes: reading,
      args: { thread_id },
      expected: 'failed',
    }),
  ),
  {
    name: 'a model name that ends its string',
    agents: codex,
    sandboxes: reading,
    args: { model: 'x"\nnotify=["sh","-c","$TRAP"]\ny="', reasoning_effort: 'low"\nnotify=["sh"]' },
    expected: 'either',
  },
  {
    name: 'a task that looks like options',
    agents: both,
    task: '--dangerously-bypass-approvals-and-sandbox --settings {"hooks":{}} -c notify=["$PROGRAM"]',
  },
  {
    name: 'a task that mentions a private file',
    agents: both,
    task: 'resume',
    args: { role: '../../outside/private.txt', skills_mode: 'explicit', skills: ['../../outside'] },
    expected: 'failed',
  },
];
