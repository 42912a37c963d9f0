import { Failure } from '../failure.ts';
import type { Catalog } from './catalog.ts';
import type { PromptDefinition } from './definition.ts';
import type {
  Author,
  EditablePromptSource,
  PromptChanges,
  PromptDraft,
  PromptSource,
  Revision,
} from './source.ts';

/** Changes to the catalogue. Only the person's own prompts can be changed; the others say where they come from. */
export class Editor {
  readonly #catalog: Catalog;
  readonly #own: EditablePromptSource;

  constructor(catalog: Catalog, own: EditablePromptSource) {
    this.#catalog = catalog;
    this.#own = own;
  }

  /** Whether the person has a prompt of this name. */
  async has(name: string): Promise<boolean> {
    return (await this.#own.get(name)) !== undefined;
  }

  async create(draft: PromptDraft, author: Author): Promise<PromptDefinition> {
    await this.#assertFree(draft.name);
    return this.#own.create(draft, author);
  }

  async update(name: string, changes: PromptChanges, author: Author): Promise<PromptDefinition> {
    await this.#assertOwn(name, 'update');
    return this.#own.update(name, changes, author);
  }

  async delete(name: string, author: Author): Promise<void> {
    await this.#assertOwn(name, 'delete');
    await this.#own.delete(name, author);
  }

  history(name: string): Promise<readonly Revision[]> {
    return this.#own.history(name);
  }

  async restore(name: string, revision: number, author: Author): Promise<PromptDefinition> {
    await this.#assertFree(name);
    return this.#own.restore(name, revision, author);
  }

  async #assertFree(name: string): Promise<void> {
    const other = await this.#other(name);
    if (other !== undefined) throw new Failure('conflict', `prompt already exists: ${name}`);
  }

  async #assertOwn(name: string, verb: 'update' | 'delete'): Promise<void> {
    if ((await this.#own.get(name)) !== undefined) return;
    const other = await this.#other(name);
    if (other === undefined) throw new Failure('prompt-not-found', `Prompt not found: ${name}`);
    if (other.source.name !== 'built-in')
      throw new Failure('refused', `cannot ${verb} ${name}: it is the file ${other.file}; change it there`);
    const way = verb === 'update' ? ' (create a new prompt with a different name instead)' : '';
    throw new Failure('refused', `cannot ${verb} built-in prompt: ${name}${way}`);
  }

  /** Who else has a prompt of this name, be it readable or not. */
  async #other(name: string): Promise<{ readonly source: PromptSource; readonly file: string } | undefined> {
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
