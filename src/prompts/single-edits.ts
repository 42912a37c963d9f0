import { Failure } from '../failure.ts';
import type { PromptDefinition } from './definition.ts';
import type {
  Author,
  EditablePromptSource,
  PromptChanges,
  PromptDraft,
  PromptEdit,
  Revision,
} from './source.ts';

/** Changes of one prompt each; what many may be refused one by one is thrown here. */
export interface SingleEdits {
  /** Throws `conflict` when the name is taken, `refused` when it may not be used. */
  create(draft: PromptDraft, author: Author): Promise<PromptDefinition>;
  /** An absent field stays, a present one is replaced. */
  update(name: string, changes: PromptChanges, author: Author): Promise<PromptDefinition>;
  delete(name: string, author: Author): Promise<void>;
  /** Brings the prompt back to what it was after that revision; this is a change like any other. */
  restore(name: string, revision: number, author: Author): Promise<PromptDefinition>;
}

export function singleEdits(source: EditablePromptSource): SingleEdits {
  const change = async (edit: PromptEdit, author: Author) => {
    const [outcome] = await source.changeMany([edit], author);
    if (outcome?.status === 'rejected') throw outcome.reason;
    return outcome?.value as PromptDefinition;
  };
  return {
    create: (draft, author) => change({ action: 'create', name: draft.name, draft }, author),
    update: (name, changes, author) => change({ action: 'update', name, changes }, author),
    async delete(name, author) {
      await change({ action: 'delete', name }, author);
    },
    restore: async (name, revision, author) =>
      change(restoring(name, revision, await source.history(name), author), author),
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
