import { createHash } from 'node:crypto';
import { promises as disk } from 'node:fs';
import { join, sep } from 'node:path';
import { readRegularBytes, regularFileChunks } from '../regular-file.ts';
import type { SkillPrompt } from './prompt-skills.ts';
import {
  addressOf,
  digestOf,
  manifestName,
  type Skill,
  type SkillFile,
  skillLimits,
  skillNameOf,
} from './skill.ts';
import { correctManifest } from './skill-manifest.ts';

interface Hashed {
  /** Changes when the file is written. */
  readonly version: string;
  readonly digest: string;
  readonly size: number;
}

/** A file that changed this recently may change again without a new timestamp, so its digest is not kept. */
const settledMs = 2000;

/** Reads the files of skills. Keeps the digests of files that have not changed since the last pass. */
export class SkillFiles {
  #known = new Map<string, Hashed>();
  #hashed = new Map<string, Hashed>();

  beginPass(): void {
    this.#known = this.#hashed;
    this.#hashed = new Map();
  }

  /**
   * Throws if the folder breaks a limit, or a link leads out of it. `watch` gets the folders of the skill in any case, so that
   * it is served as soon as it is corrected.
   */
  async read(
    prompt: SkillPrompt & { readonly folder: string },
    watch: (folders: readonly string[]) => void,
    warn: (message: string) => void,
  ): Promise<Skill> {
    const { folder } = prompt;
    const real = await disk.realpath(folder);
    const paths: Walk = { files: [], folders: [] };
    await walk(real, paths).finally(() =>
      watch([folder, ...paths.folders.map((path) => join(folder, path))]),
    );
    const files: SkillFile[] = [];
    let total = 0;
    for (const path of paths.files.sort()) {
      const file = await this.#fileOf(real, path);
      total += file.size;
      if (total > skillLimits.bytes)
        throw new Error(`the files of the skill are larger than ${skillLimits.bytes} bytes together`);
      files.push(file);
    }
    const name = skillNameOf(prompt.name.split(':').at(-1)!);
    const written = await readRegularBytes(await realPathInside(real, manifestName), skillLimits.bytes);
    const { frontmatter, bytes } = await correctManifest(written, { ...prompt, name }, warn);
    const manifest = {
      path: manifestName,
      digest: digestOf(bytes),
      size: bytes.length,
      read: async () => bytes,
    };
    return {
      name,
      root: addressOf(prompt.name),
      frontmatter,
      // Most files are sent as they are, and read again whenever a client asks for them.
      files: bytes === written ? files : files.map((file) => (file.path === manifestName ? manifest : file)),
      folders: paths.folders,
      listed: prompt.isListed ?? true,
    };
  }

  async #fileOf(root: string, path: string): Promise<SkillFile> {
    const file = join(root, path);
    const { dev, ino, size, mtimeNs, ctimeNs } = await disk.stat(file, { bigint: true });
    const version = [dev, ino, size, mtimeNs, ctimeNs].join(':');
    const before = this.#known.get(file);
    const hashed = before?.version === version ? before : { version, ...(await hashFile(file)) };
    if (Date.now() - Number(ctimeNs / 1_000_000n) > settledMs) this.#hashed.set(file, hashed);
    const read = async () => readRegularBytes(await realPathInside(root, path), skillLimits.bytes);
    return { path, digest: hashed.digest, size: hashed.size, read };
  }
}

interface Walk {
  readonly files: string[];
  readonly folders: string[];
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
