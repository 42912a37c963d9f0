import { Failure } from '../../failure.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import type {
  Author,
  EditablePromptSource,
  PromptChanges,
  PromptDraft,
  PromptEdit,
  Revision,
} from '../definition/source.ts';

/** Edits one prompt at a time. Every method throws `conflict` if the current revision is not the expected one. */
export interface SingleEdits {
  /** Throws `conflict` if the name is taken, `refused` if the name is not allowed. */
  create(draft: PromptDraft, author: Author): Promise<PromptDefinition>;
  /** Replaces the given fields and keeps all others. */
  update(name: string, changes: PromptChanges, author: Author, expected?: string): Promise<PromptDefinition>;
  delete(name: string, author: Author, expected?: string): Promise<void>;
  /** Restores the prompt's content as of a revision. The restore itself creates a new revision. */
  restore(name: string, revision: number, author: Author, expected?: string): Promise<PromptDefinition>;
}

export function singleEdits(source: EditablePromptSource): SingleEdits {
  const change = async (edit: PromptEdit, author: Author) => {
    const [outcome] = await source.changeMany([edit], author);
    if (outcome?.status === 'rejected') throw outcome.reason;
    return outcome?.value as PromptDefinition;
  };
  return {
    create: (draft, author) => change({ action: 'create', name: draft.name, draft }, author),
    update: (name, changes, author, expected) =>
      change({ action: 'update', name, changes, expected }, author),
    async delete(name, author, expected) {
      await change({ action: 'delete', name, expected }, author);
    },
    restore: async (name, revision, author, expected) =>
      change({ ...restoreEdit(name, revision, await source.history(name), author), expected }, author),
  };
}

function restoreEdit(
  name: string,
  revision: number,
  history: readonly Revision[],
  client: Author,
): PromptEdit {
  const found = history.find((one) => one.revision === revision);
  if (found === undefined)
    throw new Failure('invalid-params', `Revision ${revision} of ${name} does not exist.`);
  if (found.prompt === undefined)
    throw new Failure(
      'refused',
      `Revision ${revision} of ${name} is a deletion. Restore an earlier revision instead.`,
    );
  const time = new Date().toISOString();
  return {
    action: 'repeat',
    name,
    revision: { ...found, action: 'restore', restored: revision, time, client },
  };
}
