import {
  type Change,
  type Context,
  defineTool,
  type Feature,
  type Tool,
  type ToolResult,
} from '../feature.ts';
import type { AgentName } from './agent.ts';
import type { Delegation, RunTool } from './delegation.ts';
import type { RunRecord } from './record.ts';
import { runReport } from './report.ts';
import type { Sandbox } from './sandbox.ts';
import type { Limits } from './supervisor.ts';
import { type ResumeInput, type RunInput, resumeInput, runInput, runOutputSchema } from './tool-schema.ts';

export interface DelegateOptions {
  readonly agent: AgentName;
  readonly command: string | undefined;
  readonly codexHome: string;
  readonly userHome: string;
  readonly runsDir: string;
  readonly ledgerFile: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly maxParallel: number;
  readonly limits: Limits;
  readonly reasoningEffort: string | undefined;
  readonly ceiling: Sandbox;
  readonly dangerFolders: readonly string[];
  readonly ownEntry: { readonly names: readonly string[]; readonly port: number };
  readonly onDisconnect: 'cancel' | 'finish';
  /** After so long a call answers with the run's id; 0 to wait for its end. */
  readonly answerWithinMs: number;
  /** A prompt of the library filled with a text; `undefined` when there is none of that name. */
  expandPrompt?(name: string, input: string): Promise<string | undefined>;
}

/** Sub-agents that really finish. */
export function createDelegate(options: DelegateOptions): Feature {
  const listeners = new Set<(change: Change) => void>();
  const publish = (change: Change) => {
    for (const listener of listeners) listener(change);
  };
  let made: Promise<Delegation> | undefined;
  const delegation = () => {
    made ??= import('./delegation.ts').then(({ Delegation }) => new Delegation(options, publish));
    return made;
  };

  const start = async (
    tool: RunTool,
    input: RunInput | ResumeInput,
    context: Context,
  ): Promise<ToolResult> => {
    const core = await delegation();
    const begun = await core.begin(tool, input, context);
    return toResult(tool, await core.within(begun, options.answerWithinMs));
  };

  const outputSchema = runOutputSchema(options.answerWithinMs > 0);
  // Honest, and what lets codex call them without asking: a sandbox bounds what the sub-agent may change.
  const annotations = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };
  const tools: Tool[] = [
    defineTool({
      name: 'delegate_run',
      title: 'Delegate Run',
      description:
        'Give a task to a specialist sub-agent with a fresh context and get back its structured result. The run leaves its files in a directory of its own.',
      inputSchema: runInput,
      outputSchema,
      annotations,
      call: (input, context) => start('delegate_run', input as RunInput, context),
    }),
    defineTool({
      name: 'delegate_resume',
      title: 'Delegate Resume',
      description:
        'Go on with the thread of an earlier sub-agent, with a follow-up task or without one, and get back its structured result.',
      inputSchema: resumeInput,
      outputSchema,
      annotations,
      call: (input, context) => start('delegate_resume', input as ResumeInput, context),
    }),
  ];

  return {
    name: 'delegate',
    tools,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      await (await made)?.close();
    },
  };
}

export function toResult(tool: string, record: RunRecord): ToolResult {
  return { structured: record, content: [{ type: 'text', text: runReport(tool, record) }] };
}
