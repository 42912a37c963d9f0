import type { AuditEntry } from './audit-entry.ts';

const windowMs = 10 * 60_000;
/** Different denied calls of one actor that are written in one window. Further ones are only counted. */
const maxKinds = 50;
/** The same for all requests without a valid token together. */
const maxKindsOfNobody = 10;
/** Subjects of OAuth tokens with counts of their own in one window. Named tokens always have theirs. */
const maxSubjects = 100;

interface Bucket {
  readonly actor: string;
  readonly kinds: Map<string, { readonly entry: AuditEntry; count: number }>;
  /** Denied calls of further kinds. */
  others: number;
}

/**
 * Merges equal denied calls, so that a flood of them cannot fill the disk. Every actor has a bucket of its own, so that no
 * flood hides the denied calls of another actor.
 */
export class DeniedCalls {
  readonly #write: (entry: AuditEntry) => void;
  readonly #buckets = new Map<string, Bucket>();
  #timer: NodeJS.Timeout | undefined;

  constructor(write: (entry: AuditEntry) => void) {
    this.#write = write;
  }

  /** Writes the first of equal calls at once, and the number of the others at the end of the window. */
  add(entry: AuditEntry): void {
    const bucket = this.#bucketOf(entry.actor);
    const { at: _, target, ...kind } = entry;
    const key = JSON.stringify(kind);
    const known = bucket.kinds.get(key);
    const room = bucket.actor === 'several' ? 0 : bucket.actor === 'nobody' ? maxKindsOfNobody : maxKinds;
    if (known !== undefined) known.count += 1;
    else if (bucket.kinds.size >= room) bucket.others += 1;
    else {
      bucket.kinds.set(key, { entry, count: 0 });
      this.#write(entry);
    }
    this.#timer ??= setTimeout(() => this.flush(), windowMs).unref();
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const at = new Date().toISOString();
    for (const { actor, kinds, others } of this.#buckets.values()) {
      for (const { entry, count } of kinds.values()) if (count > 0) this.#write({ ...entry, at, count });
      if (others > 0) this.#write({ at, actor, action: 'several', outcome: 'denied', count: others });
    }
    this.#buckets.clear();
  }

  #bucketOf(actor: string): Bucket {
    const isFull = actor.startsWith('oauth ') && this.#buckets.size >= maxSubjects;
    const name = isFull && !this.#buckets.has(actor) ? 'several' : actor;
    const bucket = this.#buckets.get(name) ?? { actor: name, kinds: new Map(), others: 0 };
    this.#buckets.set(name, bucket);
    return bucket;
  }
}
