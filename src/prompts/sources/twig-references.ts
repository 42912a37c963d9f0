import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { digestOf } from '../definition/revision.ts';
import type { MessageTemplates, ScannedFiles, TemplateFiles } from '../rendering/template-closure.ts';

/** The template files of a library, with what is known of them without reading them again. */
export interface KnownTemplateFiles extends TemplateFiles {
  /** `undefined` for a name that no template may refer to. */
  pathOf(name: string): string | undefined;
  /** The text of a file that is as it was when it was last read. */
  unchangedText(path: string): string | undefined;
}

/** The files that the templates of a prompt include, import or extend. */
export interface References {
  /** The text by name; undefined for a file that does not exist. */
  readonly loaded: ReadonlyMap<string, string | undefined>;
  /** Every template of the library, where a prompt decides only at run time what it includes. */
  readonly listed?: readonly string[];
  readonly digests: Readonly<Record<string, string>>;
  readonly folders: readonly string[];
}

/** A quick look before a template is scanned. */
const mayRefer = /\{%[-+]?\s*(?:include|import|extends|from)\b/;

/** Finds out what the prompts of one library refer to, and whether those files are still the same. */
export class ReferenceTracker {
  readonly #files: KnownTemplateFiles;
  readonly #scanned: ScannedFiles = new Map();
  /** Shared by all prompts that may include any file: a map for each would be as large as the library. */
  #all: References | undefined;
  #allIsCurrent: boolean | undefined;

  constructor(files: KnownTemplateFiles) {
    this.#files = files;
  }

  /** Before each look at the library: files that all prompts share are checked once for all of them. */
  begin(): void {
    this.#allIsCurrent = undefined;
  }

  async of(templates: MessageTemplates): Promise<References | undefined> {
    if (!templates.some(([, text]) => mayRefer.test(text))) return undefined;
    const { collectTemplates } = await import('../rendering/template-closure.ts');
    const files: TemplateFiles = { load: (name) => this.#files.load(name), names: () => [] };
    const { loaded, listed } = await collectTemplates(templates, files, this.#scanned);
    if (listed !== undefined) return this.#every();
    const digests = [...loaded].flatMap(([name, text]): readonly (readonly [string, string])[] =>
      text === undefined ? [] : [[`prompts/${name}`, digestOf(text)]],
    );
    return { loaded, digests: Object.fromEntries(digests), folders: this.#foldersOf(loaded.keys()) };
  }

  isCurrent(references: References): boolean {
    if (references.listed === undefined) return this.#isSame(references);
    if (references !== this.#all) return false;
    this.#allIsCurrent ??=
      references.listed.join() === this.#files.names().join() && this.#isSame(references);
    return this.#allIsCurrent;
  }

  async #every(): Promise<References> {
    if (this.#all !== undefined && this.isCurrent(this.#all)) return this.#all;
    const listed = this.#files.names();
    const loaded = new Map<string, string | undefined>();
    for (const name of listed) loaded.set(name, await this.#files.load(name));
    const digests = { prompts: digestOf(JSON.stringify([...loaded])) };
    this.#all = { loaded, listed, digests, folders: this.#foldersOf(listed) };
    this.#allIsCurrent = true;
    return this.#all;
  }

  #isSame({ loaded }: References): boolean {
    for (const [name, text] of loaded) {
      const path = this.#files.pathOf(name);
      const same =
        text === undefined
          ? path === undefined || !existsSync(path)
          : this.#files.unchangedText(path!) === text;
      if (!same) return false;
    }
    return true;
  }

  #foldersOf(names: Iterable<string>): readonly string[] {
    const paths = [...names].flatMap((name) => this.#files.pathOf(name) ?? []);
    return [...new Set(paths.map((path) => dirname(path)))];
  }
}
