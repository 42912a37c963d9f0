import { log } from '../log.ts';
import { Lazy } from '../pace.ts';
import { type Audit, type AuditFilter, type AuditOptions, cannotRecord } from './audit-entry.ts';

/** The security log, loaded by the first call that it records, so that it does not slow down the start. */
export function createAudit(
  options: AuditOptions,
): Audit & Pick<AuditLog, 'list' | 'titles' | 'verify' | 'rows'> {
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
    titles: async (ids) => (await audit.get()).titles(ids),
    verify: async () => (await audit.get()).verify(),
    async *rows() {
      yield* (await audit.get()).rows();
    },
    close: async () => (await audit.current)?.close(),
  };
}

type AuditLog = import('./audit-log.ts').AuditLog;
