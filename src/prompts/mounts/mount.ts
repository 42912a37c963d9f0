import { type Dirent, statSync } from 'node:fs';
import { basename, dirname, parse as parsePath, relative, sep } from 'node:path';
import { Failure } from '../../failure.ts';
import type { Problem } from '../../feature.ts';
import { FileProblem } from '../../front-matter.ts';
import { present } from '../../json.ts';
import { Pace } from '../../pace.ts';
import type { PromptDefinition, Reading } from '../definition/definition.ts';
import { distinctNames, repeatedMessage } from '../definition/distinct-names.ts';
import { decodeText, FileCache, problemOf } from '../files/file-cache.ts';
import { FolderCache, walkFolder } from '../files/folder-walk.ts';
import { longText, runInThread } from '../files/work-thread.ts';
import type { Format } from '../formats/format.ts';
import { formatNamed } from '../formats/formats.ts';
import { type FolderReading, FolderSource, type WatchOptions } from '../sources/folder-source.ts';

export interface MountOptions extends WatchOptions {
  readonly format: string;
  /** A folder or a single file. */
  readonly path: string;
  /** Added before every name, followed by a colon. */
  readonly prefix?: string;
  /** Follows symbolic links, also those that lead out of the folder. */
  readonly follow_links?: boolean;
  /** The version of the client whose rules apply. Default: the newest known. */
  readonly version?: string;
}

/** Serves the prompt files of another program in place. */
export class MountSource extends FolderSource {
  readonly name: string;
  readonly format: string;
  readonly prefix: string | undefined;
  readonly #options: MountOptions;
  readonly #folders = new FolderCache();
  readonly #files = new FileCache<Reading>({
    parse: (bytes, path) => this.#parse(bytes, path),
    linkAdvice: '; follow_links = true on a mount allows that',
  });
  /** The file of each prompt at the last read, and the name that the prompt has without the other files. */
  #placeByName: ReadonlyMap<string, { readonly file: string; readonly own: string }> = new Map();
  #lastFiles: readonly string[] | undefined;
  #format: Format | undefined;

  constructor({ poll, pollMs, namedBy, ...options }: MountOptions) {
    super({ namedBy, ...present({ poll, pollMs }) });
    this.#options = options;
    this.name = `${options.format} ${options.path}`;
    this.format = options.format;
    this.prefix = options.prefix;
  }

  /** Known as soon as a file was read. */
  get translates(): boolean {
    return this.#format !== undefined && !this.#format.isOwn;
  }

  async get(name: string): Promise<PromptDefinition | undefined> {
    const { prefix } = this;
    if (prefix !== undefined && !name.startsWith(`${prefix}:`)) return undefined;
    const last = this.#placeByName.get(name);
    const found = last && (await this.#load(last.file))?.prompts.find((prompt) => prompt.name === last.own);
    if (found) return found.name === name ? found : { ...found, name };
    const format = await this.#loadFormat();
    // If names come from paths, an unknown name can exist only if the list of files has changed.
    if (
      format.namedByPath &&
      this.#lastFiles !== undefined &&
      isSameList(this.#lastFiles, this.#walk(format, []).files)
    )
      return undefined;
    return (await this.read()).prompts.find((prompt) => prompt.name === name);
  }

  protected async read(): Promise<FolderReading> {
    const format = await this.#loadFormat();
    const problems: Problem[] = [];
    const { files, folders } = this.#walk(format, problems);
    const prompts: PromptDefinition[] = [];
    const pace = new Pace();
    for (const file of files) {
      const reading = await this.#load(file);
      problems.push(...(reading?.problems ?? []));
      prompts.push(...(reading?.prompts ?? []));
      await pace.pause;
    }
    const { served, renamed, repeated } = distinctNames(prompts);
    for (const [prompt, first] of repeated) {
      const { name, file, line } = prompt;
      const message = repeatedMessage(prompt, first);
      // In a file of its own, the line is that of the text.
      problems.push({ file, ...(format.isOwn && { line }), severity: 'warning', message, prompts: [name] });
    }
    this.#files.keepOnly(new Set(files));
    this.#lastFiles = files;
    this.#placeByName = new Map(
      [...served].map(([name, { file }]) => [name, { file, own: renamed.get(name) ?? name }]),
    );
    return { prompts: [...served.values()], problems, folders };
  }

  async #load(file: string): Promise<Reading | undefined> {
    const root = this.#options.follow_links ? parsePath(file).root : this.#root;
    const loaded = await this.#files.load(file, root);
    if (loaded?.problem === undefined) return loaded?.value;
    return {
      prompts: loaded.value?.prompts ?? [],
      problems: [...(loaded.value?.problems ?? []), loaded.problem],
    };
  }

  async #parse(bytes: Buffer, path: string): Promise<Reading> {
    const format = await this.#loadFormat();
    const { prefix } = this;
    const withPrefix = (name: string) => (prefix === undefined ? name : `${prefix}:${name}`);
    const own = relative(this.#root, path).replaceAll(sep, '/');
    // A skill or pattern that is mounted on its own has the name of its folder.
    const files = [
      {
        path: own === 'SKILL.md' || own === 'system.md' ? `${basename(this.#root)}/${own}` : own,
        text: decodeText(bytes),
      },
    ];
    const { format: name, version } = this.#options;
    const { prompts, problems } =
      bytes.length <= longText
        ? await format.read(files)
        : ((await runInThread('read', { files, format: name, version })) as Reading);
    const error = problems.find(({ severity }) => severity === 'error');
    // Throw, so that the cache keeps the last good version.
    if (prompts.length === 0 && error) throw new FileProblem(error.message, error.line ?? 1, error.column);
    return {
      prompts: prompts.map((prompt) => ({
        ...prompt,
        name: withPrefix(prompt.name),
        file: path,
        ...(format.isSkill?.(own) && { folder: dirname(path) }),
      })),
      problems: problems.map((problem) => ({
        ...problem,
        file: path,
        ...(problem.prompts && { prompts: problem.prompts.map(withPrefix) }),
      })),
    };
  }

  get #root(): string {
    const { path } = this.#options;
    return statSync(path, { throwIfNoEntry: false })?.isFile() ? dirname(path) : path;
  }

  #walk(format: Format, problems: Problem[]): { files: readonly string[]; folders: readonly string[] } {
    const { path, follow_links: followLinks = false } = this.#options;
    const root = this.#root;
    if (root !== path) return { files: format.accepts(basename(path)) ? [path] : [], folders: [root] };
    return walkFolder(
      {
        root,
        accepts: (inner) => format.accepts(inner),
        list: (folder) => this.#entries(folder, problems),
        followLinks,
        linkAdvice: '; follow_links = true on a mount follows it',
      },
      problems,
    );
  }

  #entries(folder: string, problems: Problem[]): readonly Dirent[] {
    try {
      return this.#folders.entries(folder) ?? [];
    } catch (error) {
      problems.push(problemOf(folder, error));
      return [];
    }
  }

  async #loadFormat(): Promise<Format> {
    if (this.#format !== undefined) return this.#format;
    const format = await formatNamed(this.#options.format, this.#options.version);
    if (format.manifest !== undefined)
      throw new Failure(
        'invalid-params',
        `${format.title} cannot be mounted. Put them into the folder set as twig.dir.`,
      );
    this.#format = format;
    return format;
  }
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((file, index) => file === b[index]);
}
