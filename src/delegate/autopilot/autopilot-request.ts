import type { AgentName, CommandPlace, Confinement } from '../agents/agent.ts';
import type { Sandbox } from '../agents/sandbox.ts';
import type { AutopilotSettings } from '../run/autopilot-settings.ts';
import type { RunAgent } from '../run/run-request.ts';
import type { AutopilotInput } from './autopilot-schema.ts';
import type { JobRunnerOptions } from './job-runner.ts';
import type { Plan } from './plan.ts';

/** An agent, a model or both. Absent fields: as configured. */
export interface Candidate {
  readonly agent?: string;
  readonly model?: string;
  readonly reasoning_effort?: string;
}

/** What `delegate_compare` adds to an autopilot: the jobs are given, and one of them wins. */
export interface ComparisonRequest {
  readonly candidates: readonly Candidate[];
  /** Commands that are run on the work of each candidate. */
  readonly checks: readonly string[];
  readonly deliver: 'none' | 'winner';
  readonly judge?: Candidate;
}

/** What the autopilot needs from its surroundings. */
export interface AutopilotPorts {
  readonly settings: AutopilotSettings;
  /** True under the drop-in contract. */
  readonly isDocument: boolean;
  /** The most jobs that the model may plan. Default: `max_agents` of the call. */
  readonly maxJobs: number | undefined;
  readonly codexHome: string;
  readonly userHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder that all servers of the user share. */
  readonly stateDir: string;
  readonly run: RunAgent;
  /** The configured agent. */
  readonly agent: AgentName;
  /** Those of these agents whose programs are installed. */
  available(names: readonly AgentName[]): Promise<readonly AgentName[]>;
  /** The variables of the person that checks do not get. */
  readonly hiddenVariables: readonly string[];
  confine(place: CommandPlace): Promise<Confinement | undefined>;
  readonly listen: JobRunnerOptions['listen'];
  readonly signal: AbortSignal;
  /** Why the cancellation of the whole autopilot was requested, also by another server. */
  cancellationReason(): string | undefined;
}

/** A checked tool call: task and role are expanded and the sandbox is granted. */
export interface AutopilotRequest {
  readonly input: AutopilotInput;
  readonly task: string;
  readonly role: string;
  readonly cwd: string;
  readonly sandbox: Sandbox;
  readonly warnings: readonly string[];
  /** The folders that hold skills of the library. */
  readonly librarySkills?: readonly string[];
  /** True if its writing jobs may ask people for permission to leave their sandbox. */
  readonly mayAsk?: boolean;
  /** How long their requests wait for an answer, unless the settings say so. */
  readonly approvalTimeoutMs?: number;
  /** Present if the changes are not applied when a job ends: its jobs share a workspace. */
  readonly apply?: 'ask' | 'branch';
  /** Present if the caller passed the jobs. */
  readonly plan?: Plan;
  /** Present if several agents do the whole task, and the best result is chosen. */
  readonly comparison?: ComparisonRequest;
}
