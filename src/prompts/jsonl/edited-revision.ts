import type { PromptDefinition } from '../definition/definition.ts';
import { contentRevision, sameContent } from '../definition/revision.ts';
import type { Revision } from '../definition/source.ts';
import { type PromptRecord, toDefinition } from './record.ts';

/** The last entry of a prompt's history. */
export type LastEntry = Pick<Revision, 'revision' | 'prompt'>;

/**
 * The number of the last entry where the entry holds this very content. Content that history does not know, such as
 * an edit made by hand, has no number yet: its revision is a digest, so that two such edits are never confused. Comparing
 * contents also keeps a text that was read before a change from getting the number of that change.
 */
export function editedRevision(definition: PromptDefinition, last: LastEntry | undefined): string {
  if (last?.prompt === undefined) return contentRevision(definition);
  const { file, line } = definition;
  const known = toDefinition(last.prompt as unknown as PromptRecord, file, line);
  return sameContent(known, definition) ? String(last.revision) : contentRevision(definition);
}

/** The revision of a record that is about to be changed; one that was deleted has that of its deletion. */
export function currentRevision(
  current: PromptRecord | undefined,
  last: LastEntry | undefined,
  place: string,
): string {
  if (current !== undefined) return editedRevision(toDefinition(current, place, 1), last);
  const { revision = 0, prompt } = last ?? {};
  // A deletion by hand is the next entry.
  return String(prompt === undefined ? revision : revision + 1);
}
