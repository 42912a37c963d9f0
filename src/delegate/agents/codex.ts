import { promises as disk } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '../../json.ts';
import { maxFileBytes, readRegularFile } from '../../regular-file.ts';
import { parseObject } from '../files/json-file.ts';
import type { Agent, AgentCall, AgentEvent, AgentItem, Invocation, Usage } from './agent.ts';
import { type OwnEntry, ownServers } from './codex-config.ts';
import { projectTrust } from './codex-trust.ts';
import { behindShim, findExecutable, versionOf } from './executable.ts';

export interface CodexOptions {
  /** A path or a name; without it, the real program behind the `codex` on the PATH. */
  readonly command: string | undefined;
  readonly codexHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly ownEntry: OwnEntry;
}

const way = 'install it with "npm install -g @openai/codex" or name it in [delegate] command.';

/** `codex exec`, with the prompt on standard input and its events on standard output. */
export function createCodex({ command, codexHome, env, ownEntry }: CodexOptions): Agent {
  let found: Promise<string> | undefined;
  let works: Promise<boolean> | undefined;
  const executable = () => {
    found ??=
      command === undefined
        ? findExecutable('codex', env, way).then(behindShim)
        : findExecutable(command, env, way);
    // Installed in the meantime, it is to be found.
    found.catch(() => {
      found = undefined;
    });
    return found;
  };
  return {
    name: 'codex',
    label: 'codex exec',
    testedVersion: '0.166.0',
    usageCovers: 'thread',
    async invoke(call) {
      const trust = await projectTrust(codexHome, call.cwd);
      const ownEntries = await ownServers(codexHome, call.cwd, ownEntry);
      const last = [ownEntries, trust.override].filter((override) => override !== undefined);
      return {
        command: await executable(),
        ...argumentsOf(call, last),
        env: { CODEX_HOME: codexHome },
        // A thread that goes on has it already.
        ...(trust.instructions !== undefined &&
          call.threadId === undefined && { preamble: trust.instructions }),
      };
    },
    parse,
    explain,
    version: async () => versionOf(await executable(), env),
    threadTotal: (threadId) => threadTotal(codexHome, threadId),
    async confine(sandbox) {
      const args = ['sandbox', '-c', `sandbox_mode=${JSON.stringify(sandbox)}`, '--'];
      return { command: await executable(), args, env: { CODEX_HOME: codexHome } };
    },
    sandboxWorks() {
      works ??= executable().then((program) => startsSandboxed(program, { ...env, CODEX_HOME: codexHome }));
      return works;
    },
  };
}

async function startsSandboxed(
  program: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const { execFile } = await import('node:child_process');
  return new Promise((done) => {
    execFile(program, ['sandbox', '--', 'true'], { timeout: 10_000, env }, (error) => done(error === null));
  });
}

function argumentsOf(
  call: AgentCall,
  ownOverrides: readonly string[],
): Pick<Invocation, 'args' | 'subcommandArgs'> {
  const subcommandArgs = call.threadId === undefined ? [] : ['resume', call.threadId];
  const overrides = [
    ...(call.model === undefined ? [] : [`model=${JSON.stringify(call.model)}`]),
    ...call.configOverrides,
    ...(call.reasoningEffort === undefined
      ? []
      : [`model_reasoning_effort=${JSON.stringify(call.reasoningEffort)}`]),
    // With this on, a provider out of reach is waited for without end.
    ...['unbounded_connection_retries', ...call.disable].map((feature) => `features.${feature}=false`),
    ...(call.skills === 'named' ? ['skills.include_instructions=false'] : []),
    ...ownOverrides,
  ];
  return {
    args: [
      'exec',
      // Folder and sandbox are not taken over from the thread, and not taken at all behind the subcommand.
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

// ── Events ─────────────────────────────────────────────────────────────────────────────────────────────────

function parse(line: string): readonly AgentEvent[] {
  const event = parseObject(line);
  switch (event?.['type']) {
    case 'thread.started':
      return typeof event['thread_id'] === 'string' ? [{ kind: 'thread', threadId: event['thread_id'] }] : [];
    case 'turn.started':
      return [{ kind: 'turn' }];
    case 'item.started':
    case 'item.updated':
    case 'item.completed':
      return parseItem(event['type'].slice('item.'.length) as Phase, event['item']);
    // Retries are told this way; only a failed turn is the end.
    case 'error':
      return [{ kind: 'warning', message: String(event['message']) }];
    case 'turn.completed':
      return [{ kind: 'completed', usage: parseUsage(event['usage']) }];
    case 'turn.failed': {
      const error = event['error'];
      return [{ kind: 'failed', message: String(isObject(error) ? error['message'] : error) }];
    }
    default:
      return [];
  }
}

type Phase = 'started' | 'updated' | 'completed';

function parseItem(phase: Phase, item: unknown): readonly AgentEvent[] {
  if (!isObject(item)) return [];
  if (item['type'] === 'error') return [{ kind: 'warning', message: String(item['message']) }];
  const known = toItem(item);
  return known === undefined ? [] : [{ kind: 'item', id: String(item['id']), phase, item: known }];
}

function toItem(item: Readonly<Record<string, unknown>>): AgentItem | undefined {
  switch (item['type']) {
    case 'agent_message':
      return { type: 'message', text: String(item['text']) };
    case 'reasoning':
      return { type: 'reasoning', text: String(item['text']) };
    case 'command_execution':
      return {
        type: 'command',
        command: unwrapShell(String(item['command'])),
        ...(typeof item['exit_code'] === 'number' && { exitCode: item['exit_code'] }),
      };
    case 'file_change':
      return { type: 'files', changes: objects(item['changes']).flatMap(toFileChange) };
    case 'mcp_tool_call':
      return { type: 'tool', name: `${item['server']}.${item['tool']}` };
    case 'collab_tool_call':
      return { type: 'tool', name: String(item['tool']) };
    case 'web_search':
      return { type: 'tool', name: 'web_search' };
    case 'todo_list':
      return {
        type: 'todo',
        items: objects(item['items']).map(({ text, completed }) => ({
          text: String(text),
          completed: completed === true,
        })),
      };
    default:
      return undefined;
  }
}

function toFileChange({ path, kind }: Readonly<Record<string, unknown>>) {
  return kind === 'add' || kind === 'delete' || kind === 'update'
    ? [{ path: String(path), kind } as const]
    : [];
}

function objects(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** `/bin/bash -lc 'npm test'` is `npm test` to a reader. */
function unwrapShell(command: string): string {
  const [, quoted, bare] = /^\S*sh -l?c (?:'([^']*)'|(\S+))$/.exec(command) ?? [];
  return quoted ?? bare ?? command;
}

function parseUsage(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined;
  return {
    input_tokens: Number(usage['input_tokens'] ?? 0),
    cached_input_tokens: Number(usage['cached_input_tokens'] ?? 0),
    output_tokens: Number(usage['output_tokens'] ?? 0),
    reasoning_output_tokens: Number(usage['reasoning_output_tokens'] ?? 0),
  };
}

const advice: readonly (readonly [RegExp, string])[] = [
  [
    /skip-git-repo-check was not specified/,
    'the folder is not in a git repository: pass skip_git_repo_check',
  ],
  [
    /401 Unauthorized|Missing environment variable|not logged in/i,
    'log in with "codex login", or give the provider its key',
  ],
  [/no rollout found/, 'codex has no such thread in its CODEX_HOME, or it was ephemeral'],
  [/waiting for network|error sending request|Connection failed/, 'the model provider cannot be reached'],
];

function explain(error: string): string | undefined {
  return advice.find(([pattern]) => pattern.test(error))?.[1];
}

// ── What codex keeps of a thread ───────────────────────────────────────────────────────────────────────────

/** The last total in the thread's own record; the stream does not tell it for a turn that was cut short. */
async function threadTotal(codexHome: string, threadId: string): Promise<Usage | undefined> {
  const file = await findRollout(join(codexHome, 'sessions'), threadId, 3);
  if (file === undefined) return undefined;
  const lines = (await readRegularFile(file, maxFileBytes)).split('\n');
  const last = lines.findLast((line) => line.includes('"total_token_usage"'));
  if (last === undefined) return undefined;
  const total = /"total_token_usage":(\{[^{}]*\})/.exec(last)?.[1];
  return total === undefined ? undefined : parseUsage(JSON.parse(total));
}

/** Folders by year, month and day; the newest first, since that is what one asks for. */
async function findRollout(folder: string, threadId: string, depth: number): Promise<string | undefined> {
  const names = (await disk.readdir(folder).catch(() => [])).sort().reverse();
  if (depth === 0) {
    const name = names.find((candidate) => candidate.endsWith(`-${threadId}.jsonl`));
    return name && join(folder, name);
  }
  for (const name of names) {
    const found = await findRollout(join(folder, name), threadId, depth - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
