import { Failure } from '../../failure.ts';
import type { Author, EditablePromptSource, Revision } from '../source.ts';
import { stateOf } from './journal.ts';

/** A source whose history can be taken over by another. */
export interface ArchivedPromptSource extends EditablePromptSource {
  /** Of every prompt that ever was, also of those that are gone. */
  names(): Promise<readonly string[]>;
  /** Makes a change once more that was made elsewhere, in the name of its author and with its time. */
  repeat(name: string, revision: Revision): Promise<void>;
}

/** Brings every prompt of one source into another, with its history. Tells how many had to be written. */
export async function copyPrompts(
  from: ArchivedPromptSource,
  to: ArchivedPromptSource,
  author: Author,
): Promise<number> {
  let written = 0;
  for (const name of await from.names()) {
    const [theirs, ours] = [await from.history(name), await historyOf(to, name)];
    const missing = theirs.slice(ours.length);
    const [wanted, found] = [theirs.at(-1)?.prompt, ours.at(-1)?.prompt];
    if (ours.every((revision, at) => isSame(revision, theirs[at])))
      for (const revision of missing) await to.repeat(name, revision);
    else if (stateOf(wanted) === stateOf(found)) continue;
    // Both sides have a past of their own; that of the target goes on.
    else if (wanted === undefined) await to.delete(name, author);
    else await (found === undefined ? to.create(wanted, author) : to.update(name, changesOf(wanted), author));
    if (missing.length > 0 || stateOf(wanted) !== stateOf(found)) written += 1;
  }
  return written;
}

async function historyOf(source: ArchivedPromptSource, name: string): Promise<readonly Revision[]> {
  try {
    return await source.history(name);
  } catch (error) {
    if (error instanceof Failure && error.kind === 'prompt-not-found') return [];
    throw error;
  }
}

function isSame(one: Revision, other: Revision | undefined): boolean {
  return (
    one.time === other?.time && one.action === other.action && stateOf(one.prompt) === stateOf(other.prompt)
  );
}

function changesOf({ name: _, ...changes }: Revision['prompt'] & {}) {
  return changes;
}
