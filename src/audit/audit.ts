import { Lazy } from '../awaitable.ts';
import { log } from '../log.ts';
import type { AuditFilter, AuditOptions } from './audit-log.ts';
import type { AuditedCall } from './audited-call.ts';

/** The audit log, loaded when the first call is recorded, so that it does not slow down the start. */
export function createAudit(options: AuditOptions) {
  const audit = new Lazy(async () => new (await import('./audit-log.ts')).AuditLog(options));
  return {
    record(call: AuditedCall): void {
      audit
        .get()
        .then((opened) => opened.record(call))
        .catch((error: unknown) =>
          log('error', `the call of ${call.action} could not be recorded in the audit log`, error),
        );
    },
    list: async (filter: AuditFilter) => (await audit.get()).list(filter),
    close: async () => (await audit.current)?.close(),
  };
}
