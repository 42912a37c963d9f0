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

/** Changes of one prompt each; a refusal is thrown. All throw `conflict` where the revision is not the expected one. */
export interface SingleEdits {
  /** Throws `conflict` when the name is taken, `refused` when it may not be used. */
  create(draft: PromptDraft, author: Author): Promise<PromptDefinition>;
  /** An absent field stays, a present one is replaced. */
  update(name: string, changes: PromptChanges, author: Author, expected?: string): Promise<PromptDefinition>;
  delete(name: string, author: Author, expected?: string): Promise<void>;
  /** Brings the prompt back to what it was after that revision; this is a change like any other. */
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
      change({ ...restoring(name, revision, await source.history(name), author), expected }, author),
  };
}

function restoring(name: string, revision: number, history: readonly Revision[], client: Author): PromptEdit {
  const wanted = history.find((one) => one.revision === revision);
  if (wanted === undefined)
    throw new Failure('invalid-params', `There is no revision ${revision} of ${name}.`);
  if (wanted.prompt === undefined)
    throw new Failure(
      'refused',
      `Revision ${revision} of ${name} is its deletion; restore the one before it.`,
    );
  const time = new Date().toISOString();
  return {
    action: 'repeat',
    name,
    revision: { ...wanted, action: 'restore', restored: revision, time, client },
  };
}
