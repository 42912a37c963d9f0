import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../failure.ts';
import { isObject } from '../../json.ts';
import { readRegularFile } from '../../regular-file.ts';
import { parseObject } from '../files/json-file.ts';
import type { Agent, AgentCall, AgentEvent, AgentItem, Usage } from './agent.ts';
import { refuseBlockingFiles } from './blocking-files.ts';
import { claudeSettings } from './claude-settings.ts';
import { readWrites } from './claude-writes.ts';
import { findExecutable, readVersion } from './executable.ts';
import { type HiddenFiles, hiddenPaths, isInside } from './folder-scope.ts';
import { projectInstructions, projectRoot } from './project-instructions.ts';
import type { Sandbox } from './sandbox.ts';

export interface ClaudeOptions extends HiddenFiles {
  readonly command: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folders whose own settings apply to runs in them. */
  readonly trustedFolders: readonly string[];
}

const installHint =
  'install it with "npm install -g @anthropic-ai/claude-code" or set delegate.command to its path.';

const maxRetries = '2';

/** Claude Code has no read-only sandbox, so a read-only run gets only the tools that read. */
const permissions: Readonly<Record<Sandbox, readonly string[]>> = {
  'read-only': ['--permission-mode', 'dontAsk', '--tools', 'Read,Grep,Glob'],
  'workspace-write': ['--permission-mode', 'acceptEdits'],
  'danger-full-access': ['--dangerously-skip-permissions'],
};

/** Runs `claude -p`, which reads the prompt from standard input and writes events to standard output. */
export function createClaude(options: ClaudeOptions): Agent {
  const { command = 'claude', env } = options;
  const locate = () => findExecutable(command, env, installHint);
  return {
    name: 'claude',
    label: 'claude',
    testedVersion: '2.1.197',
    usageCovers: 'run',
    async invoke(call) {
      if (call.fork !== undefined) throw new Failure('refused', 'Runs of Claude Code cannot be forked.');
      if (call.configOverrides.length > 0)
        throw new Failure('refused', 'config_overrides works with Codex only. Remove it to run Claude Code.');
      const subcommandArgs = call.threadId === undefined ? [] : ['--resume', call.threadId];
      await refuseBlockingFiles(call.cwd);
      const isTrusted = await isInside(call.cwd, options.trustedFolders);
      const hidden = await hiddenPaths(options, call.cwd);
      const settings = await claudeSettings(env, call.sandbox, isTrusted, hidden);
      const isNew = call.threadId === undefined;
      const preamble = isNew && !isTrusted ? await loadInstructions(call.cwd) : undefined;
      const servers = isTrusted ? projectServers(call.cwd) : [];
      return {
        command: await locate(),
        args: [...(await buildArguments(call)), ...servers, ...settings.args, ...subcommandArgs],
        env: {
          ...settings.env,
          // Its ten retries would take minutes to report a wrong key or an overloaded model.
          CLAUDE_CODE_MAX_RETRIES: env['CLAUDE_CODE_MAX_RETRIES'] || maxRetries,
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
          // Claude Code would otherwise run `git status`, and git would start the filters configured in the repository.
          CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS: '1',
        },
        subcommandArgs,
        ...(preamble !== undefined && { preamble }),
      };
    },
    parse,
    writes: readWrites,
    locate,
    version: async () => readVersion(await locate(), env),
  };
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
    // Skip the user's MCP servers: this server may be one of them.
    '--strict-mcp-config',
    ...permissions[call.sandbox],
    ...(call.model === undefined ? [] : ['--model', call.model]),
    ...(call.reasoningEffort === undefined ? [] : ['--effort', call.reasoningEffort]),
    ...(call.ephemeral ? ['--no-session-persistence'] : []),
    ...(call.skills === 'named' ? ['--disable-slash-commands'] : []),
  ];
}

function parse(line: string): readonly AgentEvent[] {
  const event = parseObject(line);
  switch (event?.['type']) {
    case 'system':
      return event['subtype'] === 'init'
        ? [{ kind: 'thread', threadId: String(event['session_id']) }, { kind: 'turn' }]
        : [];
    case 'assistant':
      return contentBlocks(event).flatMap(toStarted);
    case 'user':
      return contentBlocks(event).flatMap(toCompleted);
    case 'result':
      return [toEnd(event)];
    default:
      return [];
  }
}

type Fields = Readonly<Record<string, unknown>>;

function contentBlocks({ message }: Fields): readonly Fields[] {
  const content = isObject(message) ? message['content'] : undefined;
  return Array.isArray(content) ? content.filter(isObject) : [];
}

function toStarted(block: Fields): readonly AgentEvent[] {
  const id = String(block['id'] ?? '');
  switch (block['type']) {
    case 'text':
      return [
        { kind: 'item', id, phase: 'completed', item: { type: 'message', text: String(block['text']) } },
      ];
    case 'thinking':
      return [
        {
          kind: 'item',
          id,
          phase: 'completed',
          item: { type: 'reasoning', text: String(block['thinking']) },
        },
      ];
    case 'tool_use':
      return [
        {
          kind: 'item',
          id,
          phase: 'started',
          item: toItem(String(block['name']), isObject(block['input']) ? block['input'] : {}),
        },
      ];
    default:
      return [];
  }
}

function toItem(name: string, input: Fields): AgentItem {
  const path = input['file_path'] ?? input['notebook_path'];
  if (name === 'Bash') return { type: 'command', command: String(input['command']) };
  if (['Edit', 'MultiEdit', 'NotebookEdit'].includes(name))
    return { type: 'files', changes: [{ path: String(path), kind: 'update' }] };
  if (name === 'Write') return { type: 'files', changes: [{ path: String(path), kind: 'add' }] };
  if (name === 'TodoWrite' && Array.isArray(input['todos']))
    return {
      type: 'todo',
      items: input['todos']
        .filter(isObject)
        .map((todo) => ({ text: String(todo['content']), completed: todo['status'] === 'completed' })),
    };
  return { type: 'tool', name };
}

function toCompleted(block: Fields): readonly AgentEvent[] {
  if (block['type'] !== 'tool_result') return [];
  const id = String(block['tool_use_id']);
  return [{ kind: 'item', id, phase: 'completed', item: { type: 'tool', name: 'result' } }];
}

function toEnd(event: Fields): AgentEvent {
  const usage = toUsage(event['usage']);
  const text = String(event['result'] ?? event['subtype']);
  if (event['is_error'] === true || event['subtype'] !== 'success') {
    const errors = Array.isArray(event['errors']) ? event['errors'].join('; ') : '';
    return { kind: 'failed', message: errors || text, ...(usage !== undefined && { usage }) };
  }
  const structured = event['structured_output'];
  return {
    kind: 'completed',
    usage,
    message: structured === undefined ? text : JSON.stringify(structured),
    ...(typeof event['total_cost_usd'] === 'number' && { costUsd: event['total_cost_usd'] }),
  };
}

function toUsage(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const cached = Number(usage['cache_read_input_tokens'] ?? 0);
  const written = Number(usage['cache_creation_input_tokens'] ?? 0);
  return {
    // Claude Code reports cached tokens separately; `input_tokens` of a tool result includes them.
    input_tokens: Number(usage['input_tokens'] ?? 0) + cached + written,
    cached_input_tokens: cached,
    output_tokens: Number(usage['output_tokens'] ?? 0),
    reasoning_output_tokens: 0,
  };
}
