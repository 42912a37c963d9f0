import type { ValueOf } from '../../../tool.ts';

export const approvalDecisions = ['allow_once', 'allow_run', 'refuse'] as const;
export type ApprovalDecision = (typeof approvalDecisions)[number];

const text = { type: 'string' } as const;

/** A request that waits for a person, as `approvals.json` of the run and tools list it. Fields that do not apply are absent. */
export const approvalSchema = {
  type: 'object',
  required: ['id', 'what', 'decisions', 'asked_at', 'expires_at'],
  properties: {
    /** Unique within the run. */
    id: text,
    run_id: { ...text, description: 'The job of an autopilot, for answer_approval' },
    job: { ...text, description: 'Its title' },
    what: { enum: ['command', 'files', 'network', 'tool', 'permissions'] },
    command: text,
    /** The folder of the command. */
    cwd: text,
    /** The changes to files, as a unified diff or as a list of paths. */
    diff: text,
    host: text,
    /** The name of the tool. */
    tool: text,
    /** The other arguments of the call, or the wanted permissions. */
    arguments: { ...text, description: 'As JSON' },
    /** Why the agent asks, in its own words. */
    reason: text,
    /** The answers that the agent understands. Not every agent can remember one until the run ends. */
    decisions: { type: 'array', items: { enum: approvalDecisions } },
    asked_at: text,
    /** When the request is refused if nobody answers. */
    expires_at: text,
  },
} as const;

export type PendingApproval = ValueOf<typeof approvalSchema>;

/** What an agent asks permission for. */
export type ApprovalRequest = Omit<PendingApproval, 'run_id' | 'job' | 'asked_at' | 'expires_at'>;

export interface ApprovalAnswer {
  readonly decision: ApprovalDecision;
  /** For a refusal: the agent gets it if its protocol can carry it. */
  readonly reason?: string;
}

/** An order of a person for a run in progress. Any server of the user sends it through the socket of the run host. */
export type RunOrder = { readonly by: string } & (
  | { readonly kind: 'steer'; readonly message: string }
  /** Without a message the run ends; with one, the agent continues with it. */
  | { readonly kind: 'interrupt'; readonly message?: string }
  | ({ readonly kind: 'answer'; readonly approval: string } & ApprovalAnswer)
);

/** Longer texts are cut. */
const maxShownChars = 64 * 1024;
const shownFields = ['command', 'cwd', 'diff', 'host', 'tool', 'arguments', 'reason'] as const;
/** The fields that say what is decided. One is enough. */
const subjects = {
  command: ['command'],
  files: ['diff'],
  network: ['host', 'arguments'],
  tool: ['arguments'],
  permissions: ['arguments'],
} as const satisfies Record<ApprovalRequest['what'], readonly (keyof ApprovalRequest)[]>;

/** The request as people see it. Nobody can allow a request that is cut, or that does not say what it is about. */
export function shownRequest(request: ApprovalRequest): ApprovalRequest {
  const cut = shownFields.filter((name) => (request[name]?.length ?? 0) > maxShownChars);
  const short = Object.fromEntries(cut.map((name) => [name, shorten(request[name]!)]));
  const isWhole = cut.every((name) => name === 'reason');
  const isEmpty = subjects[request.what].every((name) => !request[name]?.trim());
  return { ...request, ...short, ...((!isWhole || isEmpty) && { decisions: ['refuse'] }) };
}

function shorten(text: string): string {
  return `${text.slice(0, maxShownChars)}\n… ${text.length - maxShownChars} more characters are not shown`;
}
