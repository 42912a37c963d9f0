import { promises as disk } from 'node:fs';
import { join, sep } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { Failure } from '../../failure.ts';
import { createPrivateFile } from '../../regular-file.ts';
import { identify, isAlive, type ProcessIdentity } from '../process/process-table.ts';

/**
 * How a process uses a folder: `in-place` writes to the folder itself, `isolated` runs an agent on a copy or an overlay of
 * it, `delivery` moves changes into it.
 */
export type ClaimKind = 'in-place' | 'isolated' | 'delivery';

export interface Claim {
  readonly folder: string;
  readonly run: string;
  readonly kind: ClaimKind;
  /** Where an isolated run keeps its files. */
  readonly storage: string;
}

interface Row extends Claim, ProcessIdentity {}

const backoff = { minMs: 3, maxMs: 60 };

/**
 * The folders that runs use now, in a database that all servers of a user share. A claim ends with its process: claims of
 * dead processes are removed by the next process that looks.
 */
export class FolderClaims {
  readonly #database: DatabaseSync;
  readonly #self: ProcessIdentity;

  private constructor(database: DatabaseSync, self: ProcessIdentity) {
    this.#database = database;
    this.#self = self;
  }

  static async open(stateDir: string): Promise<FolderClaims> {
    const { DatabaseSync } = await import('node:sqlite');
    await disk.mkdir(stateDir, { recursive: true, mode: 0o700 });
    const file = join(stateDir, 'folders.sqlite');
    createPrivateFile(file);
    const database = new DatabaseSync(file);
    // The rows describe live processes, so losing them in a power cut does no harm.
    database.exec('PRAGMA busy_timeout = 10000; PRAGMA synchronous = OFF;');
    database.exec(
      'CREATE TABLE IF NOT EXISTS claims (folder TEXT, run TEXT, kind TEXT, storage TEXT, pid INTEGER, born TEXT)',
    );
    return new FolderClaims(database, (await identify(process.pid))!);
  }

  close(): void {
    this.#database.close();
  }

  /** Claims a folder, unless it overlaps with a claim of another run that is of one of these kinds. */
  async tryClaim(claim: Claim, conflictsWith: readonly ClaimKind[]): Promise<boolean> {
    const folder = await disk.realpath(claim.folder);
    await this.#removeDead();
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const isFree = !this.#rows().some(
        (row) => row.run !== claim.run && conflictsWith.includes(row.kind) && overlap(row.folder, folder),
      );
      if (isFree)
        this.#database
          .prepare('INSERT INTO claims VALUES (?, ?, ?, ?, ?, ?)')
          .run(folder, claim.run, claim.kind, claim.storage, this.#self.pid, this.#self.born);
      this.#database.exec('COMMIT');
      return isFree;
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  release(run: string, kind: ClaimKind): void {
    this.#database.prepare('DELETE FROM claims WHERE run = ? AND kind = ?').run(run, kind);
  }

  /** The isolated runs of other runs on folders that overlap with this one. */
  isolatedBeside(folder: string, run: string): readonly Claim[] {
    return this.#rows().filter(
      (row) => row.run !== run && row.kind === 'isolated' && overlap(row.folder, folder),
    );
  }

  /** Waits until the folder is free of these kinds of claims, and claims it. */
  async waitFor(
    claim: Claim,
    conflictsWith: readonly ClaimKind[],
    signal?: AbortSignal,
    limitMs = Number.POSITIVE_INFINITY,
  ): Promise<void> {
    const deadline = performance.now() + limitMs;
    for (let maxDelay = backoff.minMs; ; maxDelay = Math.min(maxDelay * 1.5, backoff.maxMs)) {
      signal?.throwIfAborted();
      if (await this.tryClaim(claim, conflictsWith)) return;
      if (performance.now() > deadline)
        throw new Failure('unavailable', `another run has used ${claim.folder} for too long`);
      // Random, so that waiting processes do not retry at the same moment.
      await pause(1 + Math.random() * maxDelay, undefined, signal && { signal }).catch(() => {});
    }
  }

  /** Does the work while holding the claim. */
  async hold<Value>(
    claim: Claim,
    conflictsWith: readonly ClaimKind[],
    work: () => Promise<Value>,
    signal?: AbortSignal,
    limitMs?: number,
  ): Promise<Value> {
    await this.waitFor(claim, conflictsWith, signal, limitMs);
    try {
      return await work();
    } finally {
      this.release(claim.run, claim.kind);
    }
  }

  #rows(): Row[] {
    return this.#database.prepare('SELECT * FROM claims').all() as unknown as Row[];
  }

  async #removeDead(): Promise<void> {
    const owners = new Map(this.#rows().map(({ pid, born }) => [`${pid} ${born}`, { pid, born }]));
    for (const owner of owners.values())
      if (!(await isAlive(owner)))
        this.#database.prepare('DELETE FROM claims WHERE pid = ? AND born = ?').run(owner.pid, owner.born);
  }
}

/** True if one of the folders contains the other. */
function overlap(one: string, other: string): boolean {
  const [first, second] = [one, other].map((path) => (path.endsWith(sep) ? path : path + sep));
  return first!.startsWith(second!) || second!.startsWith(first!);
}
