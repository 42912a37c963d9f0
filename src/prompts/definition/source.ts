import type { Problem } from '../../feature.ts';
import type { Jinja } from '../jinja/jinja.ts';
import type { ArgumentDefinition, MessageDefinition, PromptDefinition } from './definition.ts';

/** Where prompts come from. What it tells is what is on disk at that moment. */
export interface PromptSource {
  /** Unique in a catalogue; shown to people and used in configuration. */
  readonly name: string;
  /** Its prompts were written in another form: braces left in their texts are text. */
  readonly translates?: boolean;
  /** What it puts before the names in its files, with a colon. */
  readonly prefix?: string | undefined;
  /** In a stable order, names unique. The very same array as long as nothing changed. */
  list(): Promise<readonly PromptDefinition[]>;
  /** `undefined` when it is not of this source; throws `content-missing` when it is there but cannot be read. */
  get(name: string): Promise<PromptDefinition | undefined>;
  /** The revision of a definition of this source; without it, a digest of the content. */
  revision?(definition: PromptDefinition): Promise<string>;
  problems(): Promise<readonly Problem[]>;
  /** The templates of a definition and all that they may include, import or extend. */
  templates?(definition: PromptDefinition): Promise<TemplateSet>;
  /** Told, after a burst has settled, that something on disk has changed. */
  subscribe?(listener: () => void): () => void;
  close?(): void;
}

export interface TemplateSet {
  readonly jinja: Jinja;
  /** The template of each message. */
  readonly names: readonly string[];
  sourceOf(template: string): string | undefined;
}

/** A source whose prompts can be changed through us. Every change is kept as history. */
export interface EditablePromptSource extends PromptSource {
  /** Oldest first; `prompt-not-found` when there never was one of this name. */
  history(name: string): Promise<readonly Revision[]>;
  /**
   * Changes, in their order, and what became of each: one that is refused stops no other. They are written in
   * batches, a batch whole or not at all; `done` is told after each how many have had their turn. Throws when nothing
   * more can be written.
   */
  changeMany(
    edits: readonly PromptEdit[],
    author: Author,
    done?: (edits: number) => void,
  ): Promise<readonly EditOutcome[]>;
}

/** A change of one prompt. To repeat is to make it what it was after a revision, in that author's name and time. */
export type PromptEdit = {
  readonly name: string;
  /** The revision that the change is meant for; any other one is a `conflict`. */
  readonly expected?: string | undefined;
} & (
  | { readonly action: 'create'; readonly draft: PromptDraft }
  | { readonly action: 'update'; readonly changes: PromptChanges }
  | { readonly action: 'delete' }
  | { readonly action: 'repeat'; readonly revision: Revision }
);

/** The prompt after the edit, if there is one; or the `Failure` that kept it as it was. */
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

/** Who asked for a change. */
export interface Author {
  readonly name: string;
  readonly version: string;
}

export interface Revision {
  /** Counts from 1 for each name. */
  readonly revision: number;
  /** `outside`: found in the file, made by somebody else. */
  readonly action: 'create' | 'update' | 'delete' | 'restore' | 'outside';
  /** RFC 3339. */
  readonly time: string;
  readonly client: Author;
  /** The prompt after the change; absent after a deletion. */
  readonly prompt?: PromptDraft;
  /** The revision a restore went back to. */
  readonly restored?: number;
}

export function isEditable(source: PromptSource): source is EditablePromptSource {
  return 'changeMany' in source;
}
