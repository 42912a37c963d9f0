import { promises as disk } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Failure } from '../../failure.ts';
import { type Lease, Leases, setUpLeases } from '../../store/lease.ts';
import { LocalDatabase } from '../../store/local-database.ts';
import { isInFolder } from '../process/folder-scope.ts';
import { identify, isAlive } from '../process/process-table.ts';

/**
 * How a process uses a folder: `isolated` runs an agent on a copy or an overlay of it, `delivery` applies changes to it (the word of
 * earlier versions, whose processes may use the same file).
 */
export type ClaimKind = 'isolated' | 'delivery';

export interface Claim {
  readonly folder: string;
  readonly run: string;
  readonly kind: ClaimKind;
  /** Where an isolated run keeps its files. */
  readonly storage: string;
}

/** Processes of earlier versions add rows without naming the columns, so the fence is the row's number. */
const schema =
  'CREATE TABLE IF NOT EXISTS claims (folder TEXT, run TEXT, kind TEXT, storage TEXT, pid INTEGER, born TEXT)';
const leaseTable = { name: 'claims', key: 'folder', pid: 'pid', born: 'born', fence: 'rowid' };

const backoff = { minMs: 3, maxMs: 60 };

/** The folders that runs use now, in a database that all servers of a user share. A claim ends with its process. */
export class FolderClaims {
  readonly #database: LocalDatabase;
  readonly #leases: Leases;

  private constructor(database: LocalDatabase, leases: Leases) {
    this.#database = database;
    this.#leases = leases;
  }

  static async open(stateDir: string): Promise<FolderClaims> {
    const database = await LocalDatabase.open(join(stateDir, 'folders.sqlite'), (file) => {
      file.exec(schema);
      setUpLeases(file, leaseTable);
    });
    return new FolderClaims(
      database,
      new Leases(database, leaseTable, (await identify(process.pid))!, isAlive),
    );
  }

  close(): void {
    this.#database.close();
  }

  /** Claims a folder, unless it overlaps with a claim of another run that is of one of these kinds. */
  async tryClaim(claim: Claim, conflictsWith: readonly ClaimKind[]): Promise<Lease | undefined> {
    const folder = await disk.realpath(claim.folder);
    await this.#leases.removeDead();
    const { run, kind, storage } = claim;
    return this.#database.transaction(() =>
      this.#claims().some(
        (other) => other.run !== run && conflictsWith.includes(other.kind) && overlap(other.folder, folder),
      )
        ? undefined
        : this.#leases.take(folder, { run, kind, storage }),
    );
  }

  release(run: string, kind: ClaimKind): void {
    this.#database.run('DELETE FROM claims WHERE run = ? AND kind = ?', run, kind);
  }

  /** The isolated runs of other runs on folders that overlap with this one. */
  isolatedBeside(folder: string, run: string): readonly Claim[] {
    return this.#claims().filter(
      (other) => other.run !== run && other.kind === 'isolated' && overlap(other.folder, folder),
    );
  }

  /** Waits until the folder is free of these kinds of claims, and claims it. */
  async waitFor(
    claim: Claim,
    conflictsWith: readonly ClaimKind[],
    signal?: AbortSignal,
    limitMs = Number.POSITIVE_INFINITY,
  ): Promise<Lease> {
    const deadline = performance.now() + limitMs;
    for (let maxDelay = backoff.minMs; ; maxDelay = Math.min(maxDelay * 1.5, backoff.maxMs)) {
      signal?.throwIfAborted();
      const lease = await this.tryClaim(claim, conflictsWith);
      if (lease !== undefined) return lease;
      if (performance.now() > deadline)
        throw new Failure('unavailable', `another run has used ${claim.folder} for too long`);
      // Random, so that waiting processes do not retry at the same moment.
      await pause(1 + Math.random() * maxDelay, undefined, signal && { signal }).catch(() => {});
    }
  }

  /** Does the work while holding the claim. `assertHeld` throws if another process has taken this one for dead. */
  async hold<Value>(
    claim: Claim,
    conflictsWith: readonly ClaimKind[],
    work: (assertHeld: () => void) => Promise<Value>,
    signal?: AbortSignal,
    limitMs?: number,
  ): Promise<Value> {
    const lease = await this.waitFor(claim, conflictsWith, signal, limitMs);
    try {
      return await work(() => this.#leases.assertHeld(lease));
    } finally {
      this.release(claim.run, claim.kind);
    }
  }

  #claims(): readonly Claim[] {
    return this.#database.all('SELECT folder, run, kind, storage FROM claims') as unknown as Claim[];
  }
}

/** True if one of the folders contains the other. */
function overlap(one: string, other: string): boolean {
  return isInFolder(one, other) || isInFolder(other, one);
}
