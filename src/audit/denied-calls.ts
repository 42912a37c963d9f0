import type { AuditEntry } from './audit-entry.ts';

const windowMs = 10 * 60_000;
/** Different denied calls that are written in one window. Further ones are only counted. */
const maxKinds = 50;

/** Merges equal denied calls, so that a flood of them cannot fill the disk: at most 101 lines in ten minutes. */
export class DeniedCalls {
  readonly #write: (entry: AuditEntry) => void;
  readonly #counts = new Map<string, { readonly entry: AuditEntry; count: number }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(write: (entry: AuditEntry) => void) {
    this.#write = write;
  }

  /** Writes the first of equal calls at once, and the number of the others at the end of the window. */
  add(entry: AuditEntry): void {
    const { at: _, target, ...kind } = entry;
    const key = JSON.stringify(kind);
    const isOverflow = !this.#counts.has(key) && this.#counts.size >= maxKinds;
    const known = this.#counts.get(isOverflow ? '' : key);
    if (known !== undefined) known.count += 1;
    else if (isOverflow)
      this.#counts.set('', {
        entry: { at: entry.at, actor: 'several', action: 'several', outcome: 'denied' },
        count: 1,
      });
    else {
      this.#counts.set(key, { entry, count: 0 });
      this.#write(entry);
    }
    this.#timer ??= setTimeout(() => this.flush(), windowMs).unref();
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const at = new Date().toISOString();
    for (const { entry, count } of this.#counts.values()) if (count > 0) this.#write({ ...entry, at, count });
    this.#counts.clear();
  }
}
