import type { Actor } from '../context.ts';
import { Failure } from '../failure.ts';
import { isObject, messageOf } from '../json.ts';
import { singleLine } from '../single-line.ts';
import type { ToolResult } from '../tool.ts';

/** One entry of the security log. It contains no secrets: no texts, no addresses of calendars, no tasks. */
export interface AuditEntry {
  readonly at: string;
  readonly actor: string;
  /** The OAuth client that acted for the actor. */
  readonly oauth_client?: string;
  readonly client?: string;
  /** Where a denied request without a valid token came from. */
  readonly address?: string;
  readonly action: string;
  readonly target?: string;
  /** `started`: the call has not ended, or the server was killed before it could record the outcome. */
  readonly outcome: 'started' | 'done' | 'failed' | 'denied';
  readonly reason?: string;
  /** The fields of a person or a rule that changed. */
  readonly before?: object;
  readonly after?: object;
  /** How many equal denied calls this entry stands for. */
  readonly count?: number;
}

/** An entry as it is stored: several of one call describe its start, its change and its outcome. */
export interface AuditRow extends Omit<AuditEntry, 'outcome'> {
  /** Absent in the files of earlier versions, which did not number their entries. */
  readonly log?: string;
  readonly number?: number;
  /** The same for all rows of one call. */
  readonly call?: string;
  readonly outcome: AuditEntry['outcome'] | CallOutcome['outcome'];
}

/** The result of checking the log of one database. */
export interface VerifiedLog {
  readonly database: string;
  readonly entries: number;
  /** Empty if no entry is missing. */
  readonly problems: readonly string[];
}

/** Arguments that name what a call is about. All others may contain private text. */
const targetArguments = [
  'user_id',
  'event_id',
  'calendar_id',
  'notification_id',
  'rule_id',
  'run_id',
  'taskId',
  'thread_id',
  'routine',
  'id',
  'uri',
];
/** The name of a prompt, a token or a routine, but not of a person or a calendar. */
const namedActions = /prompt|token|routine/;
/** Whoever knows them can send messages in the name of the person or read theirs. */
const secretFields = ['webhook_url', 'ntfy_topic'];

const maxTargetLength = 200;

/** Names what the call is about, from its arguments, the ids in its result, and the id of what it changed. */
export function targetOf(
  action: string,
  args: Readonly<Record<string, unknown>>,
  result: ToolResult | undefined,
  changed?: string,
): string | undefined {
  const structured = isObject(result?.structured) ? result.structured : {};
  const names = namedActions.test(action) ? [...targetArguments, 'name'] : targetArguments;
  const parts = new Map<string, string>();
  for (const name of names) {
    const found = name === 'id' ? (structured['id'] ?? changed) : structured['run_id'];
    const value = args[name] ?? (name === 'id' || name === 'run_id' ? found : undefined);
    if (typeof value === 'string' && value !== '' && !parts.has(value)) parts.set(value, `${name}=${value}`);
  }
  return parts.size === 0 ? undefined : singleLine([...parts.values()].join(' '), maxTargetLength);
}

/** The fields that differ, without the values of secrets. */
export function changedFields({
  before,
  after,
}: ToolResult['change'] & {}): Pick<AuditEntry, 'before' | 'after'> {
  const [old, now] = [before, after].map((value) => (isObject(value) ? value : {})) as [object, object];
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter(
    (name) => JSON.stringify(Reflect.get(old, name)) !== JSON.stringify(Reflect.get(now, name)),
  );
  const pick = (from: object) =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value: unknown = Reflect.get(from, name);
        if (value === undefined || value === null) return [];
        return [[name, secretFields.includes(name) ? '(hidden)' : value]];
      }),
    );
  return {
    ...(before !== undefined && { before: pick(old) }),
    ...(after !== undefined && { after: pick(now) }),
  };
}

/** Who calls what. */
export interface AuditedCall {
  readonly actor: Actor;
  /** Name of the MCP client. */
  readonly client?: string;
  /** Address of a caller without a valid token. */
  readonly address?: string | undefined;
  /** Name of the tool or method. */
  readonly action: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface CallOutcome {
  /** `withdrawn`: the call changed nothing and is not listed, for example because it asked the client a question first. */
  readonly outcome: 'done' | 'failed' | 'denied' | 'withdrawn';
  readonly reason?: string;
  readonly result?: ToolResult;
}

export interface AuditedWork<Value> {
  /** True if the call changes only the database, so that the transaction of the change records the call. */
  readonly inDatabase?: boolean;
  /** True if the call frees space on the disk, so it must run even if a full disk prevents its first entry. */
  readonly freesSpace?: boolean;
  work(): Promise<Value>;
  /** The outcome of the call, from its value or its error. */
  outcome(end: { readonly value: Value } | { readonly error: unknown }): CallOutcome;
}

export interface Audit {
  /** Records a call that changed nothing: it was denied, or it was invalid. */
  record(call: AuditedCall & CallOutcome): void;
  /** Runs a call that may change something. It fails, and changes nothing, if the log cannot record it, unless it frees space. */
  run<Value>(call: AuditedCall, work: AuditedWork<Value>): Promise<Value>;
  /** Waits until everything is written. */
  close(): Promise<void>;
}

export interface AuditOptions {
  /** The database that the features change. */
  readonly databaseUrl: string;
  /** A database on this machine, for everything else. */
  readonly localUrl: string;
  /** Folder with the entries of earlier versions: one file of JSON lines for each day. */
  readonly oldFolder: string;
  /** 0 for no log. */
  readonly days: number;
}

export interface AuditFilter {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly outcome?: string | undefined;
  readonly daysBack: number;
}

export function cannotRecord(action: string, error: unknown): Failure {
  return new Failure(
    'unavailable',
    `${action} was not run, because the security log cannot record it: ${messageOf(error)}`,
    { cause: error },
  );
}
