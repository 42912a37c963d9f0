import { promises as disk } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../json.ts';
import { log } from '../log.ts';
import { maxFileBytes, readRegularFile } from '../regular-file.ts';
import { singleLine } from '../single-line.ts';
import { type AuditEntry, changedFields, targetOf } from './audit-entry.ts';
import type { AuditedCall } from './audited-call.ts';
import { DeniedCalls } from './denied-calls.ts';

export interface AuditOptions {
  readonly folder: string;
  /** 0 for no log. */
  readonly days: number;
}

export interface AuditFilter {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly outcome?: string | undefined;
  readonly daysBack: number;
}

const dayMs = 86_400_000;
const filePattern = /^(\d{4}-\d\d-\d\d)\.jsonl$/;

/** Who did what: one file of JSON lines for each day. Lines are only added, and whole files are removed when they are too old. */
export class AuditLog {
  readonly #options: AuditOptions;
  readonly #denied = new DeniedCalls((entry) => this.#append(entry));
  #writing: Promise<void> = Promise.resolve();
  #trimmedOn = '';
  #problem = '';

  constructor(options: AuditOptions) {
    this.#options = options;
  }

  record(call: AuditedCall): void {
    const { actor, client, address, action, args, outcome, reason, result } = call;
    const target = targetOf(action, args, result);
    const entry: AuditEntry = {
      at: new Date().toISOString(),
      actor: actor.name,
      ...(actor.client !== undefined && { oauth_client: singleLine(actor.client) }),
      ...(client !== undefined && client !== '' && { client: singleLine(client, 100) }),
      ...(address !== undefined && { address }),
      action: singleLine(action, 100),
      ...(target !== undefined && { target }),
      outcome,
      ...(reason !== undefined && { reason: singleLine(reason) }),
      ...(result?.change && changedFields(result.change)),
    };
    if (outcome === 'denied') this.#denied.add(entry);
    else this.#append(entry);
  }

  /** The entries that match, newest first. */
  async list({ actor, action, outcome, daysBack }: AuditFilter): Promise<readonly AuditEntry[]> {
    await this.#writing;
    const since = new Date(Date.now() - daysBack * dayMs).toISOString();
    const found: AuditEntry[] = [];
    for (const file of (await this.#files()).filter((name) => name.slice(0, 10) >= since.slice(0, 10))) {
      const text = await readRegularFile(join(this.#options.folder, file), maxFileBytes);
      for (const line of text.split('\n').reverse()) {
        const entry = parse(line);
        if (entry === undefined || entry.at < since) continue;
        if (actor !== undefined && entry.actor !== actor) continue;
        if (action !== undefined && entry.action !== action) continue;
        if (outcome === undefined || entry.outcome === outcome) found.push(entry);
      }
    }
    return found;
  }

  async close(): Promise<void> {
    this.#denied.flush();
    await this.#writing;
  }

  #append(entry: AuditEntry): void {
    if (this.#options.days === 0) return;
    this.#writing = this.#writing.then(async () => {
      const { folder } = this.#options;
      const day = entry.at.slice(0, 10);
      try {
        await disk.mkdir(folder, { recursive: true, mode: 0o700 });
        await disk.appendFile(join(folder, `${day}.jsonl`), `${JSON.stringify(entry)}\n`, { mode: 0o600 });
        if (this.#trimmedOn !== day) await this.#trim();
        this.#trimmedOn = day;
        this.#problem = '';
      } catch (error) {
        // The call itself is done. Report the problem once, not for every call.
        const problem = `the audit log ${folder} cannot be written: ${messageOf(error)}`;
        if (problem !== this.#problem) log('warning', problem);
        this.#problem = problem;
      }
    });
  }

  async #trim(): Promise<void> {
    const oldest = new Date(Date.now() - this.#options.days * dayMs).toISOString().slice(0, 10);
    for (const file of await this.#files())
      if (file.slice(0, 10) < oldest) await disk.rm(join(this.#options.folder, file), { force: true });
  }

  /** Newest first. */
  async #files(): Promise<readonly string[]> {
    const names = await disk.readdir(this.#options.folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    return names
      .filter((name) => filePattern.test(name))
      .sort()
      .reverse();
  }
}

/** `undefined` for an empty or damaged line. */
function parse(line: string): AuditEntry | undefined {
  try {
    return line === '' ? undefined : (JSON.parse(line) as AuditEntry);
  } catch {
    return undefined;
  }
}
