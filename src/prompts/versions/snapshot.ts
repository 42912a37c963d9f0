import type { Problem } from '../../feature.ts';
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import type { PromptSource, TemplateSet } from '../definition/source.ts';

/** A prompt as it was at one revision, with everything needed to render it after its files have changed. */
export interface Snapshot {
  readonly definition: PromptDefinition;
  /** The templates of a library: the name of each message's template, and the sources of all. */
  readonly templates?: {
    readonly names: readonly string[];
    readonly sources: Readonly<Record<string, string>>;
  };
}

export async function takeSnapshot({ definition, source }: CatalogEntry): Promise<Snapshot> {
  const { tests: _, ...kept } = definition;
  if (definition.template !== 'jinja' || source.templates === undefined) return { definition: kept };
  const { names, sources } = await source.templates(definition);
  return { definition: kept, templates: { names, sources: Object.fromEntries(sources) } };
}

/** Serves one snapshot. */
export class SnapshotSource implements PromptSource {
  readonly name: string;
  readonly templates?: NonNullable<PromptSource['templates']>;
  readonly #snapshot: Snapshot;
  readonly #revision: string;
  #compiled: Promise<TemplateSet> | undefined;

  constructor(name: string, snapshot: Snapshot, revision: string) {
    this.name = name;
    this.#snapshot = snapshot;
    this.#revision = revision;
    if (snapshot.templates !== undefined) this.templates = () => (this.#compiled ??= this.#compile());
  }

  async list(): Promise<readonly PromptDefinition[]> {
    return [this.#snapshot.definition];
  }

  async get(): Promise<PromptDefinition> {
    return this.#snapshot.definition;
  }

  async revision(): Promise<string> {
    return this.#revision;
  }

  async problems(): Promise<readonly Problem[]> {
    return [];
  }

  async #compile(): Promise<TemplateSet> {
    const { CompiledTemplates } = await import('../rendering/template-set.ts');
    const { names, sources } = this.#snapshot.templates!;
    return CompiledTemplates.compile(
      names.map((name) => [name, sources[name] ?? '']),
      { load: async (name) => sources[name], names: () => Object.keys(sources) },
    );
  }
}
