import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../failure.ts';
import { messageOf } from '../../json.ts';
import type { PromptDefinition } from '../definition.ts';
import { type FolderReading, FolderSource, type WatchOptions } from '../folder-source.ts';
import type { Author, PromptChanges, PromptDraft, Revision } from '../source.ts';
import { backUp } from './backups.ts';
import type { ArchivedPromptSource } from './copy-prompts.ts';
import { prepareReplacement } from './durable-file.ts';
import { FileLock } from './file-lock.ts';
import { Journal, type JournalEntry, stateOf } from './journal.ts';
import {
  type Change,
  changeOf,
  creating,
  deleting,
  type Edit,
  repeating,
  restoring,
  updating,
} from './prompt-edits.ts';
import { createPromptFileCache, emptyFile, type PromptFile, splitLines } from './prompt-file.ts';
import { type PromptRecord, parseRecord, toDefinition, toDraft } from './record.ts';

export interface UserSourceOptions extends WatchOptions {
  readonly folder: string;
}

/**
 * The person's own prompts in `user.jsonl`. Reading needs no lock: the file is only ever replaced as a whole. Lines that
 * cannot be understood are kept where they are.
 */
export class UserSource extends FolderSource implements ArchivedPromptSource {
  readonly name = 'user';
  readonly #folder: string;
  readonly #file: string;
  readonly #cache = createPromptFileCache();
  readonly #lock: FileLock;
  readonly #journal: Journal;

  constructor({ folder, ...watching }: UserSourceOptions) {
    super(watching);
    this.#folder = folder;
    this.#file = join(folder, 'user.jsonl');
    this.#lock = new FileLock(join(folder, '.lock'));
    this.#journal = new Journal(join(folder, 'history.jsonl'));
  }

  async get(name: string): Promise<PromptDefinition | undefined> {
    return (await this.#load()).file.byName.get(name);
  }

  create(draft: PromptDraft, client: Author): Promise<PromptDefinition> {
    return this.#put(draft.name, { action: 'create', time: now(), client }, creating(draft));
  }

  update(name: string, changes: PromptChanges, client: Author): Promise<PromptDefinition> {
    return this.#put(name, { action: 'update', time: now(), client }, updating(name, changes));
  }

  async delete(name: string, client: Author): Promise<void> {
    await this.#change(name, { action: 'delete', time: now(), client }, deleting(name));
  }

  async names(): Promise<readonly string[]> {
    const here = this.#readLines().flatMap(({ record }) => record?.name ?? []);
    return [...new Set([...here, ...this.#journal.names()])];
  }

  async repeat(name: string, revision: Revision): Promise<void> {
    await this.#change(name, changeOf(revision), repeating(revision));
  }

  /** What was changed by others since our last entry is shown as the last revision. */
  async history(name: string): Promise<readonly Revision[]> {
    const known = this.#journal.history(name);
    const current = this.#readLines().find(({ record }) => record?.name === name)?.record;
    const draft = current && toDraft(current);
    if (known.length === 0 && draft === undefined)
      throw new Failure('prompt-not-found', `Prompt not found: ${name}`);
    if (stateOf(known.at(-1)?.prompt) === stateOf(draft)) return known;
    return [...known, outside((known.at(-1)?.revision ?? 0) + 1, draft, now())];
  }

  async restore(name: string, revision: number, client: Author): Promise<PromptDefinition> {
    const edit = restoring(name, revision, await this.history(name));
    return this.#put(name, { action: 'restore', restored: revision, time: now(), client }, edit);
  }

  override close(): void {
    super.close();
    this.#lock.close();
  }

  protected async read(): Promise<FolderReading> {
    const { file, problem } = await this.#load();
    const problems = problem === undefined ? file.problems : [problem, ...file.problems];
    return { prompts: file.prompts, problems, folders: [this.#folder] };
  }

  async #load() {
    const loaded = await this.#cache.load(this.#file);
    const file: PromptFile = loaded?.value ?? emptyFile;
    return { file, problem: loaded?.problem };
  }

  async #put(name: string, change: Change, edit: Edit): Promise<PromptDefinition> {
    const record = await this.#change(name, change, edit);
    return toDefinition(record!, this.#file, 1);
  }

  async #change(name: string, change: Change, edit: Edit): Promise<PromptRecord | undefined> {
    try {
      const record = await this.#lock.run(() => this.#write(name, change, edit));
      this.noticed();
      return record;
    } catch (error) {
      throw error instanceof Failure ? error : storageFailure(error);
    }
  }

  /** Nothing has happened before the last step, and everything with it. */
  #write(name: string, change: Change, edit: Edit): PromptRecord | undefined {
    const lines = this.#readLines();
    const current = lines.find(({ record }) => record?.name === name)?.record;
    const next = edit(current, change.time);
    if (next !== undefined) toDefinition(next, this.#file, 1);
    const entries = this.#entriesFor(name, current, next, change);
    backUp(this.#file, new Date());
    const replacement = prepareReplacement(this.#file, withRecord(lines, name, next));
    try {
      const undo = this.#journal.append(entries);
      try {
        replacement.commit();
      } catch (error) {
        undo();
        throw error;
      }
    } catch (error) {
      replacement.discard();
      throw error;
    }
    return next;
  }

  /** What somebody else did to the prompt since our last entry is entered first, so that it can be brought back. */
  #entriesFor(
    name: string,
    current: PromptRecord | undefined,
    next: PromptRecord | undefined,
    change: Change,
  ): readonly JournalEntry[] {
    const last = this.#journal.lastKnown(name);
    const found = current && toDraft(current);
    const seen = stateOf(found) === last.prompt;
    const revision = last.revision + (seen ? 1 : 2);
    return [
      ...(seen ? [] : [{ name, ...outside(last.revision + 1, found, change.time) }]),
      { name, revision, ...change, ...(next !== undefined && { prompt: toDraft(next) }) },
    ];
  }

  #readLines(): readonly Line[] {
    let bytes: Buffer;
    try {
      bytes = readFileSync(this.#file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
    return splitLines(bytes).map((line, index) => {
      try {
        const record = parseRecord(line, index + 1);
        return record === undefined ? { bytes: line } : { bytes: line, record };
      } catch {
        return { bytes: line };
      }
    });
  }
}

/** A line as it stands, and what it says where it can be understood. */
interface Line {
  readonly bytes: Buffer;
  readonly record?: PromptRecord;
}

const now = () => new Date().toISOString();
const lineFeed = Buffer.from('\n');

/** The file with the record in its place, or at the end; lines that repeat its name are gone. */
function withRecord(lines: readonly Line[], name: string, next: PromptRecord | undefined): Buffer {
  const written = next === undefined ? [] : [Buffer.from(JSON.stringify(next)), lineFeed];
  const place = lines.findIndex(({ record }) => record?.name === name);
  const parts = lines.flatMap(({ bytes, record }, index) => {
    if (index === place) return written;
    return record?.name === name ? [] : [bytes, lineFeed];
  });
  const all = place < 0 ? [...parts, ...written] : parts;
  // An empty file looks like one that somebody is about to write, and would not be believed at once.
  return all.length === 0 ? lineFeed : Buffer.concat(all);
}

function outside(revision: number, prompt: PromptDraft | undefined, time: string): Revision {
  return {
    revision,
    action: 'outside',
    time,
    client: { name: '', version: '' },
    ...(prompt !== undefined && { prompt }),
  };
}

function storageFailure(error: unknown): Failure {
  const { code, errcode } = error as NodeJS.ErrnoException & { errcode?: number };
  const why: Readonly<Record<string, string>> = {
    ENOSPC: 'the disk is full',
    EDQUOT: 'the quota is used up',
    EFBIG: 'the file would be too long',
    EACCES: 'this user may not write there',
    EPERM: 'this user may not write there',
    EROFS: 'the disk is read-only',
  };
  // SQLite's lock: the database is read-only, or cannot be opened.
  const locked = errcode === 8 || errcode === 14;
  const reason = locked ? why['EACCES'] : (why[code ?? ''] ?? messageOf(error));
  return new Failure('unavailable', `user.jsonl was not changed: ${reason}.`, { cause: error });
}
