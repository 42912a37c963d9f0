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
  /** The other arguments of the call as JSON, or the wanted permissions. */
  readonly arguments?: string;
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
