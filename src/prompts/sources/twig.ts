import { statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { Failure } from '../../failure.ts';
import type { Problem } from '../../feature.ts';
import { messageOf } from '../../json.ts';
import { Pace } from '../../pace.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import type { TemplateSet } from '../definition/source.ts';
import { FolderCache } from '../files/folder-walk.ts';
import type { TemplateError } from '../jinja/template-error.ts';
import type { Composition } from '../rendering/composition.ts';
import type { CompiledTemplates } from '../rendering/template-set.ts';
import { type FolderReading, FolderSource, type WatchOptions } from './folder-source.ts';
import { TwigLibrary } from './twig-library.ts';
import type { ManifestPrompt } from './twig-manifest.ts';

export interface TwigOptions extends WatchOptions {
  /** Default: `twig`. */
  readonly name?: string;
  readonly folder: string;
  /** Messages abbreviate this folder to `~`. */
  readonly userHome?: string;
  /** Lets templates use prompts of other sources. */
  readonly composition?: () => Promise<Composition>;
}

interface Origin {
  readonly library: TwigLibrary;
  readonly prompt: ManifestPrompt;
}

/** Maximum number of prompts whose templates stay compiled. */
const maxCompiledPrompts = 256;

/** Libraries of Jinja prompts, each with `<library>/twig.toml` and `<library>/prompts/<name>.md`. */
export class TwigSource extends FolderSource {
  readonly name: string;
  readonly #root: string;
  readonly #userHome: string | undefined;
  readonly #composition: TwigOptions['composition'];
  readonly #folders = new FolderCache();
  readonly #libraries = new Map<string, TwigLibrary>();
  readonly #origins = new WeakMap<PromptDefinition, Origin>();
  readonly #syntaxProblems = new WeakMap<PromptDefinition, readonly Problem[]>();
  readonly #compiled = new Map<string, CompiledTemplates>();

  constructor({ name = 'twig', folder, userHome, composition, ...watching }: TwigOptions) {
    super(watching);
    this.name = name;
    this.#root = folder;
    this.#userHome = userHome;
    this.#composition = composition;
  }

  async get(name: string): Promise<PromptDefinition | undefined> {
    const [libraryName, promptName, ...rest] = name.split(':');
    if (promptName === undefined || rest.length > 0) return undefined;
    for (const library of this.#candidates([])) {
      if (library.name !== libraryName) continue;
      library.beginPass();
      const manifest = await library.manifest();
      // If several libraries have the same name, only the first one is served.
      if (manifest === undefined) continue;
      const prompt = manifest.value?.prompts.find((candidate) => candidate.name === promptName);
      return prompt === undefined ? undefined : this.#define(library, prompt);
    }
    return undefined;
  }

  /** If a changed template does not compile, its last good version is used. */
  async templates(definition: PromptDefinition): Promise<TemplateSet> {
    const { library, prompt } = this.#origins.get(definition)!;
    const own = library.templatesOf(prompt, definition);
    const composition = await this.#composition?.();
    const messages = composition?.messages(own) ?? own;
    const files = composition?.files(library.templates) ?? library.templates;
    const known = this.#compiled.get(definition.name);
    if (known !== undefined && (await known.isCurrent(messages))) return known;
    const { CompiledTemplates } = await import('../rendering/template-set.ts');
    const { TemplateError } = await import('../jinja/template-error.ts');
    try {
      const compiled = await CompiledTemplates.compile(messages, files);
      known?.close();
      this.#compiled.delete(definition.name);
      this.#compiled.set(definition.name, compiled);
      const [oldest] = this.#compiled.keys();
      if (this.#compiled.size > maxCompiledPrompts) {
        this.#compiled.get(oldest!)!.close();
        this.#compiled.delete(oldest!);
      }
      return compiled;
    } catch (error) {
      if (known !== undefined && error instanceof TemplateError) return known;
      throw error;
    }
  }

  /** The text of a template file, or `undefined` if there is no such library or file. */
  async templateFile(library: string, path: string): Promise<string | undefined> {
    for (const candidate of this.#candidates([]))
      if (candidate.name === library && (await candidate.manifest()) !== undefined)
        return candidate.templates.load(path);
    return undefined;
  }

  /** Includes templates that do not compile. Each version of a prompt is compiled only once for this check. */
  override async problems(): Promise<readonly Problem[]> {
    const { Jinja } = await import('../jinja/jinja.ts');
    const { checkSyntax, shortLimits } = await import('../rendering/template-set.ts');
    const syntaxErrors: Problem[] = [];
    const pace = new Pace();
    const jinja = new Jinja(shortLimits);
    for (const definition of await this.list()) {
      const known =
        this.#syntaxProblems.get(definition) ??
        (await findSyntaxProblems(definition, (text) => checkSyntax(jinja, 'prompt.md', text)));
      this.#syntaxProblems.set(definition, known);
      syntaxErrors.push(...known);
      await pace.pause;
    }
    jinja.close();
    return [...(await super.problems()), ...syntaxErrors];
  }

  override close(): void {
    super.close();
    for (const compiled of this.#compiled.values()) compiled.close();
    this.#compiled.clear();
  }

  protected async read(): Promise<FolderReading> {
    const problems: Problem[] = [];
    const prompts: PromptDefinition[] = [];
    const folders = new Set([this.#root]);
    const librariesByName = new Map<string, TwigLibrary>();
    const pace = new Pace();
    for (const library of this.#candidates(problems)) {
      library.beginPass();
      folders.add(library.folder).add(library.templates.folder);
      const manifest = await library.manifest();
      if (manifest === undefined) continue;
      const first = librariesByName.get(library.name);
      if (library.name === '' || first !== undefined) {
        const message =
          first === undefined
            ? 'the folder name contains no letters or digits, so the library has no name'
            : `the library ${library.name} already exists in ${first.folder}`;
        problems.push({ file: library.folder, severity: 'warning', message });
        continue;
      }
      librariesByName.set(library.name, library);
      if (manifest.problem !== undefined) problems.push(manifest.problem);
      problems.push(
        ...(manifest.value?.problems ?? []).map((problem) => library.withQualifiedNames(problem)),
      );
      for (const prompt of manifest.value?.prompts ?? []) {
        const loaded = library.unchanged(prompt) ?? (await library.loadPrompt(prompt));
        problems.push(...loaded.problems);
        for (const folder of loaded.folders) folders.add(folder);
        if (loaded.definition !== undefined) prompts.push(loaded.definition);
        const pause = pace.pause;
        if (pause !== undefined) await pause;
      }
    }
    return { prompts, problems, folders: [...folders] };
  }

  async #define(library: TwigLibrary, prompt: ManifestPrompt): Promise<PromptDefinition> {
    const { definition, problems } = await library.loadPrompt(prompt);
    if (definition === undefined) {
      const { message, file } = problems[0]!;
      throw new Failure('content-missing', `${message}: ${this.#abbreviateHome(file)}`);
    }
    const complete = await library.withAttachments(prompt, definition);
    this.#origins.set(complete, { library, prompt });
    return complete;
  }

  /** Returns the folders that may be libraries, sorted by name. */
  #candidates(problems: Problem[]): readonly TwigLibrary[] {
    try {
      const entries = this.#folders.entries(this.#root) ?? [];
      return entries
        .map((entry) => ({ entry, path: join(this.#root, entry.name) }))
        .filter(({ entry, path }) => entry.isDirectory() || (entry.isSymbolicLink() && isFolder(path)))
        .map(({ path }) => this.#library(path));
    } catch (error) {
      const message = `could not read the libraries: ${messageOf(error)}`;
      problems.push({ file: this.#root, severity: 'error', message });
      return [];
    }
  }

  #abbreviateHome(path: string): string {
    const home = this.#userHome;
    return home !== undefined && path.startsWith(home + sep) ? `~${path.slice(home.length)}` : path;
  }

  #library(folder: string): TwigLibrary {
    const library =
      this.#libraries.get(folder) ?? new TwigLibrary(folder, this.#folders, this.#composition !== undefined);
    this.#libraries.set(folder, library);
    return library;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

async function findSyntaxProblems(
  { template, messages, file }: PromptDefinition,
  check: (text: string) => Promise<void>,
): Promise<readonly Problem[]> {
  if (template !== 'jinja') return [];
  try {
    for (const { content } of messages) if (content.type === 'text') await check(content.text);
    return [];
  } catch (error) {
    const { line, column, message } = error as TemplateError;
    const place = { ...(line !== undefined && { line }), ...(column !== undefined && { column }) };
    return [{ file, ...place, severity: 'error', message }];
  }
}
