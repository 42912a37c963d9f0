import { createRecords } from '../../store/records.ts';
import { isPostgres } from '../../store/store.ts';
import type { Author, EditablePromptSource, PromptEdit, Revision } from '../definition/source.ts';
import { serializePrompt } from './history-file.ts';
import { SharedSource } from './shared-source.ts';
import { UserSource } from './user-source.ts';

/** The prompts of a folder, or, with PostgreSQL, the user's own prompts in the database. */
export function openOwnPrompts(folder: string, databaseUrl = ''): SharedSource | UserSource {
  return isPostgres(databaseUrl) ? new SharedSource(createRecords(databaseUrl)) : new UserSource({ folder });
}

/** Copies all prompts and their history to another source, except those in `skipped`. Returns the names that were written. */
export async function copyPrompts(
  from: EditablePromptSource,
  to: EditablePromptSource,
  author: Author,
  skipped: ReadonlySet<string> = new Set(),
): Promise<readonly string[]> {
  const target = await to.histories();
  const edits = [...(await from.histories())].flatMap(([name, source]) =>
    skipped.has(name) ? [] : editsToMatch(name, source, target.get(name) ?? []),
  );
  for (const outcome of await to.changeMany(edits, author))
    if (outcome.status === 'rejected') throw outcome.reason;
  return [...new Set(edits.map(({ name }) => name))];
}

/** Returns the edits that make the target's prompt equal to the source's. */
function editsToMatch(
  name: string,
  source: readonly Revision[],
  target: readonly Revision[],
): readonly PromptEdit[] {
  if (target.every((revision, at) => isSame(revision, source[at])))
    return source.slice(target.length).map((revision) => ({ action: 'repeat', name, revision }));
  const [latest, current] = [source.at(-1)?.prompt, target.at(-1)?.prompt];
  if (serializePrompt(latest) === serializePrompt(current)) return [];
  // The histories have diverged: keep the target's history and add the source's latest version.
  if (latest === undefined) return [{ action: 'delete', name }];
  if (current === undefined) return [{ action: 'create', name, draft: latest }];
  return [{ action: 'update', name, changes: withoutName(latest) }];
}

function isSame(one: Revision, other: Revision | undefined): boolean {
  return (
    one.time === other?.time &&
    one.action === other.action &&
    serializePrompt(one.prompt) === serializePrompt(other.prompt)
  );
}

function withoutName({ name: _, ...changes }: Revision['prompt'] & {}) {
  return changes;
}
