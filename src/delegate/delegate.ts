import { existsSync } from 'node:fs';
import {
  type Change,
  type Context,
  defineTool,
  type Feature,
  type Tool,
  type ToolResult,
} from '../feature.ts';
import { log } from '../log.ts';
import type { Records } from '../records.ts';
import type { AgentName } from './agent.ts';
import { autopilotReport } from './autopilot-report.ts';
import { type AutopilotInput, autopilotInput, autopilotOutputSchema } from './autopilot-schema.ts';
import type { AutopilotSettings } from './autopilot-settings.ts';
import type { Desk } from './desk.ts';
import type { Limits } from './follower.ts';
import type { RunRecord } from './record.ts';
import { runReport } from './report.ts';
import { runResources } from './run-resources.ts';
import { runTools } from './run-tools.ts';
import type { Sandbox } from './sandbox.ts';
import { takesTasks, taskMethods, taskOf, tasksExtension } from './tasks.ts';
import { type ResumeInput, type RunInput, resumeInput, runInput, runOutputSchema } from './tool-schema.ts';

/** The first look comes soon after the start, but not in its way. */
const firstSweepMs = 500;
const sweepEveryMs = 5_000;
/** While there are runs of dead servers, which may be parts of something that is to go on. */
const sweepSoonMs = 500;

export interface DelegateOptions {
  /** Only the tools that the published document knows, and each call answered at the end of its run. */
  readonly document: boolean;
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
  readonly autopilot: AutopilotSettings;
  readonly onDisconnect: 'cancel' | 'finish';
  /** After so long a call answers with the run's id; 0 to wait for its end. */
  readonly answerWithinMs: number;
  /** Where several machines tell each other of their runs. */
  readonly records?: Records;
  /** A prompt of the library filled with a text; `undefined` when there is none of that name. */
  expandPrompt?(name: string, input: string): Promise<string | undefined>;
}

/** Sub-agents that really finish. */
export function createDelegate(options: DelegateOptions): Feature {
  const listeners = new Set<(change: Change) => void>();
  const publish = (change: Change) => {
    for (const listener of listeners) listener(change);
  };
  let opened: Promise<Desk> | undefined;
  const desk = () => {
    opened ??= import('./desk.ts')
      .then(({ openDesk }) => openDesk(options, publish))
      .catch((error) => {
        // Not kept: a load that failed with too many open files succeeds later.
        opened = undefined;
        throw error;
      });
    return opened;
  };
  const runs = async () => (await desk()).runs;

  const start = async (
    tool: 'delegate_run' | 'delegate_resume',
    input: RunInput | ResumeInput,
    context: Context,
  ): Promise<ToolResult> => {
    const { delegation } = await desk();
    const begun = await delegation.beginRun(tool, input, context);
    const { directory } = begun;
    if (directory !== undefined && !options.document && takesTasks(context)) {
      begun.detach();
      return { task: taskOf(await (await runs()).show(directory.id)) };
    }
    const record = (await delegation.outcomeOf(begun)) ?? (await (await runs()).show(directory!.id));
    return toResult(tool, record);
  };

  const fly = async (input: AutopilotInput, context: Context): Promise<ToolResult> => {
    const { delegation } = await desk();
    const begun = await delegation.beginAutopilot(input, context);
    const { directory } = begun;
    const { loadAutopilot } = await import('./autopilot-record.ts');
    if (directory !== undefined && !options.document && takesTasks(context)) {
      begun.detach();
      return { task: taskOf(await (await runs()).show(directory.id)) };
    }
    const output =
      (await delegation.outcomeOf(begun)) ?? (await loadAutopilot(directory!.path, directory!.id))!;
    return { structured: output, content: [{ type: 'text', text: autopilotReport(output) }] };
  };

  const outputSchema = runOutputSchema(options.answerWithinMs > 0);
  // A sub-agent that may write may also overwrite, and it talks to a model out there.
  const annotations = { readOnlyHint: false, destructiveHint: true, openWorldHint: true };
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
    defineTool({
      name: 'delegate_autopilot',
      title: 'Delegate Autopilot',
      description:
        'Decide whether a task is worth splitting up, and if so plan it, run the jobs with several sub-agents and gather what they came to. A plain question or a small edit is not delegated.',
      inputSchema: autopilotInput,
      outputSchema: autopilotOutputSchema(options.answerWithinMs > 0),
      annotations,
      call: (input, context) => fly(input as AutopilotInput, context),
    }),
  ];

  // Servers that come up later take over what earlier ones had to leave.
  let next: NodeJS.Timeout;
  let closed = false;
  const sweepAfter = (milliseconds: number) => {
    next = setTimeout(async () => {
      if (options.records !== undefined || existsSync(options.ledgerFile))
        await (await desk()).sweep().catch(complain);
      const hasAdopted = (await opened)?.delegation.supervisor.hasAdopted === true;
      if (!closed) sweepAfter(hasAdopted ? sweepSoonMs : sweepEveryMs);
    }, milliseconds).unref();
  };
  sweepAfter(firstSweepMs);

  return {
    name: 'delegate',
    tools: options.document ? tools : [...tools, ...runTools(runs, options.answerWithinMs || 50_000)],
    ...(!options.document && {
      resources: runResources(runs),
      methods: taskMethods(runs),
      extensions: { [tasksExtension]: {} },
    }),
    problems: async () => (await opened)?.problems() ?? [],
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      closed = true;
      clearTimeout(next);
      await (await opened)?.close();
    },
  };
}

function complain(error: unknown): void {
  log('error', 'runs of earlier servers cannot be looked after', error);
}

function toResult(tool: string, record: RunRecord): ToolResult {
  return { structured: record, content: [{ type: 'text', text: runReport(tool, record) }] };
}
