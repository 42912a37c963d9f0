import type { ApprovalAnswer } from './approval.ts';

/** An order of a person for a run in progress. Any server of the user sends it through the socket of the run host. */
export type RunOrder = { readonly by: string } & (
  | { readonly kind: 'steer'; readonly message: string }
  /** Without a message the run ends; with one, the agent continues with it. */
  | { readonly kind: 'interrupt'; readonly message?: string }
  | ({ readonly kind: 'answer'; readonly approval: string } & ApprovalAnswer)
);
