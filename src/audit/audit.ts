import type { AuditFilter, AuditLog, AuditOptions } from './audit-log.ts';
import type { AuditedCall } from './audited-call.ts';

/** The audit log, loaded when the first call is recorded, so that it does not slow down the start. */
export function createAudit(options: AuditOptions) {
  let opening: Promise<AuditLog> | undefined;
  const open = () => {
    opening ??= import('./audit-log.ts').then(({ AuditLog }) => new AuditLog(options));
    return opening;
  };
  return {
    record: (call: AuditedCall) => void open().then((log) => log.record(call)),
    list: async (filter: AuditFilter) => (await open()).list(filter),
    close: async () => (await opening)?.close(),
  };
}
