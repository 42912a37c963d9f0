import type { ReplyAccount } from '../engine/call.ts';
import { log } from '../log.ts';

export interface ReplyLimits {
  /** Bytes of replies that are held for one session. */
  readonly sessionBytes: number;
  /** Bytes of replies that are held for all sessions together. */
  readonly serverBytes: number;
}

const mebibyte = 1024 * 1024;
const defaultLimits: ReplyLimits = { sessionBytes: 24 * mebibyte, serverBytes: 96 * mebibyte };

/** A client may lose its connection while the last bytes are on their way, and notices that within seconds. */
const deliveredMs = 10_000;
const undeliveredMs = 5 * 60_000;

/** Replies to a finished request: sent, waiting for a client that lost its connection, or being read. */
export interface KeptReplies {
  isBeingRead(): boolean;
  /** Releases the memory at once. */
  drop(): void;
  /** Called when the client cannot ask for the replies any more. */
  forget(): void;
}

interface Kept extends KeptReplies {
  readonly owner: object;
  isDelivered: boolean;
  timer: NodeJS.Timeout;
}

/**
 * Counts the bytes of replies that this server holds: the replies of batches in progress, replies that are not read yet, and
 * those that are kept for clients that lost their connection. If a session or the server holds too many, kept replies are
 * dropped, and further requests wait until clients have read others. A reply that is being read is dropped only if the server
 * as a whole holds too many, that of the session with the most bytes first.
 */
export class ReplyMemory {
  readonly #limits: ReplyLimits;
  readonly #held = new Map<object, number>();
  /** Oldest first. */
  readonly #kept = new Set<Kept>();
  readonly #waiting = new Set<() => void>();
  #total = 0;

  constructor(limits: ReplyLimits = defaultLimits) {
    this.#limits = limits;
  }

  isFull(owner: object): boolean {
    return this.#heldBy(owner) > this.#limits.sessionBytes || this.#total > this.#limits.serverBytes;
  }

  /** Counts bytes that the owner begins to hold, or releases if the number is negative. */
  hold(owner: object, bytes: number): void {
    const held = this.#heldBy(owner) + bytes;
    if (held === 0) this.#held.delete(owner);
    else this.#held.set(owner, held);
    this.#total += bytes;
    if (bytes > 0) this.#makeRoom(owner);
    else this.wake();
  }

  /** The account of an owner that may not exist yet. */
  accountOf(owner: () => object): ReplyAccount {
    const memory = this;
    return {
      hold: (bytes) => memory.hold(owner(), bytes),
      get isFull() {
        return memory.isFull(owner());
      },
    };
  }

  /** Keeps replies that the owner holds already for a while. */
  keep(owner: object, replies: KeptReplies): Kept {
    const timer = setTimeout(() => this.forget(kept), undeliveredMs).unref();
    const kept: Kept = { ...replies, owner, isDelivered: false, timer };
    this.#kept.add(kept);
    return kept;
  }

  /** The client has received the replies, as far as the server can know. */
  deliver(kept: Kept): void {
    if (!this.#kept.has(kept)) return;
    kept.isDelivered = true;
    clearTimeout(kept.timer);
    kept.timer = setTimeout(() => this.forget(kept), deliveredMs).unref();
    this.#makeRoom(kept.owner);
  }

  forget(kept: Kept): void {
    clearTimeout(kept.timer);
    this.#kept.delete(kept);
    kept.drop();
    kept.forget();
  }

  /** Forgets everything that is kept for an owner. */
  end(owner: object): void {
    for (const kept of this.#kept) if (kept.owner === owner) this.forget(kept);
    this.wake();
  }

  /** Resolves when something has changed that a request may wait for. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  #heldBy(owner: object): number {
    return this.#held.get(owner) ?? 0;
  }

  #makeRoom(owner: object): void {
    const { sessionBytes, serverBytes } = this.#limits;
    if (this.#heldBy(owner) > sessionBytes) {
      const own = [...this.#kept].filter((kept) => kept.owner === owner);
      this.#dropWhile(() => this.#heldBy(owner) > sessionBytes, dropOrder(own));
    }
    if (this.#total > serverBytes) {
      const all = [...this.#kept].sort((a, b) => this.#heldBy(b.owner) - this.#heldBy(a.owner));
      const beingRead = all.filter((kept) => kept.isBeingRead());
      this.#dropWhile(() => this.#total > serverBytes, [...dropOrder(all), ...beingRead]);
    }
  }

  #dropWhile(isTooMuch: () => boolean, candidates: readonly Kept[]): void {
    for (const kept of candidates) {
      if (!isTooMuch()) return;
      if (!kept.isDelivered)
        log('warning', 'dropped replies that a client has not read, because the server holds too many');
      kept.drop();
    }
  }
}

/** Delivered replies first, then those of clients that lost their connection. */
function dropOrder(kept: readonly Kept[]): readonly Kept[] {
  const delivered = kept.filter(({ isDelivered }) => isDelivered);
  return [...delivered, ...kept.filter((one) => !one.isDelivered && !one.isBeingRead())];
}
