import { createHash } from 'node:crypto';
import { type Dirent, promises as disk } from 'node:fs';
import { basename, join, sep } from 'node:path';
import type { Problem } from '../feature.ts';
import { FileProblem } from '../front-matter.ts';
import { messageOf } from '../json.ts';
import { readRegularBytes, regularFileChunks } from '../regular-file.ts';
import { parseSkillFrontmatter } from './manifest.ts';
import {
  manifestName,
  promptsSegment,
  type Skill,
  type SkillFile,
  type SkillReading,
  skillLimits,
  skillUri,
} from './skill.ts';

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
export class SkillFolders {
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
          const skill = await this.#readSkill(entry, path, known, watchable);
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
    watchable: string[],
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
    const frontmatter = await parseSkillFrontmatter(manifest, entry.name);
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
