import { Failure } from '../../failure.ts';
import type { Problem } from '../../feature.ts';
import type { ArgumentDefinition, MessageDefinition, PromptDefinition } from './definition.ts';

/** Provides prompts. Every answer reflects the files on disk at the time of the call. */
export interface PromptSource {
  /** Unique in a catalog; shown to users and used in the configuration. */
  readonly name: string;
  /** True if the prompts are translated from another format, so any remaining braces are plain text. */
  readonly translates?: boolean;
  /** The format of the files, if the settings name it. */
  readonly format?: string;
  /** The folders that were read for the last list. A new file changes the time of one of them. */
  readonly folders?: readonly string[];
  /** Prefix added to the names in the files, separated by a colon. */
  readonly prefix?: string | undefined;
  /** Prompts with unique names in a stable order. Returns the same array object until something changes. */
  list(): Promise<readonly PromptDefinition[]>;
  /** `undefined` if the source has no such prompt. Throws `content-missing` if the prompt exists but cannot be read. */
  get(name: string): Promise<PromptDefinition | undefined>;
  /** The answer of `get`, if it can be given without waiting, because the file was read before and has not changed. */
  known?(name: string): PromptDefinition | 'none' | undefined;
  /** The current revision of a prompt. If it is not known, the caller uses a digest of the content. */
  revision?(definition: PromptDefinition): Promise<string>;
  problems(): Promise<readonly Problem[]>;
  /** The prompt's templates and every template that they may include, import or extend. */
  templates?(definition: PromptDefinition): Promise<TemplateSet>;
  /** Calls the listener after each burst of changes on disk. Returns a function that unsubscribes. */
  subscribe?(listener: () => void): () => void;
  close?(): void;
}

export interface TemplateSet {
  /** Throws TemplateError. */
  render(template: string, args: Readonly<Record<string, unknown>>): Promise<string>;
  /** The name of each message's template. */
  readonly names: readonly string[];
  sourceOf(template: string): string | undefined;
  /** All sources by name, including those of included templates. */
  readonly sources: ReadonlyMap<string, string>;
}

/** A source whose prompts can be edited through Adjutant. Every change is recorded in the history. */
export interface EditablePromptSource extends PromptSource {
  /** Oldest first. Throws `prompt-not-found` if there never was a prompt of this name. */
  history(name: string): Promise<readonly Revision[]>;
  /** Revisions of every prompt by name, including deleted prompts. */
  histories(): Promise<ReadonlyMap<string, readonly Revision[]>>;
  /**
   * Applies the edits in order and returns one outcome per edit. A refused edit does not stop the others. Edits are
   * written in atomic batches; after each batch, `onProgress` receives the number of edits processed so far. Throws if
   * writing fails.
   */
  changeMany(
    edits: readonly PromptEdit[],
    author: Author,
    onProgress?: (edits: number) => void,
  ): Promise<readonly EditOutcome[]>;
}

/** A change to one prompt. `repeat` copies a revision, including its author and time. */
export type PromptEdit = {
  readonly name: string;
  /** The expected current revision. If it differs, the edit fails with `conflict`. */
  readonly expected?: string | undefined;
} & (
  | { readonly action: 'create'; readonly draft: PromptDraft }
  | { readonly action: 'update'; readonly changes: PromptChanges }
  | { readonly action: 'delete' }
  | { readonly action: 'repeat'; readonly revision: Revision }
);

/** The prompt after the edit (`undefined` after a deletion), or the `Failure` that prevented the edit. */
export type EditOutcome = PromiseSettledResult<PromptDefinition | undefined>;

export interface PromptDraft {
  readonly name: string;
  readonly title: string;
  readonly description?: string;
  readonly arguments?: readonly ArgumentDefinition[];
  readonly messages: readonly MessageDefinition[];
  readonly tags?: readonly string[];
}

export type PromptChanges = Partial<Omit<PromptDraft, 'name'>>;

/** The client that made a change. */
export interface Author {
  readonly name: string;
  readonly version: string;
}

export interface Revision {
  /** Starts at 1 for each name. */
  readonly revision: number;
  /** `outside`: a change made by another program and found in the file. */
  readonly action: 'create' | 'update' | 'delete' | 'restore' | 'outside';
  /** RFC 3339. */
  readonly time: string;
  readonly client: Author;
  /** The prompt after the change; absent after a deletion. */
  readonly prompt?: PromptDraft;
  /** The revision that a restore copied. */
  readonly restored?: number;
}

/** Whether people mean this source: by its name, its prefix, or the format or path of its files, in upper or lower case. */
export function isSource({ name, prefix, format }: PromptSource, asked: string): boolean {
  const [kind] = name.split(' ', 1);
  const names = [name, prefix, format, kind, name.slice(kind!.length + 1)];
  const wanted = asked.replace(/(?<=.)\/$/, '').toLowerCase();
  return names.some((own) => own?.toLowerCase() === wanted);
}

/** Throws `invalid-params`, which names the known sources, if no source matches. */
export function assertSource(sources: readonly PromptSource[], asked: string): void {
  if (sources.some((source) => isSource(source, asked))) return;
  const known = sources.map(({ name, prefix }) =>
    prefix === undefined ? name : `${name} (prefix ${prefix})`,
  );
  throw new Failure('invalid-params', `There is no source "${asked}". The sources are: ${known.join(', ')}.`);
}

export function isEditable(source: PromptSource): source is EditablePromptSource {
  return 'changeMany' in source;
}

/** `undefined` if there is no such prompt. */
export function ifFound<Value>(found: Promise<Value>): Promise<Value | undefined> {
  return found.catch((error: unknown) => {
    if (error instanceof Failure && error.kind === 'prompt-not-found') return undefined;
    throw error;
  });
}
