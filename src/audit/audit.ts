import type { Actor } from '../context.ts';
import { Failure } from '../failure.ts';
import { messageOf } from '../json.ts';
import { log } from '../log.ts';
import { Lazy } from '../pace.ts';
import type { ToolResult } from '../tool.ts';
import type { AuditFilter, AuditOptions } from './audit-log.ts';

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
  work(): Promise<Value>;
  /** The outcome of the call, from its value or its error. */
  outcome(end: { readonly value: Value } | { readonly error: unknown }): CallOutcome;
}

export interface Audit {
  /** Records a call that changed nothing: it was denied, or it was invalid. */
  record(call: AuditedCall & CallOutcome): void;
  /** Runs a call that may change something. The call fails, and changes nothing, if the log cannot record it. */
  run<Value>(call: AuditedCall, work: AuditedWork<Value>): Promise<Value>;
  /** Waits until everything is written. */
  close(): Promise<void>;
}

/** The security log, loaded by the first call that it records, so that it does not slow down the start. */
export function createAudit(options: AuditOptions): Audit & Pick<AuditLog, 'list'> {
  const audit = new Lazy(async () => new (await import('./audit-log.ts')).AuditLog(options));
  return {
    record(call) {
      if (options.days === 0) return;
      audit
        .get()
        .then((opened) => opened.record(call))
        .catch((error: unknown) =>
          log('error', `the call of ${call.action} could not be recorded in the security log`, error),
        );
    },
    async run(call, work) {
      if (options.days === 0) return work.work();
      const opened = await audit.get().catch((error: unknown) => {
        throw cannotRecord(call.action, error);
      });
      return opened.run(call, work);
    },
    list: async (filter: AuditFilter) => (await audit.get()).list(filter),
    close: async () => (await audit.current)?.close(),
  };
}

type AuditLog = import('./audit-log.ts').AuditLog;

export function cannotRecord(action: string, error: unknown): Failure {
  return new Failure(
    'unavailable',
    `${action} was not run, because the security log cannot record it: ${messageOf(error)}`,
    { cause: error },
  );
}
