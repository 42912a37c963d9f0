import { createHash } from 'node:crypto';
import { type Dirent, promises as disk } from 'node:fs';
import { basename, join, sep } from 'node:path';
import type { ResourceContents } from '../content.ts';
import { Failure } from '../failure.ts';
import type { Problem, Resource } from '../feature.ts';
import { FileProblem } from '../front-matter.ts';
import { messageOf } from '../json.ts';
import { log } from '../log.ts';
import { readRegularBytes, regularFileChunks } from '../regular-file.ts';
import { promptSkills, type SkillPrompt } from './prompt-skills.ts';
import {
  canonicalUri,
  decodeText,
  digestOf,
  directoryType,
  fileUri,
  manifestName,
  mimeTypeOf,
  parseSkillFrontmatter,
  promptsSegment,
  type Skill,
  type SkillFile,
  type SkillFrontmatter,
  type SkillReading,
  skillLimits,
  skillUri,
} from './skill.ts';

export interface CatalogOptions {
  readonly folders: readonly string[];
  /** The prompts to serve as skills: the same array as long as nothing has changed. */
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
  /** What the list was made from. */
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
  #listing: Listing | undefined;
  /** The list that later changes are compared with. */
  #reported: Listing | undefined;
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

  async #current(): Promise<Listing> {
    this.#reading ??= this.#readFolders();
    const [reading, prompts] = await Promise.all([this.#reading, this.#options.prompts()]);
    if (this.#listing?.reading !== reading || this.#listing.prompts !== prompts)
      this.#listing = listingOf(reading, prompts);
    this.#reported ??= this.#listing;
    return this.#listing;
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

function listingOf(reading: SkillReading, prompts: readonly SkillPrompt[]): Listing {
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

function changedFiles(before: Listing['files'], now: Listing['files']): readonly string[] {
  return [...before].filter(([uri, { digest }]) => now.get(uri)?.digest !== digest).map(([uri]) => uri);
}

function byUri(one: { readonly uri: string }, other: { readonly uri: string }): number {
  return one.uri < other.uri ? -1 : 1;
}

interface Walk {
  readonly files: string[];
  readonly folders: string[];
}

interface Hashed {
  /** Changes when the file is written. */
  readonly version: string;
  readonly digest: string;
  readonly size: number;
}

/** A file that changed this recently may change again without a new timestamp, so its digest is not kept. */
const settledMs = 2000;

/** Reads skills from folders on disk. Keeps the digests of files that have not changed since the last reading. */
class SkillFolders {
  readonly #folders: readonly string[];
  #hashed = new Map<string, Hashed>();
  #watchable: readonly string[] = [];

  constructor(folders: readonly string[]) {
    this.#folders = folders;
  }

  /** The folders to watch for changes, as of the last reading. */
  get watchable(): readonly string[] {
    return this.#watchable;
  }

  async read(): Promise<SkillReading> {
    const known = this.#hashed;
    this.#hashed = new Map();
    const watchable = [...this.#folders];
    const skills = new Map<string, { readonly skill: Skill; readonly folder: string }>();
    const problems: Problem[] = [];
    for (const folder of this.#folders) {
      const entries = await skillFolders(folder).catch((error: unknown) => {
        problems.push({ file: folder, severity: 'error', message: messageOf(error) });
        return [];
      });
      for (const entry of entries) {
        const path = join(folder, entry.name);
        watchable.push(path);
        try {
          const warn = (message: string) =>
            problems.push({ file: join(path, manifestName), line: 2, severity: 'warning', message });
          const skill = await this.#readSkill(entry, path, known, { watchable, warn });
          const first = skills.get(skill.name)?.folder;
          if (first === undefined) skills.set(skill.name, { skill, folder: path });
          else throw new Error(`${first} has the same name and comes first in skills.folders`);
        } catch (error) {
          problems.push(problemOf(path, error));
        }
      }
    }
    this.#watchable = watchable;
    return { skills: [...skills.values()].map(({ skill }) => skill), problems };
  }

  async #readSkill(
    entry: Dirent,
    folder: string,
    known: ReadonlyMap<string, Hashed>,
    { watchable, warn }: { readonly watchable: string[]; warn(message: string): void },
  ): Promise<Skill> {
    if (entry.isSymbolicLink())
      throw new Error('symbolic links to skills are not followed; mount the folder that contains the skill');
    if (entry.name === promptsSegment)
      throw new Error(`the name "${promptsSegment}" is reserved for prompts; rename the skill`);
    const real = await disk.realpath(folder);
    if (!(await disk.readdir(real)).includes(manifestName))
      throw new Error(`the folder has no file ${manifestName}`);
    const walked: Walk = { files: [], folders: [] };
    // The folders of an invalid skill are watched too, so that it is served as soon as it is corrected.
    await walk(real, walked).finally(() =>
      watchable.push(...walked.folders.map((path) => join(folder, path))),
    );
    const files: SkillFile[] = [];
    let total = 0;
    for (const path of walked.files.sort()) {
      const file = await this.#fileOf(real, path, known);
      total += file.size;
      if (total > skillLimits.bytes)
        throw new Error(`the files of the skill are larger than ${skillLimits.bytes} bytes together`);
      files.push(file);
    }
    const manifest = await readRegularBytes(join(real, manifestName), skillLimits.bytes);
    const frontmatter = await parseSkillFrontmatter(manifest, entry.name, warn);
    const { name } = entry;
    return { name, root: skillUri(name), frontmatter, files, folders: walked.folders, listed: true };
  }

  async #fileOf(root: string, path: string, known: ReadonlyMap<string, Hashed>): Promise<SkillFile> {
    const file = join(root, path);
    const { dev, ino, size, mtimeNs, ctimeNs } = await disk.stat(file, { bigint: true });
    const version = [dev, ino, size, mtimeNs, ctimeNs].join(':');
    const before = known.get(file);
    const hashed = before?.version === version ? before : { version, ...(await hashFile(file)) };
    if (Date.now() - Number(ctimeNs / 1_000_000n) > settledMs) this.#hashed.set(file, hashed);
    const read = async () => readRegularBytes(await realPathInside(root, path), skillLimits.bytes);
    return { path, digest: hashed.digest, size: hashed.size, read };
  }
}

/** The entries of a folder that should be skills. */
async function skillFolders(folder: string): Promise<Dirent[]> {
  const entries = await disk.readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const reason = missing ? 'it does not exist' : messageOf(error);
    throw new Error(
      `The skill folder cannot be read: ${reason}. Correct the path, or remove it from skills.folders.`,
    );
  });
  if (entries.some(({ name }) => name === manifestName))
    throw new Error('This folder is itself a skill. Put its parent folder into skills.folders.');
  return entries
    .filter((entry) => !entry.name.startsWith('.') && (entry.isDirectory() || entry.isSymbolicLink()))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Collects the paths of all files and folders of a skill. Hidden entries, such as .git, are not part of the skill. */
async function walk(root: string, { files, folders }: Walk, folder = ''): Promise<void> {
  for (const entry of await disk.readdir(join(root, folder), { withFileTypes: true })) {
    if (entry.name.startsWith('.')) continue;
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    (entry.isDirectory() ? folders : files).push(path);
    if (files.length > skillLimits.files || folders.length > skillLimits.files)
      throw new Error(`the skill has more than ${skillLimits.files} files or folders`);
    if (entry.isSymbolicLink()) await realPathInside(root, path);
    if (entry.isDirectory()) await walk(root, { files, folders }, path);
  }
}

/** The path without symbolic links. Refuses links that lead out of the skill's folder. */
async function realPathInside(root: string, path: string): Promise<string> {
  const real = await disk.realpath(join(root, path));
  if (real.startsWith(root + sep)) return real;
  throw new Error(`${path} is a symbolic link that leads out of the skill; copy the file instead`);
}

async function hashFile(file: string): Promise<Pick<Hashed, 'digest' | 'size'>> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of regularFileChunks(file, skillLimits.bytes)) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { digest: `sha256:${hash.digest('hex')}`, size };
}

function problemOf(folder: string, error: unknown): Problem {
  const inManifest = error instanceof FileProblem;
  return {
    file: inManifest ? join(folder, manifestName) : folder,
    ...(inManifest && { line: error.line }),
    severity: 'warning',
    message: `The skill "${basename(folder)}" is not served: ${messageOf(error).replace(/\.$/, '')}.`,
  };
}
