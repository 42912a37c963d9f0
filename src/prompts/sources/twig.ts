import { statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { Failure } from '../../failure.ts';
import type { Problem } from '../../feature.ts';
import { messageOf } from '../../json.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import type { TemplateSet } from '../definition/source.ts';
import { FolderCache } from '../files/folder-cache.ts';
import { Pace } from '../files/pace.ts';
import type { Jinja } from '../jinja/jinja.ts';
import type { TemplateError } from '../jinja/template-error.ts';
import type { CompiledTemplates } from '../rendering/template-set.ts';
import { type FolderReading, FolderSource, type WatchOptions } from './folder-source.ts';
import { TwigLibrary } from './twig-library.ts';
import type { ManifestPrompt } from './twig-manifest.ts';

export interface TwigOptions extends WatchOptions {
  readonly folder: string;
  /** The folder that messages write as `~`. */
  readonly userHome?: string;
}

interface Origin {
  readonly library: TwigLibrary;
  readonly prompt: ManifestPrompt;
}

/** Prompts whose templates stay compiled. */
const compiledPrompts = 256;

/** Libraries of Jinja prompts: `<library>/twig.toml` and `<library>/prompts/<name>.md`. */
export class TwigSource extends FolderSource {
  readonly name = 'twig';
  readonly #root: string;
  readonly #userHome: string | undefined;
  readonly #folders = new FolderCache();
  readonly #libraries = new Map<string, TwigLibrary>();
  readonly #origins = new WeakMap<PromptDefinition, Origin>();
  readonly #tried = new WeakMap<PromptDefinition, readonly Problem[]>();
  readonly #compiled = new Map<string, CompiledTemplates>();

  constructor({ folder, userHome, ...watching }: TwigOptions) {
    super(watching);
    this.#root = folder;
    this.#userHome = userHome;
  }

  async get(name: string): Promise<PromptDefinition | undefined> {
    const [libraryName, promptName, ...rest] = name.split(':');
    if (promptName === undefined || rest.length > 0) return undefined;
    for (const library of this.#candidates([])) {
      if (library.name !== libraryName) continue;
      library.begin();
      const manifest = await library.manifest();
      // The first folder of this name that is a library is the one; others of the name are not looked at.
      if (manifest === undefined) continue;
      const prompt = manifest.value?.prompts.find((candidate) => candidate.name === promptName);
      return prompt === undefined ? undefined : this.#define(library, prompt);
    }
    return undefined;
  }

  /** A template that no longer compiles keeps its last good version. */
  async templates(definition: PromptDefinition): Promise<TemplateSet> {
    const { library, prompt } = this.#origins.get(definition)!;
    const messages = library.templatesOf(prompt, definition);
    const known = this.#compiled.get(definition.name);
    if (known !== undefined && (await known.isCurrent(messages))) return known;
    const { CompiledTemplates } = await import('../rendering/template-set.ts');
    const { TemplateError } = await import('../jinja/template-error.ts');
    try {
      const compiled = await CompiledTemplates.compile(messages, library);
      known?.jinja.close();
      this.#compiled.delete(definition.name);
      this.#compiled.set(definition.name, compiled);
      const [oldest] = this.#compiled.keys();
      if (this.#compiled.size > compiledPrompts) {
        this.#compiled.get(oldest!)!.jinja.close();
        this.#compiled.delete(oldest!);
      }
      return compiled;
    } catch (error) {
      if (known !== undefined && error instanceof TemplateError) return known;
      throw error;
    }
  }

  /** Templates that do not compile are among them; each version of a text is tried once. */
  override async problems(): Promise<readonly Problem[]> {
    const { Jinja } = await import('../jinja/jinja.ts');
    const wrong: Problem[] = [];
    const pace = new Pace();
    const jinja = new Jinja();
    for (const definition of await this.list()) {
      const known = this.#tried.get(definition) ?? syntaxProblems(definition, jinja);
      this.#tried.set(definition, known);
      wrong.push(...known);
      await pace.pause;
    }
    jinja.close();
    return [...(await super.problems()), ...wrong];
  }

  override close(): void {
    super.close();
    for (const { jinja } of this.#compiled.values()) jinja.close();
    this.#compiled.clear();
  }

  protected async read(): Promise<FolderReading> {
    const problems: Problem[] = [];
    const prompts: PromptDefinition[] = [];
    const folders = new Set([this.#root]);
    const named = new Map<string, TwigLibrary>();
    const pace = new Pace();
    for (const library of this.#candidates(problems)) {
      library.begin();
      folders.add(library.folder).add(library.promptsFolder);
      const manifest = await library.manifest();
      if (manifest === undefined) continue;
      const first = named.get(library.name);
      if (library.name === '' || first !== undefined) {
        const message =
          first === undefined
            ? 'the name of the folder gives no name to the library'
            : `the library ${library.name} is already in ${first.folder}`;
        problems.push({ file: library.folder, severity: 'warning', message });
        continue;
      }
      named.set(library.name, library);
      if (manifest.problem !== undefined) problems.push(manifest.problem);
      problems.push(...(manifest.value?.problems ?? []).map((problem) => library.named(problem)));
      for (const prompt of manifest.value?.prompts ?? []) {
        const outcome = library.unchanged(prompt) ?? (await library.outcome(prompt));
        problems.push(...outcome.problems);
        for (const folder of outcome.folders) folders.add(folder);
        if (outcome.definition !== undefined) prompts.push(outcome.definition);
        const pause = pace.pause;
        if (pause !== undefined) await pause;
      }
    }
    return { prompts, problems, folders: [...folders] };
  }

  async #define(library: TwigLibrary, prompt: ManifestPrompt): Promise<PromptDefinition> {
    const { definition, problems } = await library.outcome(prompt);
    if (definition === undefined) {
      const { message, file } = problems[0]!;
      throw new Failure('content-missing', `${message}: ${this.#shortened(file)}`);
    }
    const complete = await library.complete(prompt, definition);
    this.#origins.set(complete, { library, prompt });
    return complete;
  }

  /** Folders that may be libraries, in the order of their names. */
  #candidates(problems: Problem[]): readonly TwigLibrary[] {
    try {
      const entries = this.#folders.entries(this.#root) ?? [];
      return entries
        .map((entry) => ({ entry, path: join(this.#root, entry.name) }))
        .filter(({ entry, path }) => entry.isDirectory() || (entry.isSymbolicLink() && isFolder(path)))
        .map(({ path }) => this.#library(path));
    } catch (error) {
      const message = `the libraries cannot be read: ${messageOf(error)}`;
      problems.push({ file: this.#root, severity: 'error', message });
      return [];
    }
  }

  #shortened(path: string): string {
    const home = this.#userHome;
    return home !== undefined && path.startsWith(home + sep) ? `~${path.slice(home.length)}` : path;
  }

  #library(folder: string): TwigLibrary {
    const library = this.#libraries.get(folder) ?? new TwigLibrary(folder, this.#folders);
    this.#libraries.set(folder, library);
    return library;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function syntaxProblems({ template, messages, file }: PromptDefinition, jinja: Jinja): readonly Problem[] {
  if (template !== 'jinja') return [];
  try {
    for (const { content } of messages) if (content.type === 'text') jinja.set('prompt.md', content.text);
    return [];
  } catch (error) {
    const { line, column, message } = error as TemplateError;
    const place = { ...(line !== undefined && { line }), ...(column !== undefined && { column }) };
    return [{ file, ...place, severity: 'error', message }];
  }
}
