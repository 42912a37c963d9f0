import { join, normalize, posix, sep } from 'node:path';
import type { Awaitable } from '../../awaitable.ts';
import { type CachedFile, FileCache } from '../files/file-cache.ts';
import type { FolderCache } from '../files/folder-cache.ts';
import { decodeText } from '../files/text-file.ts';
import type { KnownTemplateFiles } from './twig-references.ts';

/** Files that a template may include. Excludes names such as `page.html.j2`, for which Jinja would turn on escaping. */
const templateFile = /^(?!.*\.(?:html?|xml|json5?|js|ya?ml)\.[^.]+$).*\.(?:md|txt|j2|jinja2?)$/;

/** The texts of a library and the templates among them, which are named by their path under `prompts/`. */
export class TwigTemplates implements KnownTemplateFiles {
  readonly folder: string;
  readonly #library: string;
  readonly #folders: FolderCache;
  readonly #texts = new FileCache<string>({ parse: decodeText });

  constructor(library: string, folders: FolderCache) {
    this.folder = join(library, 'prompts');
    this.#library = library;
    this.#folders = folders;
  }

  /** Never reads a file outside the library. */
  loadFile(path: string): Awaitable<CachedFile<string> | undefined> {
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
    const names: string[] = [];
    const visit = (folder: string, prefix: string) => {
      for (const entry of this.#folders.entries(folder) ?? []) {
        if (entry.isDirectory()) visit(join(folder, entry.name), `${prefix}${entry.name}/`);
        else if (templateFile.test(entry.name)) names.push(`${prefix}${entry.name}`);
      }
    };
    visit(this.folder, '');
    return names;
  }
}

export function posixPath(path: string): string {
  return sep === posix.sep ? path : path.replaceAll(sep, posix.sep);
}
