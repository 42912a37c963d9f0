import { Failure } from '../../failure.ts';
import { FileProblem } from '../../front-matter.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import type { Author, EditOutcome, PromptEdit, Revision } from '../definition/source.ts';
import { currentRevision, type LastEntry } from './edited-revision.ts';
import { type PromptRecord, toDefinition } from './record.ts';

/** A history entry without its revision number and prompt. */
export type Change = Omit<Revision, 'revision' | 'prompt'>;

/** The result of an edit. */
export interface AppliedEdit {
  readonly change: Change;
  /** `undefined` if the edit deletes the prompt. */
  readonly next: PromptRecord | undefined;
  readonly definition: PromptDefinition | undefined;
}

/**
 * Applies an edit to the current record. Throws if the edit is not allowed, expects another revision or results in an
 * invalid prompt. The caller must hold the lock or transaction in which it writes the result.
 */
export function applyEdit(
  edit: PromptEdit,
  author: Author,
  current: PromptRecord | undefined,
  place: string,
  last: LastEntry | undefined,
): AppliedEdit {
  const change = describeChange(edit, author);
  const next = recordAfter(edit, current, change.time);
  if (edit.expected !== undefined)
    assertExpected(edit.name, edit.expected, currentRevision(current, last, place));
  return { change, next, definition: next && toDefinition(next, place, 1) };
}

/** Turns the failure of a single edit into its outcome. Rethrows errors that affect the whole batch. */
export function toRejection(error: unknown, place: string): EditOutcome {
  if (error instanceof Failure) return { status: 'rejected', reason: error };
  if (!(error instanceof FileProblem)) throw error;
  const reason = new Failure('unavailable', `${place} was not changed: ${error.message}.`, { cause: error });
  return { status: 'rejected', reason };
}

/** Small enough for other writers to get the lock and for progress reports in between. */
export const batchSize = 500;

export function* splitIntoBatches(edits: readonly PromptEdit[]): Generator<readonly PromptEdit[]> {
  for (let at = 0; at < edits.length; at += batchSize) yield edits.slice(at, at + batchSize);
}

function assertExpected(name: string, expected: string, revision: string): void {
  if (revision === expected) return;
  throw new Failure(
    'conflict',
    `The prompt ${name} was changed by somebody else: its revision is ${revision}, not ${expected}. Read it again, then repeat the change with expected_revision "${revision}".`,
    { data: { current_revision: revision } },
  );
}

function describeChange(edit: PromptEdit, client: Author): Change {
  if (edit.action !== 'repeat') return { action: edit.action, time: now(), client };
  const { action, restored, time, client: before } = edit.revision;
  return { action, time, client: before, ...(restored !== undefined && { restored }) };
}

function recordAfter(
  edit: PromptEdit,
  current: PromptRecord | undefined,
  time: string,
): PromptRecord | undefined {
  if (edit.action === 'repeat') {
    const { prompt } = edit.revision;
    return prompt && { ...prompt, created: current?.['created'] ?? time, updated: time };
  }
  if (edit.action === 'create') {
    if (current !== undefined) throw new Failure('conflict', `prompt already exists: ${edit.name}`);
    return { ...edit.draft, created: time, updated: time };
  }
  if (current === undefined) throw new Failure('prompt-not-found', `Prompt not found: ${edit.name}`);
  return edit.action === 'update' ? { ...current, ...edit.changes, updated: time } : undefined;
}

function now(): string {
  return new Date().toISOString();
}
