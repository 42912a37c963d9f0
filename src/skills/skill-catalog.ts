import type { ResourceContents } from '../content.ts';
import { Failure } from '../failure.ts';
import type { Problem, Resource } from '../feature.ts';
import { messageOf } from '../json.ts';
import { log } from '../log.ts';
import { decodeText } from './manifest.ts';
import { promptSkills, type SkillPrompt } from './prompt-skills.ts';
import {
  canonicalUri,
  digestOf,
  directoryType,
  fileUri,
  manifestName,
  mimeTypeOf,
  type SkillFile,
  type SkillFrontmatter,
  type SkillReading,
} from './skill.ts';
import { SkillFolders } from './skill-folders.ts';

export interface CatalogOptions {
  readonly folders: readonly string[];
  /** The prompts to serve as skills: the same array as long as nothing has changed. */
  prompts(): Promise<readonly SkillPrompt[]>;
  /** Starts to watch folders; `changed` may also be called without a change. */
  watch(changed: () => void): FolderWatcher;
  /** Called after the list has changed, with the addresses of files that have other content now. */
  changed(files: readonly string[]): void;
}

export interface FolderWatcher {
  set(folders: readonly string[]): void;
  readonly problems: readonly Problem[];
  close(): void;
}

/** A skill as clients receive it. */
export interface SkillEntry {
  readonly uri: string;
  readonly frontmatter: SkillFrontmatter;
  readonly resources: readonly { readonly uri: string; readonly digest: string; readonly size: number }[];
}

interface Snapshot {
  /** What the snapshot was made from. */
  readonly reading: SkillReading;
  readonly prompts: readonly SkillPrompt[];
  /** Sorted by address. */
  readonly entries: readonly SkillEntry[];
  readonly skills: ReadonlyMap<string, SkillEntry>;
  readonly files: ReadonlyMap<string, SkillFile>;
  /** The children of each folder, sorted by address. */
  readonly folders: ReadonlyMap<string, readonly Resource[]>;
  readonly listed: readonly Resource[];
  readonly problems: readonly Problem[];
}

/** The skills of all sources. Folders are read on first use and after each change, prompts on every request. */
export class SkillCatalog {
  readonly #options: CatalogOptions;
  readonly #folders: SkillFolders;
  readonly #watcher: FolderWatcher | undefined;
  #reading: Promise<SkillReading> | undefined;
  #snapshot: Snapshot | undefined;
  /** The snapshot that later changes are compared with. */
  #reported: Snapshot | undefined;
  #refreshing: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: CatalogOptions) {
    this.#options = options;
    this.#folders = new SkillFolders(options.folders);
    if (options.folders.length > 0) this.#watcher = options.watch(() => this.refresh());
  }

  async entries(): Promise<readonly SkillEntry[]> {
    return (await this.#current()).entries;
  }

  async find(uri: string): Promise<SkillEntry | undefined> {
    return (await this.#current()).skills.get(canonicalUri(uri) ?? '');
  }

  async children(uri: string): Promise<readonly Resource[] | undefined> {
    return (await this.#current()).folders.get(canonicalUri(uri) ?? '');
  }

  async listed(): Promise<readonly Resource[]> {
    return (await this.#current()).listed;
  }

  async problems(): Promise<readonly Problem[]> {
    return [...(await this.#current()).problems, ...(this.#watcher?.problems ?? [])];
  }

  /** The current content of a file, even if it changed after the last reading of its skill. */
  async contents(uri: string): Promise<readonly ResourceContents[] | undefined> {
    const file = (await this.#current()).files.get(canonicalUri(uri) ?? '');
    if (file === undefined) return undefined;
    const bytes = await file.read().catch((error: unknown) => {
      this.refresh();
      throw new Failure('unavailable', `${uri} cannot be read: ${messageOf(error)}`, { cause: error });
    });
    if (digestOf(bytes) !== file.digest) this.refresh();
    const text = decodeText(bytes);
    const described = { uri, mimeType: mimeTypeOf(file.path), meta: {} };
    return [text === undefined ? { ...described, blob: bytes.toString('base64') } : { ...described, text }];
  }

  /** Reads the skills again and reports a difference. */
  refresh(): void {
    this.#refreshing = this.#refreshing.then(async () => {
      const before = this.#reported;
      if (before === undefined || this.#closed) return;
      this.#reading = undefined;
      try {
        const now = await this.#current();
        this.#reported = now;
        if (JSON.stringify(before.entries) !== JSON.stringify(now.entries) && !this.#closed)
          this.#options.changed(changedFiles(before.files, now.files));
      } catch (error) {
        log('warning', `The skills could not be read again: ${messageOf(error)}`);
      }
    });
  }

  close(): void {
    this.#closed = true;
    this.#watcher?.close();
  }

  async #current(): Promise<Snapshot> {
    this.#reading ??= this.#readFolders();
    const [reading, prompts] = await Promise.all([this.#reading, this.#options.prompts()]);
    if (this.#snapshot?.reading !== reading || this.#snapshot.prompts !== prompts)
      this.#snapshot = snapshotOf(reading, prompts);
    this.#reported ??= this.#snapshot;
    return this.#snapshot;
  }

  async #readFolders(): Promise<SkillReading> {
    const watched = this.#folders.watchable.join('\n');
    const reading = await this.#folders.read();
    const { watchable } = this.#folders;
    if (this.#closed || watchable.join('\n') === watched) return reading;
    this.#watcher?.set(watchable);
    // Read new folders again: a change before they were watched would otherwise be missed.
    return this.#folders.read();
  }
}

function snapshotOf(reading: SkillReading, prompts: readonly SkillPrompt[]): Snapshot {
  const fromPrompts = promptSkills(prompts);
  const entries: SkillEntry[] = [];
  const files = new Map<string, SkillFile>();
  const folders = new Map<string, Resource[]>();
  const listed: Resource[] = [];
  for (const skill of [...reading.skills, ...fromPrompts.skills]) {
    const { frontmatter } = skill;
    const uri = fileUri(skill, manifestName);
    folders.set(skill.root, []);
    for (const path of skill.folders) folders.set(fileUri(skill, path), []);
    const addChild = (path: string, child: Omit<Resource, 'uri' | 'name'>) => {
      const address = fileUri(skill, path);
      const parent = address.slice(0, address.lastIndexOf('/'));
      folders.get(parent)?.push({ uri: address, name: path.slice(path.lastIndexOf('/') + 1), ...child });
    };
    for (const path of skill.folders) addChild(path, { mimeType: directoryType });
    for (const file of skill.files) {
      files.set(fileUri(skill, file.path), file);
      addChild(file.path, { mimeType: mimeTypeOf(file.path), size: file.size });
    }
    const resources = skill.files
      .map(({ path, digest, size }) => ({ uri: fileUri(skill, path), digest, size }))
      .sort(byUri);
    entries.push({ uri, frontmatter, resources });
    const size = skill.files.find(({ path }) => path === manifestName)!.size;
    const { name, description } = frontmatter;
    if (skill.listed) listed.push({ uri, name, description, mimeType: mimeTypeOf(manifestName), size });
  }
  for (const children of folders.values()) children.sort(byUri);
  return {
    reading,
    prompts,
    entries: entries.sort(byUri),
    skills: new Map(entries.map((entry) => [entry.uri, entry])),
    files,
    folders,
    listed: listed.sort(byUri),
    problems: [...reading.problems, ...fromPrompts.problems],
  };
}

function changedFiles(before: Snapshot['files'], now: Snapshot['files']): readonly string[] {
  return [...before].filter(([uri, { digest }]) => now.get(uri)?.digest !== digest).map(([uri]) => uri);
}

function byUri(one: { readonly uri: string }, other: { readonly uri: string }): number {
  return one.uri < other.uri ? -1 : 1;
}
