import { existsSync } from 'node:fs';
import { dirname, join, normalize, posix, sep } from 'node:path';
import { digestOf } from '../definition/definition.ts';
import { type CachedFile, decodeText, FileCache } from '../files/file-cache.ts';
import { type FolderCache, walkFolder } from '../files/folder-walk.ts';
import type { MessageTemplates, ScannedFiles, TemplateFiles } from '../rendering/template-set.ts';
import { promptNames, promptOf, withPromptReferences } from '../template/references.ts';

/** Files that a template may include. Excludes names such as `page.html.j2`, for which Jinja would turn on escaping. */
const templateFile = /^(?!.*\.(?:html?|xml|json5?|js|ya?ml)\.[^.]+$).*\.(?:md|txt|j2|jinja2?)$/;

/** The texts of a library and the templates among them, which are named by their path under `prompts/`. */
export class TwigTemplates implements KnownTemplateFiles {
  readonly folder: string;
  readonly #library: string;
  readonly #folders: FolderCache;
  readonly #texts = new FileCache<string>({ parse: async (bytes) => decodeText(bytes) });

  constructor(library: string, folders: FolderCache) {
    this.folder = join(library, 'prompts');
    this.#library = library;
    this.#folders = folders;
  }

  /** Never reads a file outside the library. */
  loadFile(path: string): Promise<CachedFile<string> | undefined> {
    return this.#texts.load(path, this.#library);
  }

  unchangedFile(path: string): CachedFile<string> | undefined {
    return this.#texts.unchanged(path);
  }

  async load(name: string): Promise<string | undefined> {
    const path = this.pathOf(name);
    return path && (await this.loadFile(path))?.value;
  }

  pathOf(name: string): string | undefined {
    const path = normalize(name);
    if (!templateFile.test(name) || path.startsWith('..') || name !== posixPath(path)) return undefined;
    return join(this.folder, path);
  }

  unchangedText(path: string): string | undefined {
    return this.unchangedFile(path)?.value;
  }

  names(): readonly string[] {
    const list = (folder: string) => this.#folders.entries(folder) ?? [];
    const accepts = (path: string) => templateFile.test(path);
    const { files } = walkFolder({ root: this.folder, accepts, list }, []);
    return files.map((file) => posixPath(file.slice(this.folder.length + 1)));
  }
}

export function posixPath(path: string): string {
  return sep === posix.sep ? path : path.replaceAll(sep, posix.sep);
}

/** The template files of a library, with access to cached texts. */
interface KnownTemplateFiles extends TemplateFiles {
  /** Returns `undefined` for a name that templates may not refer to. */
  pathOf(name: string): string | undefined;
  /** Returns the cached text if the file has not changed since it was read. */
  unchangedText(path: string): string | undefined;
}

/** The files that the templates of a prompt include, import or extend. */
export interface References {
  /** Texts by template name; `undefined` for a missing file. */
  readonly loaded: ReadonlyMap<string, string | undefined>;
  /** All templates of the library. Set if the prompt chooses at run time which template it includes. */
  readonly listed?: readonly string[];
  readonly digests: Readonly<Record<string, string>>;
  /** Names of the prompts that the templates use. */
  readonly uses: readonly string[];
  readonly folders: readonly string[];
}

/** A cheap check that avoids scanning templates without references. */
const mayRefer = /\{%[-+]?\s*(?:include|import|extends|from)\b/;

/** Finds the files that the prompts of one library refer to, and detects changes to those files. */
export class ReferenceTracker {
  readonly #files: KnownTemplateFiles;
  readonly #compose: (source: string) => string;
  readonly #scanned: ScannedFiles = new Map();
  /** Shared by all prompts that may include any file, because each map is as large as the library. */
  #all: References | undefined;
  #allIsCurrent: boolean | undefined;

  constructor(files: KnownTemplateFiles, composes: boolean) {
    this.#files = files;
    this.#compose = composes ? withPromptReferences : (source) => source;
  }

  /** Starts a new pass over the library. Shared files are checked once per pass. */
  beginPass(): void {
    this.#allIsCurrent = undefined;
  }

  async find(templates: MessageTemplates): Promise<References | undefined> {
    const messages = templates.map(([name, text]) => [name, this.#compose(text)] as const);
    if (!messages.some(([, text]) => mayRefer.test(text))) return undefined;
    const { collectTemplates } = await import('../rendering/template-set.ts');
    const uses = new Set<string>();
    const loaded = new Map<string, string | undefined>();
    const files: TemplateFiles = {
      load: async (name) => {
        const prompt = promptOf(name);
        if (prompt !== undefined) uses.add(prompt);
        const text = prompt === undefined ? await this.#files.load(name) : undefined;
        if (prompt === undefined) loaded.set(name, text);
        return text === undefined ? undefined : this.#compose(text);
      },
      names: () => [],
    };
    const { listed } = await collectTemplates(messages, files, this.#scanned);
    if (listed !== undefined) return this.#referencesToAll();
    const digests = [...loaded].flatMap(([name, text]): readonly (readonly [string, string])[] =>
      text === undefined ? [] : [[`prompts/${name}`, digestOf(text)]],
    );
    return {
      loaded,
      digests: Object.fromEntries(digests),
      uses: [...uses],
      folders: this.#folders(loaded.keys()),
    };
  }

  isCurrent(references: References): boolean {
    if (references.listed === undefined) return this.#isUnchanged(references);
    if (references !== this.#all) return false;
    this.#allIsCurrent ??=
      references.listed.join() === this.#files.names().join() && this.#isUnchanged(references);
    return this.#allIsCurrent;
  }

  async #referencesToAll(): Promise<References> {
    if (this.#all !== undefined && this.isCurrent(this.#all)) return this.#all;
    const listed = this.#files.names();
    const loaded = new Map<string, string | undefined>();
    for (const name of listed) loaded.set(name, await this.#files.load(name));
    const digests = { prompts: digestOf(JSON.stringify([...loaded])) };
    const uses = [...loaded.values()].flatMap((text) => promptNames(this.#compose(text ?? '')));
    this.#all = { loaded, listed, digests, uses, folders: this.#folders(listed) };
    this.#allIsCurrent = true;
    return this.#all;
  }

  #isUnchanged({ loaded }: References): boolean {
    for (const [name, text] of loaded) {
      const path = this.#files.pathOf(name);
      const isUnchanged =
        text === undefined
          ? path === undefined || !existsSync(path)
          : this.#files.unchangedText(path!) === text;
      if (!isUnchanged) return false;
    }
    return true;
  }

  #folders(names: Iterable<string>): readonly string[] {
    const paths = [...names].flatMap((name) => this.#files.pathOf(name) ?? []);
    return [...new Set(paths.map((path) => dirname(path)))];
  }
}
