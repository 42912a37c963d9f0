import { dirname, join } from 'node:path';
import { Failure } from '../../failure.ts';
import { messageOf } from '../../json.ts';
import { log } from '../../log.ts';
import { Pace } from '../../pace.ts';
import { storageReason } from '../../storage-error.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import type {
  Author,
  EditablePromptSource,
  EditOutcome,
  PromptDraft,
  PromptEdit,
  Revision,
} from '../definition/source.ts';
import { type FolderReading, FolderSource, type WatchOptions } from '../sources/folder-source.ts';
import { backUp } from './backups.ts';
import { prepareReplacement } from './durable-file.ts';
import { editedRevision, type LastEntry } from './edited-revision.ts';
import { FileLock } from './file-lock.ts';
import {
  type HistoryEntry,
  HistoryFile,
  type LastKnown,
  serializePrompt,
  toLastEntry,
  toLastKnown,
} from './history-file.ts';
import { applyEdit, type Change, splitIntoBatches, toRejection } from './prompt-edits.ts';
import { createPromptFileCache, emptyFile } from './prompt-file.ts';
import { type PromptRecord, toDraft } from './record.ts';
import { readRecordLines, recordsByName, withRecords } from './record-lines.ts';

export interface UserSourceOptions extends WatchOptions {
  /** Default: `user`. */
  readonly name?: string;
  readonly folder: string;
}

/**
 * The user's own prompts in `user.jsonl`. Reading needs no lock because the file is always replaced as a whole. Invalid
 * lines stay where they are.
 */
export class UserSource extends FolderSource implements EditablePromptSource {
  readonly name: string;
  readonly #folder: string;
  readonly #file: string;
  readonly #cache = createPromptFileCache();
  readonly #lock: FileLock;
  readonly #history: HistoryFile;

  constructor({ name = 'user', folder, ...watching }: UserSourceOptions) {
    super(watching);
    this.name = name;
    this.#folder = folder;
    this.#file = join(folder, 'user.jsonl');
    this.#lock = new FileLock(join(folder, '.lock'));
    this.#history = new HistoryFile(join(folder, 'history.jsonl'));
  }

  async get(name: string): Promise<PromptDefinition | undefined> {
    return (await this.#cache.load(this.#file))?.value?.byName.get(name);
  }

  known(name: string): PromptDefinition | 'none' | undefined {
    if (this.#cache.isMissing(this.#file)) return 'none';
    const file = this.#cache.unchanged(this.#file);
    return file && (file.value?.byName.get(name) ?? 'none');
  }

  async revision(definition: PromptDefinition): Promise<string> {
    return editedRevision(definition, this.#lastEntry(definition.name));
  }

  async changeMany(
    edits: readonly PromptEdit[],
    author: Author,
    done?: (edits: number) => void,
  ): Promise<readonly EditOutcome[]> {
    const outcomes: EditOutcome[] = [];
    const pace = new Pace();
    try {
      for (const batch of splitIntoBatches(edits)) {
        // Back up only before the first batch: older backups are worth more than intermediate states of this call.
        const isFirst = outcomes.length === 0;
        outcomes.push(...(await this.#lock.run(() => this.#write(batch, author, isFirst))));
        this.notifyChange();
        done?.(outcomes.length);
        await pace.pause;
      }
    } catch (error) {
      throw error instanceof Failure ? error : storageFailure(error, this.#file);
    }
    return outcomes;
  }

  async history(name: string): Promise<readonly Revision[]> {
    const known = this.#history.of(name);
    const current = readRecordLines(this.#file).find(({ record }) => record?.name === name)?.record;
    if (known.length === 0 && current === undefined)
      throw new Failure('prompt-not-found', `Prompt not found: ${name}`);
    return withOutsideChange(known, current);
  }

  async histories(): Promise<ReadonlyMap<string, readonly Revision[]>> {
    const current = recordsByName(readRecordLines(this.#file));
    const known = this.#history.histories();
    const names = new Set([...current.keys(), ...known.keys()]);
    return new Map(
      [...names].map((name) => [name, withOutsideChange(known.get(name) ?? [], current.get(name))]),
    );
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

  /** A prompt stays readable even if its history is not. */
  #lastEntry(name: string): LastEntry | undefined {
    try {
      return toLastEntry(this.#history.lastKnown(name));
    } catch (error) {
      log('debug', `could not read the history of ${name}`, error);
      return undefined;
    }
  }

  async #load() {
    const loaded = await this.#cache.load(this.#file);
    return { file: loaded?.value ?? emptyFile, problem: loaded?.problem };
  }

  /** Applies all edits in memory and then writes them in one step, so that a failure leaves the file as it was. */
  async #write(
    edits: readonly PromptEdit[],
    author: Author,
    needsBackup: boolean,
  ): Promise<readonly EditOutcome[]> {
    const lines = readRecordLines(this.#file);
    const records = recordsByName(lines);
    const changed = new Map<string, LastKnown>();
    const entries: HistoryEntry[] = [];
    const outcomes = edits.map((edit): EditOutcome => {
      const { name } = edit;
      const current = records.get(name);
      try {
        const last = changed.get(name) ?? this.#history.lastKnown(name);
        const { change, next, definition } = applyEdit(edit, author, current, this.#file, toLastEntry(last));
        const newEntries = entriesFor(name, last, current, next, change);
        entries.push(...newEntries);
        changed.set(name, toLastKnown(newEntries.at(-1)!));
        if (next === undefined) records.delete(name);
        else records.set(name, next);
        return { status: 'fulfilled', value: definition };
      } catch (error) {
        return toRejection(error, 'user.jsonl');
      }
    });
    if (changed.size > 0) {
      if (needsBackup) await backUp(this.#file, new Date());
      await this.#replace(withRecords(lines, new Set(changed.keys()), records), entries);
    }
    return outcomes;
  }

  async #replace(content: Buffer, entries: readonly HistoryEntry[]): Promise<void> {
    const replacement = await prepareReplacement(this.#file, content);
    try {
      const undo = await this.#history.append(entries);
      try {
        await replacement.commit();
      } catch (error) {
        await undo();
        throw error;
      }
    } catch (error) {
      await replacement.discard();
      throw error;
    }
  }
}

/** Records a change made outside Adjutant before the edit itself, so that it can be restored. */
function entriesFor(
  name: string,
  last: LastKnown,
  current: PromptRecord | undefined,
  next: PromptRecord | undefined,
  change: Change,
): readonly HistoryEntry[] {
  const found = current && toDraft(current);
  const isKnown = serializePrompt(found) === last.prompt;
  const revision = last.revision + (isKnown ? 1 : 2);
  return [
    ...(isKnown ? [] : [{ name, ...outsideRevision(last.revision + 1, found, change.time) }]),
    { name, revision, ...change, ...(next !== undefined && { prompt: toDraft(next) }) },
  ];
}

/** Adds a change made outside Adjutant since the last entry as the latest revision. */
function withOutsideChange(
  known: readonly Revision[],
  current: PromptRecord | undefined,
): readonly Revision[] {
  const last = known.at(-1);
  const draft = current && toDraft(current);
  if (serializePrompt(last?.prompt) === serializePrompt(draft)) return known;
  return [...known, outsideRevision((last?.revision ?? 0) + 1, draft, new Date().toISOString())];
}

function outsideRevision(revision: number, prompt: PromptDraft | undefined, time: string): Revision {
  return {
    revision,
    action: 'outside',
    time,
    client: { name: '', version: '' },
    ...(prompt !== undefined && { prompt }),
  };
}

function storageFailure(error: unknown, file: string): Failure {
  const reason = storageReason(error, dirname(file)) ?? messageOf(error);
  return new Failure('unavailable', `${file} was not changed: ${reason}.`, { cause: error });
}
