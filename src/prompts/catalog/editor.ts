import { Failure } from '../../failure.ts';
import type { PromptDefinition } from '../definition/definition.ts';
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
import { Pace } from '../files/pace.ts';
import type { Catalog } from './catalog.ts';
import { type SingleEdits, singleEdits } from './single-edits.ts';

/** Edits prompts. Only the user's own prompts can be edited; an edit of any other prompt fails and names its file. */
export class Editor {
  readonly #catalog: Catalog;
  readonly #own: EditablePromptSource;
  readonly #single: SingleEdits;

  constructor(catalog: Catalog, own: EditablePromptSource) {
    this.#catalog = catalog;
    this.#own = own;
    this.#single = singleEdits(own);
  }

  /** Names of the prompts that can be edited. */
  async names(): Promise<ReadonlySet<string>> {
    return new Set((await this.#own.list()).map(({ name }) => name));
  }

  async create(draft: PromptDraft, author: Author): Promise<PromptDefinition> {
    await this.#assertFree(draft.name);
    return this.#single.create(draft, author);
  }

  async update(
    name: string,
    changes: PromptChanges,
    author: Author,
    expected?: string,
  ): Promise<PromptDefinition> {
    await this.#assertOwn(name, 'update');
    return this.#single.update(name, changes, author, expected);
  }

  async delete(name: string, author: Author, expected?: string): Promise<void> {
    await this.#assertOwn(name, 'delete');
    await this.#single.delete(name, author, expected);
  }

  /** The revision of a prompt returned by an edit. */
  revision(definition: PromptDefinition): Promise<string> {
    return this.#catalog.revision({ definition, source: this.#own });
  }

  history(name: string): Promise<readonly Revision[]> {
    return this.#own.history(name);
  }

  async restore(
    name: string,
    revision: number,
    author: Author,
    expected?: string,
  ): Promise<PromptDefinition> {
    await this.#assertFree(name);
    return this.#single.restore(name, revision, author, expected);
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
    const own = await this.names();
    const outcomes: EditOutcome[] = [];
    for (const edit of edits) {
      outcomes.push(await this.#check(edit, own));
      await pace.pause;
    }
    if (dryRun) return outcomes;
    const allowed = edits.filter((_, at) => outcomes[at]!.status === 'fulfilled');
    const applied = (await this.#own.changeMany(allowed, author, onProgress)).values();
    return outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome : applied.next().value!));
  }

  async #check({ name, action }: PromptEdit, own: ReadonlySet<string>): Promise<EditOutcome> {
    try {
      if (action === 'create' && own.has(name)) throw nameTaken(name);
      if (action === 'create' || action === 'repeat') await this.#assertFree(name);
      else if (!own.has(name)) throw await this.#notOwn(name, action);
      return { status: 'fulfilled', value: undefined };
    } catch (error) {
      if (error instanceof Failure) return { status: 'rejected', reason: error };
      throw error;
    }
  }

  async #assertFree(name: string): Promise<void> {
    const other = await this.#findElsewhere(name);
    if (other !== undefined) throw nameTaken(name);
  }

  async #assertOwn(name: string, verb: 'update' | 'delete'): Promise<void> {
    if ((await this.#own.get(name)) === undefined) throw await this.#notOwn(name, verb);
  }

  async #notOwn(name: string, verb: 'update' | 'delete'): Promise<Failure> {
    const other = await this.#findElsewhere(name);
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
  ): Promise<{ readonly source: PromptSource; readonly file: string } | undefined> {
    for (const source of this.#catalog.sources) {
      if (source === this.#own) continue;
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
