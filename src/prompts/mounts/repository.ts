import type { Problem } from '../../feature.ts';
import { log } from '../../log.ts';
import { withoutPassword } from '../../without-password.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import type { PromptSource, TemplateSet } from '../definition/source.ts';
import { type FolderReading, FolderSource, type WatchOptions } from '../sources/folder-source.ts';
import { type TwigOptions, TwigSource } from '../sources/twig.ts';
import type { LocalRepository } from './local-repository.ts';
import { MountSource } from './mount.ts';
import { pullRepository, type RunGit, sourceAt } from './repository-pull.ts';

interface RepositorySourceOptions extends WatchOptions, Pick<TwigOptions, 'composition'> {
  readonly repository: LocalRepository;
  readonly git: RunGit;
}

/** The first update waits until the server has answered its client. */
const firstUpdateMs = 1000;
const day = 86_400_000;

/** Serves the prompts of a git repository as of one commit. While it is watched, it also updates the repository. */
export class RepositorySource extends FolderSource {
  readonly name: string;
  readonly format: string;
  readonly prefix: string | undefined;
  readonly templates?: NonNullable<PromptSource['templates']>;
  readonly #repository: LocalRepository;
  readonly #git: RunGit;
  readonly #composition: TwigOptions['composition'];
  #opened: { readonly commit: string; readonly source: TwigSource | MountSource } | undefined;
  readonly #origins = new WeakMap<PromptDefinition, TwigSource | MountSource>();
  #timer: NodeJS.Timeout | undefined;

  constructor({ repository, git, composition, ...watching }: RepositorySourceOptions) {
    super(watching);
    this.#repository = repository;
    this.#git = git;
    this.#composition = composition;
    this.name = `repository ${repository.name}`;
    const { format = 'libraries', prefix } = repository.options;
    this.format = format;
    this.prefix = prefix;
    if (format === 'libraries') this.templates = (definition) => this.#templates(definition);
  }

  get translates(): boolean {
    return this.#opened?.source instanceof MountSource && this.#opened.source.translates;
  }

  async get(name: string): Promise<PromptDefinition | undefined> {
    const source = await this.#open();
    const definition = await source?.get(name);
    if (definition !== undefined) this.#origins.set(definition, source!);
    return definition;
  }

  /** The text of a template file, or `undefined` if there is no such library or file. */
  async templateFile(library: string, path: string): Promise<string | undefined> {
    const source = await this.#open();
    return source instanceof TwigSource ? source.templateFile(library, path) : undefined;
  }

  override async problems(): Promise<readonly Problem[]> {
    return [...(await super.problems()), ...((await (await this.#open())?.problems()) ?? [])];
  }

  override subscribe(listener: () => void): () => void {
    if (this.#timer === undefined && this.#repository.intervalMs > 0) this.#schedule(firstUpdateMs);
    return super.subscribe(listener);
  }

  override close(): void {
    clearTimeout(this.#timer);
    super.close();
    this.#opened?.source.close();
  }

  protected async read(): Promise<FolderReading> {
    const prompts = (await (await this.#open())?.list()) ?? [];
    return { prompts, problems: await this.#stateProblems(), folders: [this.#repository.folder] };
  }

  #templates(definition: PromptDefinition): Promise<TemplateSet> {
    return (this.#origins.get(definition) as TwigSource).templates(definition);
  }

  async #open(): Promise<TwigSource | MountSource | undefined> {
    const commit = (await this.#repository.state())?.commit;
    if (commit === undefined) return undefined;
    if (this.#opened?.commit === commit) return this.#opened.source;
    const source = sourceAt(this.#repository, commit, this.#composition);
    this.#opened?.source.close();
    this.#opened = { commit, source };
    return source;
  }

  async #stateProblems(): Promise<readonly Problem[]> {
    const { options, name } = this.#repository;
    const file = withoutPassword(options.address);
    const { commit, fetched, error } = (await this.#repository.state()) ?? {};
    if (commit !== undefined && error === undefined) return [];
    const reason = error === undefined ? '' : `: ${error}`;
    const message =
      commit === undefined
        ? `the repository ${name} has not been fetched${reason}; run adjutant prompts pull`
        : `the repository ${name} could not be updated${reason}; its prompts of ${fetched!.slice(0, 10)} (${commit.slice(0, 7)}) are served`;
    return [{ file, severity: commit === undefined ? 'error' : 'warning', message }];
  }

  #schedule(milliseconds: number): void {
    this.#timer = setTimeout(() => void this.#update(), Math.min(milliseconds, day)).unref();
  }

  /** Another server may have updated the repository in the meantime. */
  async #update(): Promise<void> {
    if ((await this.#repository.nextUpdate()) <= Date.now()) {
      await pullRepository(this.#repository, this.#git).catch((error: unknown) =>
        log('debug', `could not update the repository ${this.#repository.name}`, error),
      );
      this.notifyChange();
    }
    this.#schedule(Math.max(firstUpdateMs, (await this.#repository.nextUpdate()) - Date.now()));
  }
}
