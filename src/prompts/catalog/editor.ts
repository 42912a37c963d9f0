import { Failure } from '../../failure.ts';
import { Pace } from '../../pace.ts';
import type { ArgumentDefinition, PromptDefinition } from '../definition/definition.ts';
import type {
  Author,
  EditablePromptSource,
  EditOutcome,
  PromptChanges,
  PromptDraft,
  PromptEdit,
  PromptSource,
  Revision,
} from '../definition/source.ts';
import type { Catalog } from './catalog.ts';

interface DeletedPrompt {
  readonly name: string;
  readonly deletion: Revision;
  readonly last: Revision;
}

/**
 * Edits prompts in the file that they are in. New prompts go to the user's own file. A prompt of a source that cannot be
 * edited fails and names its file.
 */
export class Editor {
  readonly #catalog: Catalog;
  readonly #own: EditablePromptSource;
  /** The user's own prompts, then the files of other programs. */
  readonly #editable: readonly EditablePromptSource[];

  constructor(catalog: Catalog, own: EditablePromptSource, others: readonly EditablePromptSource[] = []) {
    this.#catalog = catalog;
    this.#own = own;
    this.#editable = [own, ...others];
  }

  /** The source of new prompts. */
  get own(): PromptSource {
    return this.#own;
  }

  /** The declared arguments of a prompt, followed by the placeholders of its new text that are not declared yet. */
  async withPlaceholders(
    name: string,
    used: readonly ArgumentDefinition[] = [],
  ): Promise<readonly ArgumentDefinition[]> {
    const declared = (await (await this.#findEditable(name))?.get(name))?.arguments ?? [];
    const known = new Set(declared.map((argument) => argument.name));
    return [...declared, ...used.filter((argument) => !known.has(argument.name))];
  }

  /** Names of the prompts that can be edited. */
  async names(): Promise<ReadonlySet<string>> {
    const lists = await Promise.all(this.#editable.map((source) => source.list()));
    return new Set(lists.flat().map(({ name }) => name));
  }

  async create(draft: PromptDraft, author: Author): Promise<PromptDefinition> {
    await this.#assertFree(draft.name, this.#own);
    return singleEdits(this.#own).create(draft, author);
  }

  async update(
    name: string,
    changes: PromptChanges,
    author: Author,
    expected?: string,
  ): Promise<PromptDefinition> {
    const source = await this.#editableSource(name, 'update');
    return singleEdits(source).update(name, changes, author, expected);
  }

  async delete(name: string, author: Author, expected?: string): Promise<void> {
    const source = await this.#editableSource(name, 'delete');
    await singleEdits(source).delete(name, author, expected);
  }

  /** The revision of a prompt returned by an edit. */
  async revision(definition: PromptDefinition): Promise<string> {
    const source = (await this.#findEditable(definition.name)) ?? this.#own;
    return this.#catalog.revision({ definition, source });
  }

  async history(name: string): Promise<readonly Revision[]> {
    return (await this.#sourceOfHistory(name)).history(name);
  }

  /** Deleted prompts, the latest first, with the deletion and the last revision that has content. */
  async deleted(): Promise<readonly DeletedPrompt[]> {
    const histories = await Promise.all(this.#editable.map((source) => source.histories()));
    const existing = await this.names();
    return histories
      .flatMap((byName) => [...byName])
      .flatMap(([name, revisions]) => {
        const last = revisions.findLast(({ prompt }) => prompt !== undefined);
        const deletion = revisions.at(-1);
        return existing.has(name) || last === undefined || deletion === undefined
          ? []
          : [{ name, deletion, last }];
      })
      .sort((a, b) => (a.deletion.time < b.deletion.time ? 1 : -1));
  }

  async restore(
    name: string,
    revision: number,
    author: Author,
    expected?: string,
  ): Promise<PromptDefinition> {
    const source = await this.#sourceOfHistory(name);
    await this.#assertFree(name, source);
    return singleEdits(source).restore(name, revision, author, expected);
  }

  /** Applies all edits and returns one outcome per edit, in order. A refused edit does not stop the others. A dry run writes nothing. */
  async changeMany(
    edits: readonly PromptEdit[],
    author: Author,
    {
      dryRun = false,
      onProgress,
    }: { readonly dryRun?: boolean; readonly onProgress?: (edits: number) => void } = {},
  ): Promise<readonly EditOutcome[]> {
    const pace = new Pace();
    const editable = await this.names();
    const outcomes: EditOutcome[] = [];
    for (const edit of edits) {
      outcomes.push(await this.#check(edit, editable));
      await pace.pause;
    }
    if (dryRun) return outcomes;
    const places = new Map<EditablePromptSource, number[]>(this.#editable.map((source) => [source, []]));
    for (const [at, edit] of edits.entries())
      if (outcomes[at]!.status === 'fulfilled') places.get(await this.#targetOf(edit))!.push(at);
    let done = 0;
    for (const [source, indexes] of places) {
      if (indexes.length === 0) continue;
      const before = done;
      const applied = await source.changeMany(
        indexes.map((at) => edits[at]!),
        author,
        (count) => onProgress?.(before + count),
      );
      for (const [index, outcome] of applied.entries()) outcomes[indexes[index]!] = outcome;
      done += indexes.length;
    }
    return outcomes;
  }

  async #check({ name, action }: PromptEdit, editable: ReadonlySet<string>): Promise<EditOutcome> {
    try {
      if (action === 'create' && editable.has(name)) throw nameTaken(name);
      if (action === 'create' || action === 'repeat') await this.#assertFree(name, this.#own);
      else if (!editable.has(name)) throw await this.#notEditable(name, action);
      return { status: 'fulfilled', value: undefined };
    } catch (error) {
      if (error instanceof Failure) return { status: 'rejected', reason: error };
      throw error;
    }
  }

  async #targetOf({ name, action }: PromptEdit): Promise<EditablePromptSource> {
    if (action === 'create' || action === 'repeat' || this.#editable.length === 1) return this.#own;
    return (await this.#findEditable(name)) ?? this.#own;
  }

  async #findEditable(name: string): Promise<EditablePromptSource | undefined> {
    for (const source of this.#editable) if ((await source.get(name)) !== undefined) return source;
    return undefined;
  }

  /** The source of a prompt, or of a deleted one. */
  async #sourceOfHistory(name: string): Promise<EditablePromptSource> {
    const current = await this.#findEditable(name);
    if (current !== undefined) return current;
    for (const source of this.#editable)
      if (
        await source.history(name).then(
          () => true,
          () => false,
        )
      )
        return source;
    return this.#own;
  }

  async #assertFree(name: string, target: PromptSource): Promise<void> {
    const other = await this.#findElsewhere(name, target);
    if (other !== undefined) throw nameTaken(name);
  }

  async #editableSource(name: string, verb: 'update' | 'delete'): Promise<EditablePromptSource> {
    const source = await this.#findEditable(name);
    if (source === undefined) throw await this.#notEditable(name, verb);
    return source;
  }

  async #notEditable(name: string, verb: 'update' | 'delete'): Promise<Failure> {
    const other = await this.#findElsewhere(name, this.#own);
    if (other === undefined) return new Failure('prompt-not-found', `Prompt not found: ${name}`);
    if (other.source.name !== 'built-in')
      return new Failure(
        'refused',
        `cannot ${verb} ${name}: it is defined in ${other.file}; edit that file instead`,
      );
    const advice = verb === 'update' ? ' (create a new prompt with a different name instead)' : '';
    return new Failure('refused', `cannot ${verb} built-in prompt: ${name}${advice}`);
  }

  /** Finds a prompt of this name in another source, even if its content cannot be read. */
  async #findElsewhere(
    name: string,
    target: PromptSource,
  ): Promise<{ readonly source: PromptSource; readonly file: string } | undefined> {
    for (const source of this.#catalog.sources) {
      if (source === target) continue;
      try {
        const definition = await source.get(name);
        if (definition !== undefined) return { source, file: definition.file };
      } catch (error) {
        if (error instanceof Failure && error.kind === 'content-missing')
          return { source, file: error.message };
        throw error;
      }
    }
    return undefined;
  }
}

function nameTaken(name: string): Failure {
  return new Failure('conflict', `prompt already exists: ${name}`);
}

/** Edits one prompt at a time. Every method throws `conflict` if the current revision is not the expected one. */
export function singleEdits(source: EditablePromptSource) {
  const change = async (edit: PromptEdit, author: Author) => {
    const [outcome] = await source.changeMany([edit], author);
    if (outcome?.status === 'rejected') throw outcome.reason;
    return outcome?.value as PromptDefinition;
  };
  return {
    /** Throws `conflict` if the name is taken, `refused` if the name is not allowed. */
    create: (draft: PromptDraft, author: Author) =>
      change({ action: 'create', name: draft.name, draft }, author),
    /** Replaces the given fields and keeps all others. */
    update: (name: string, changes: PromptChanges, author: Author, expected?: string) =>
      change({ action: 'update', name, changes, expected }, author),
    async delete(name: string, author: Author, expected?: string): Promise<void> {
      await change({ action: 'delete', name, expected }, author);
    },
    /** Restores the prompt's content as of a revision. The restore itself creates a new revision. */
    restore: async (name: string, revision: number, author: Author, expected?: string) =>
      change({ ...restoreEdit(name, revision, await source.history(name), author), expected }, author),
  };
}

export type SingleEdits = ReturnType<typeof singleEdits>;

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
