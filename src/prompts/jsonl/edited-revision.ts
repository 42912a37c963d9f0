import { contentRevision, type PromptDefinition, sameContent } from '../definition/definition.ts';
import type { Revision } from '../definition/source.ts';
import { type PromptRecord, toDefinition } from './record.ts';

/** The last entry of a prompt's history. */
export type LastEntry = Pick<Revision, 'revision' | 'prompt'>;

/**
 * Returns the number of the last history entry if it holds exactly this content. Other content, such as an edit by hand,
 * has no number yet: its revision is a digest, so that two such edits never share a revision. Comparing contents also
 * ensures that a prompt read before a change does not get the number of that change.
 */
export function editedRevision(definition: PromptDefinition, last: LastEntry | undefined): string {
  if (last?.prompt === undefined) return contentRevision(definition);
  const { file, line } = definition;
  const known = toDefinition(last.prompt as unknown as PromptRecord, file, line);
  return sameContent(known, definition) ? String(last.revision) : contentRevision(definition);
}

/** Returns the revision of a record before a change. A deleted prompt has the revision of its deletion. */
export function currentRevision(
  current: PromptRecord | undefined,
  last: LastEntry | undefined,
  place: string,
): string {
  if (current !== undefined) return editedRevision(toDefinition(current, place, 1), last);
  const { revision = 0, prompt } = last ?? {};
  // A deletion by hand is not in the history yet; it becomes the next entry.
  return String(prompt === undefined ? revision : revision + 1);
}
