import { Failure } from '../../failure.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import type { Author, EditOutcome, PromptEdit, Revision } from '../definition/source.ts';
import { FileProblem } from '../files/front-matter.ts';
import { currentRevision, type LastEntry } from './edited-revision.ts';
import { type PromptRecord, toDefinition } from './record.ts';

/** What history tells of a change, but for its number and its outcome. */
export type Change = Omit<Revision, 'revision' | 'prompt'>;

/** What an edit comes to. */
export interface Made {
  readonly change: Change;
  /** Absent when the prompt is gone. */
  readonly next: PromptRecord | undefined;
  readonly definition: PromptDefinition | undefined;
}

/**
 * Throws where the edit is refused, where it was meant for another revision, or where nobody could read what it makes. The
 * caller holds the lock or the transaction in which the result is written.
 */
export function make(
  edit: PromptEdit,
  author: Author,
  current: PromptRecord | undefined,
  place: string,
  last: LastEntry | undefined,
): Made {
  const change = changeOf(edit, author);
  const next = recordAfter(edit, current, change.time);
  if (edit.expected !== undefined)
    assertExpected(edit.name, edit.expected, currentRevision(current, last, place));
  return { change, next, definition: next && toDefinition(next, place, 1) };
}

/** Of one edit among many. Whatever else went wrong is no matter of this edit alone, and is thrown. */
export function refusalOf(error: unknown, place: string): EditOutcome {
  if (error instanceof Failure) return { status: 'rejected', reason: error };
  if (!(error instanceof FileProblem)) throw error;
  const reason = new Failure('unavailable', `${place} was not changed: ${error.message}.`, { cause: error });
  return { status: 'rejected', reason };
}

/** So many at a time that others get their turn, and progress is seen. */
export const batchSize = 500;

export function* batchesOf(edits: readonly PromptEdit[]): Generator<readonly PromptEdit[]> {
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

function changeOf(edit: PromptEdit, client: Author): Change {
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
