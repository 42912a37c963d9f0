/** What an agent asks permission for. Fields that do not apply are absent. */
export interface ApprovalRequest {
  /** Unique within the run. */
  readonly id: string;
  readonly what: 'command' | 'files' | 'network' | 'tool' | 'permissions';
  readonly command?: string;
  /** The folder of the command. */
  readonly cwd?: string;
  /** The changes to files, as a unified diff or as a list of paths. */
  readonly diff?: string;
  readonly host?: string;
  /** The name of the tool. */
  readonly tool?: string;
  /** Why the agent asks, in its own words. */
  readonly reason?: string;
  /** The answers that the agent understands. Not every agent can remember one until the run ends. */
  readonly decisions: readonly ApprovalDecision[];
}

export const approvalDecisions = ['allow_once', 'allow_run', 'refuse'] as const;
export type ApprovalDecision = (typeof approvalDecisions)[number];

export interface ApprovalAnswer {
  readonly decision: ApprovalDecision;
  /** For a refusal: the agent gets it if its protocol can carry it. */
  readonly reason?: string;
}
