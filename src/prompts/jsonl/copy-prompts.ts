import type { Author, EditablePromptSource, PromptEdit, Revision } from '../definition/source.ts';
import { stateOf } from './journal.ts';

/** A source whose history can be taken over by another. */
export interface ArchivedPromptSource extends EditablePromptSource {
  /** Of every prompt that ever was, also of those that are gone. */
  histories(): Promise<ReadonlyMap<string, readonly Revision[]>>;
}

/** Brings every prompt of one source into another, with its history. Tells how many had to be written. */
export async function copyPrompts(
  from: ArchivedPromptSource,
  to: ArchivedPromptSource,
  author: Author,
): Promise<number> {
  const ours = await to.histories();
  const edits = [...(await from.histories())].flatMap(([name, theirs]) =>
    editsTowards(name, theirs, ours.get(name) ?? []),
  );
  for (const outcome of await to.changeMany(edits, author))
    if (outcome.status === 'rejected') throw outcome.reason;
  return new Set(edits.map(({ name }) => name)).size;
}

/** What makes a prompt of ours like theirs. */
function editsTowards(
  name: string,
  theirs: readonly Revision[],
  ours: readonly Revision[],
): readonly PromptEdit[] {
  if (ours.every((revision, at) => isSame(revision, theirs[at])))
    return theirs.slice(ours.length).map((revision) => ({ action: 'repeat', name, revision }));
  const [wanted, found] = [theirs.at(-1)?.prompt, ours.at(-1)?.prompt];
  if (stateOf(wanted) === stateOf(found)) return [];
  // Both sides have a past of their own; that of the target goes on.
  if (wanted === undefined) return [{ action: 'delete', name }];
  if (found === undefined) return [{ action: 'create', name, draft: wanted }];
  return [{ action: 'update', name, changes: changesOf(wanted) }];
}

function isSame(one: Revision, other: Revision | undefined): boolean {
  return (
    one.time === other?.time && one.action === other.action && stateOf(one.prompt) === stateOf(other.prompt)
  );
}

function changesOf({ name: _, ...changes }: Revision['prompt'] & {}) {
  return changes;
}
