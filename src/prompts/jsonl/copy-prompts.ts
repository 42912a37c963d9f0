import type { Author, EditablePromptSource } from '../source.ts';
import { stateOf } from './journal.ts';

/** Brings every prompt of one source into another, as it is now. Tells how many had to be written. */
export async function copyPrompts(
  from: EditablePromptSource,
  to: EditablePromptSource,
  author: Author,
): Promise<number> {
  let written = 0;
  for (const { name } of await from.list()) {
    const draft = (await from.history(name)).at(-1)?.prompt;
    if (draft === undefined) continue;
    const there = await to.get(name);
    if (there !== undefined && stateOf((await to.history(name)).at(-1)?.prompt) === stateOf(draft)) continue;
    const { name: _, ...changes } = draft;
    await (there === undefined ? to.create(draft, author) : to.update(name, changes, author));
    written += 1;
  }
  return written;
}
