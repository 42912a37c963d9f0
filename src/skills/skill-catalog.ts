import type { ResourceContents } from '../content.ts';
import { Failure } from '../failure.ts';
import type { Problem, Resource } from '../feature.ts';
import { messageOf, present } from '../json.ts';
import { log } from '../log.ts';
import { promptSkills, type SkillPrompt } from './prompt-skills.ts';
import {
  addressOf,
  canonicalUri,
  decodeText,
  digestOf,
  directoryType,
  fileUri,
  manifestName,
  mimeTypeOf,
  promptsSegment,
  type Skill,
  type SkillFile,
  type SkillFrontmatter,
  skillNameOf,
  skillUri,
} from './skill.ts';
import { SkillFiles } from './skill-files.ts';

export interface CatalogOptions {
  /** The prompts to serve as skills, those with a folder with its files. The same array as long as nothing has changed. */
  prompts(): Promise<readonly SkillPrompt[]>;
  /** Starts to watch folders; `changed` may also be called without a change. */
  watch(changed: () => void): FolderWatcher;
  /** Called after the list has changed, with the addresses of files that have other content now. */
  changed(files: readonly string[]): void;
}

interface FolderWatcher {
  set(folders: readonly string[]): void;
  readonly problems: readonly Problem[];
  close(): void;
}

/** A skill as clients receive it. */
interface SkillEntry {
  readonly uri: string;
  readonly frontmatter: SkillFrontmatter;
  readonly resources: readonly { readonly uri: string; readonly digest: string; readonly size: number }[];
}

interface Listing {
  /** Sorted by address. */
  readonly entries: readonly SkillEntry[];
  readonly skills: ReadonlyMap<string, SkillEntry>;
  readonly files: ReadonlyMap<string, SkillFile>;
  /** The children of each folder, sorted by address. */
  readonly folders: ReadonlyMap<string, readonly Resource[]>;
  readonly listed: readonly Resource[];
  readonly problems: readonly Problem[];
}

/** All skills are read this long after the list of some, when a client that connects has got its answers. */
const readAllMs = 2_000;

/** Prompts as skills. Folders are read on first use, after each change of a prompt, and after each change in them. */
export class SkillCatalog {
  readonly #options: CatalogOptions;
  readonly #files = new SkillFiles();
  readonly #watcher: FolderWatcher;
  #watched: readonly string[] = [];
  #current: { readonly prompts: readonly SkillPrompt[]; readonly listing: Promise<Listing> } | undefined;
  /** The listing that later changes are compared with. */
  #reported: Listing | undefined;
  #refreshing: Promise<void> = Promise.resolve();
  #reading: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: CatalogOptions) {
    this.#options = options;
    this.#watcher = options.watch(() => this.refresh());
  }

  async entries(): Promise<readonly SkillEntry[]> {
    return (await this.#listing()).entries;
  }

  async find(uri: string): Promise<SkillEntry | undefined> {
    return (await this.#listing()).skills.get(canonicalUri(uri) ?? '');
  }

  async children(uri: string): Promise<readonly Resource[] | undefined> {
    return (await this.#listing()).folders.get(canonicalUri(uri) ?? '');
  }

  /**
   * What `resources/list` shows. Clients ask for it when they connect and do not wait long, so at first only these skills are
   * read. All others follow, and a difference is reported.
   */
  async listed(): Promise<readonly Resource[]> {
    const prompts = await this.#options.prompts();
    if (this.#current !== undefined || this.#reported !== undefined) return (await this.#listing()).listed;
    const { listed } = listingOf(await this.#readFolders(prompts.filter(({ isListed = true }) => isListed)));
    this.#reading ??= setTimeout(() => void this.#readAll(listed), readAllMs).unref();
    return listed;
  }

  async #readAll(listed: readonly Resource[]): Promise<void> {
    try {
      const now = await this.#listing();
      if (JSON.stringify(listed) !== JSON.stringify(now.listed) && !this.#closed) this.#options.changed([]);
    } catch (error) {
      log('warning', `The skills could not be read: ${messageOf(error)}`);
    }
  }

  async problems(): Promise<readonly Problem[]> {
    return [...(await this.#listing()).problems, ...this.#watcher.problems];
  }

  /** The current content of a file, even if it changed after the last reading of its skill. */
  async contents(uri: string): Promise<readonly ResourceContents[] | undefined> {
    const file = (await this.#listing()).files.get(canonicalUri(uri) ?? '');
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
      this.#current = undefined;
      try {
        const now = await this.#listing();
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
    clearTimeout(this.#reading);
    this.#watcher.close();
  }

  async #listing(): Promise<Listing> {
    const prompts = await this.#options.prompts();
    if (this.#current?.prompts !== prompts) {
      const listing = this.#read(prompts);
      const current = { prompts, listing };
      this.#current = current;
      listing.catch(() => {
        if (this.#current === current) this.#current = undefined;
      });
    }
    const listing = await this.#current!.listing;
    this.#reported ??= listing;
    return listing;
  }

  async #read(prompts: readonly SkillPrompt[]): Promise<Listing> {
    const first = await this.#readFolders(prompts);
    const watched = this.#watched.join('\n');
    this.#watched = first.folders;
    if (this.#closed || first.folders.join('\n') === watched) return listingOf(first);
    this.#watcher.set(first.folders);
    // Read new folders again: a change before they were watched would otherwise be missed.
    return listingOf(await this.#readFolders(prompts));
  }

  async #readFolders(prompts: readonly SkillPrompt[]): Promise<Reading> {
    this.#files.beginPass();
    const folders: string[] = [];
    const problems: Problem[] = [];
    const byRoot = new Map<string, { readonly skill: Skill; readonly from: string }>();
    for (const prompt of prompts) {
      const { folder, file, name, source } = prompt;
      if (folder === undefined) continue;
      const report = (message: string) =>
        problems.push({
          ...present({ file, line: 1, source }),
          severity: 'warning',
          message,
          prompts: [name],
        });
      const watch = (found: readonly string[]) => folders.push(...found);
      try {
        const root = addressOf(name);
        if (skillNameOf(name.split(':').at(-1)!) === '')
          throw new Error('its name has no Latin letter and no digit');
        if (root === skillUri(promptsSegment))
          throw new Error(`the name "${promptsSegment}" is reserved for prompts; rename the skill`);
        const taken = byRoot.get(root);
        if (taken !== undefined) throw new Error(`the skill "${taken.from}" has the same address`);
        const skill = await this.#files.read({ ...prompt, folder }, watch, report);
        byRoot.set(root, { skill, from: name });
      } catch (error) {
        report(`The skill "${name}" is not served to clients: ${messageOf(error).replace(/\.$/, '')}.`);
      }
    }
    const others = promptSkills(prompts.filter(({ folder }) => folder === undefined));
    return {
      skills: [...[...byRoot.values()].map(({ skill }) => skill), ...others.skills],
      problems: [...problems, ...others.problems],
      folders,
    };
  }
}

interface Reading {
  readonly skills: readonly Skill[];
  readonly problems: readonly Problem[];
  /** The folders of the skills, to watch. */
  readonly folders: readonly string[];
}

function listingOf({ skills, problems }: Reading): Listing {
  const entries: SkillEntry[] = [];
  const files = new Map<string, SkillFile>();
  const folders = new Map<string, Resource[]>();
  const listed: Resource[] = [];
  for (const skill of skills) {
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
    entries: entries.sort(byUri),
    skills: new Map(entries.map((entry) => [entry.uri, entry])),
    files,
    folders,
    listed: listed.sort(byUri),
    problems,
  };
}

function changedFiles(before: Listing['files'], now: Listing['files']): readonly string[] {
  return [...before].filter(([uri, { digest }]) => now.get(uri)?.digest !== digest).map(([uri]) => uri);
}

function byUri(one: { readonly uri: string }, other: { readonly uri: string }): number {
  return one.uri < other.uri ? -1 : 1;
}
