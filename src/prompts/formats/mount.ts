import { type Dirent, statSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { Failure } from '../../failure.ts';
import type { Problem } from '../../feature.ts';
import type { PromptDefinition, Reading } from '../definition/definition.ts';
import { FileCache, problemOf } from '../files/file-cache.ts';
import { FolderCache } from '../files/folder-cache.ts';
import { FileProblem } from '../files/front-matter.ts';
import { Pace } from '../files/pace.ts';
import { decodeText } from '../files/text-file.ts';
import { type FolderReading, FolderSource, type WatchOptions } from '../sources/folder-source.ts';
import type { Format } from './format.ts';

export interface MountOptions extends WatchOptions {
  readonly format: string;
  /** A folder, or one file. */
  readonly path: string;
  /** Put before the names, with a colon. */
  readonly prefix?: string;
}

/** A folder deeper than this, or with more files, is not a folder of prompts. */
const deepest = 8;
const mostFiles = 200_000;

/** Prompt files of another program, served where they lie. */
export class MountSource extends FolderSource {
  readonly name: string;
  readonly translates: boolean;
  readonly prefix: string | undefined;
  readonly #options: MountOptions;
  readonly #folders = new FolderCache();
  readonly #files = new FileCache<Reading>({ parse: (bytes, path) => this.#parse(bytes, path) });
  /** Where each prompt was last seen. */
  #places = new Map<string, string>();
  #seen: readonly string[] | undefined;
  #format: Format | undefined;

  constructor({ poll, pollMs, ...options }: MountOptions) {
    super({ ...(poll !== undefined && { poll }), ...(pollMs !== undefined && { pollMs }) });
    this.#options = options;
    this.name = `${options.format} ${options.path}`;
    this.prefix = options.prefix;
    this.translates = !['commands', 'jsonl'].includes(options.format);
  }

  async get(name: string): Promise<PromptDefinition | undefined> {
    const { prefix } = this;
    if (prefix !== undefined && !name.startsWith(`${prefix}:`)) return undefined;
    const place = this.#places.get(name);
    const found = place && (await this.#load(place))?.prompts.find((prompt) => prompt.name === name);
    if (found) return found;
    const format = await this.#formatOf();
    // Where names are paths, a name that was not there can only have come with a file.
    if (format.namedByPath && this.#seen !== undefined && same(this.#seen, this.#walk(format, []).files))
      return undefined;
    return (await this.read()).prompts.find((prompt) => prompt.name === name);
  }

  protected async read(): Promise<FolderReading> {
    const format = await this.#formatOf();
    const problems: Problem[] = [];
    const { files, folders } = this.#walk(format, problems);
    const prompts = new Map<string, PromptDefinition>();
    const pace = new Pace();
    for (const file of files) {
      const reading = await this.#load(file);
      problems.push(...(reading?.problems ?? []));
      for (const prompt of reading?.prompts ?? []) {
        const first = prompts.get(prompt.name);
        if (first === undefined) prompts.set(prompt.name, prompt);
        else {
          const message = `the name ${prompt.name} is taken by ${first.file}`;
          const { name, file: from, line } = prompt;
          problems.push({ file: from, line, severity: 'warning', message, prompts: [name] });
        }
      }
      await pace.pause;
    }
    this.#files.keepOnly(new Set(files));
    this.#seen = files;
    this.#places = new Map([...prompts.values()].map(({ name, file }) => [name, file]));
    return { prompts: [...prompts.values()], problems, folders };
  }

  async #load(file: string): Promise<Reading | undefined> {
    const loaded = await this.#files.load(file, this.#root);
    if (loaded?.problem === undefined) return loaded?.value;
    return {
      prompts: loaded.value?.prompts ?? [],
      problems: [...(loaded.value?.problems ?? []), loaded.problem],
    };
  }

  async #parse(bytes: Buffer, path: string): Promise<Reading> {
    const format = await this.#formatOf();
    const { prefix } = this;
    const nameOf = (name: string) => (prefix === undefined ? name : `${prefix}:${name}`);
    const own = relative(this.#root, path).replaceAll(sep, '/');
    const { prompts, problems } = await format.read([{ path: own, text: decodeText(bytes) }]);
    const error = problems.find(({ severity }) => severity === 'error');
    // Thrown, so that the last good version stays.
    if (prompts.length === 0 && error) throw new FileProblem(error.message, error.line ?? 1, error.column);
    return {
      prompts: prompts.map((prompt) => ({
        ...prompt,
        name: nameOf(prompt.name),
        file: path,
      })),
      problems: problems.map((problem) => ({
        ...problem,
        file: path,
        ...(problem.prompts && { prompts: problem.prompts.map(nameOf) }),
      })),
    };
  }

  get #root(): string {
    const { path } = this.#options;
    return statSync(path, { throwIfNoEntry: false })?.isFile() ? dirname(path) : path;
  }

  /** Links to folders are not followed: they may lead in circles. */
  #walk(format: Format, problems: Problem[]): { files: readonly string[]; folders: readonly string[] } {
    const { path } = this.#options;
    const root = this.#root;
    if (root !== path) return { files: format.accepts(basename(path)) ? [path] : [], folders: [root] };
    const files: string[] = [];
    const folders: string[] = [];
    const visit = (folder: string, own: string, depth: number) => {
      folders.push(folder);
      for (const entry of this.#entriesOf(folder, problems)) {
        const inner = own === '' ? entry.name : `${own}/${entry.name}`;
        if (files.length >= mostFiles) return;
        if (entry.isDirectory() && depth < deepest) visit(join(folder, entry.name), inner, depth + 1);
        else if (!entry.isDirectory() && format.accepts(inner)) files.push(join(folder, entry.name));
      }
    };
    visit(root, '', 0);
    return { files, folders };
  }

  #entriesOf(folder: string, problems: Problem[]): readonly Dirent[] {
    try {
      const entries = this.#folders.entries(folder);
      if (entries === undefined)
        problems.push({ file: folder, severity: 'warning', message: 'this mounted folder does not exist' });
      return entries ?? [];
    } catch (error) {
      problems.push(problemOf(folder, error));
      return [];
    }
  }

  async #formatOf(): Promise<Format> {
    if (this.#format !== undefined) return this.#format;
    const { formatNamed } = await import('./formats.ts');
    this.#format = formatNamed(this.#options.format);
    if (this.#format.name === 'twig')
      throw new Failure('invalid-params', 'Libraries are not mounted one by one: put them into twig.dir.');
    return this.#format;
  }
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((file, index) => file === b[index]);
}
