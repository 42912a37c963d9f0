import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { replaceFile } from '../../atomic-file.ts';
import { Failure } from '../../failure.ts';
import { isObject, parseObject } from '../../json.ts';
import { readRegularBytesSync } from '../../regular-file.ts';
import type { TextFile } from '../formats/format.ts';

/** The prompts that the user chose for a client. */
export interface Choice {
  readonly prompts: readonly string[];
  readonly tags: readonly string[];
  /** All prompts that clients list. */
  readonly exposed?: boolean;
}

/** The file that marks a folder as ours. Only the files it lists are ever changed or removed. */
const manifestName = '.adjutant.json';

interface Manifest extends Choice {
  /** Identifies the Adjutant that writes the folder, because several may have different prompts. */
  readonly owner: string;
  /** Digests of the files as they were written, by path. */
  readonly files: Readonly<Record<string, string>>;
  /** How many folders above this one were created with it. */
  readonly createdParents: number;
}

export interface FolderChanges {
  readonly written: readonly string[];
  readonly removed: readonly string[];
  /** Files that are left alone, each with the reason. */
  readonly kept: readonly { readonly path: string; readonly reason: string }[];
}

/** A folder in which Adjutant writes the commands of a client. */
export class NativeFolder {
  readonly path: string;
  readonly #owner: string;

  constructor(path: string, owner: string) {
    this.path = path;
    this.#owner = owner;
  }

  /** `undefined` if the folder is not ours. Throws if it belongs to another Adjutant. */
  choice(): Choice | undefined {
    return this.#manifest();
  }

  /** The paths of our files. */
  paths(): ReadonlySet<string> {
    return new Set(Object.keys(this.#manifest()?.files ?? {}));
  }

  /** Makes the folder hold exactly these files of ours. With `dry`, only reports what would change. */
  replace(files: readonly TextFile[], { prompts, tags, exposed }: Choice, dry = false): FolderChanges {
    const before = this.#manifest();
    const known = before?.files ?? {};
    const wanted = new Map(files.map(({ path, text }) => [path, text]));
    const written: string[] = [];
    const kept: { path: string; reason: string }[] = [];
    const now: Record<string, string> = {};
    const createdParents = before?.createdParents ?? missingParents(this.path);
    for (const [path, text] of wanted) {
      const found = this.#digest(path);
      const digest = digestOf(text);
      const isOurs = found === undefined || found === digest || found === known[path];
      if (!isOurs) {
        const reason = known[path] === undefined ? 'not written by Adjutant' : 'changed by hand';
        kept.push({ path, reason });
        if (known[path] !== undefined) now[path] = known[path];
        continue;
      }
      now[path] = digest;
      if (found === digest) continue;
      written.push(path);
      if (!dry) this.#write(path, text);
    }
    const gone = Object.keys(known).filter((path) => !wanted.has(path));
    const removed = this.#remove(gone, known, kept, dry);
    const choice = { prompts, tags, ...(exposed && { exposed }) };
    const manifest: Manifest = { owner: this.#owner, ...choice, files: now, createdParents };
    if (!dry) this.#write(manifestName, `${JSON.stringify(manifest, null, 2)}\n`);
    return { written, removed, kept };
  }

  /** Removes our files, and the folders that were created for them if they are empty. `undefined` if the folder is not ours. */
  remove(dry = false): FolderChanges | undefined {
    const manifest = this.#read();
    if (manifest === undefined) return undefined;
    const kept: { path: string; reason: string }[] = [];
    const removed = this.#remove(Object.keys(manifest.files), manifest.files, kept, dry);
    if (dry) return { written: [], removed, kept };
    rmSync(join(this.path, manifestName), { force: true });
    let folder = this.path;
    for (let above = 0; above <= manifest.createdParents && removeIfEmpty(folder); above += 1)
      folder = dirname(folder);
    return { written: [], removed, kept };
  }

  #remove(
    paths: readonly string[],
    known: Manifest['files'],
    kept: { path: string; reason: string }[],
    dry: boolean,
  ): readonly string[] {
    const removed: string[] = [];
    for (const path of paths) {
      const found = this.#digest(path);
      if (found === undefined) continue;
      if (found !== known[path]) {
        kept.push({ path, reason: 'changed by hand' });
        continue;
      }
      removed.push(path);
      if (dry) continue;
      rmSync(join(this.path, path));
      for (let folder = dirname(path); folder !== '.' && removeIfEmpty(join(this.path, folder)); )
        folder = dirname(folder);
    }
    return removed;
  }

  #manifest(): Manifest | undefined {
    const manifest = this.#read();
    if (manifest !== undefined && manifest.owner !== this.#owner)
      throw new Failure(
        'conflict',
        `${this.path} is written by an Adjutant with another home; run adjutant uninstall for this client first`,
      );
    return manifest;
  }

  #read(): Manifest | undefined {
    const file = join(this.path, manifestName);
    const text = readIfPresent(file)?.toString('utf8');
    if (text === undefined) return undefined;
    const manifest = parseManifest(text);
    if (manifest === undefined)
      throw new Failure(
        'unavailable',
        `${file} is damaged; remove the folder ${this.path} and install again`,
      );
    return manifest;
  }

  /** Digest of a file. A link or a folder has a digest that matches no file, so that it is left alone. */
  #digest(path: string): string | undefined {
    const parts = path.split('/');
    const parents = parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join('/'));
    for (const one of [...parents, path]) {
      const found = lstatSync(join(this.path, one), { throwIfNoEntry: false });
      if (found === undefined) return undefined;
      if (found.isSymbolicLink() || found.isFile() !== (one === path)) return 'not a file of ours';
    }
    return digestOf(readRegularBytesSync(join(this.path, path)));
  }

  #write(path: string, text: string): void {
    replaceFile(join(this.path, path), text, 0o666);
  }
}

function readIfPresent(file: string): Buffer | undefined {
  return lstatSync(file, { throwIfNoEntry: false }) === undefined ? undefined : readRegularBytesSync(file);
}

/** `undefined` if the text is not a manifest, or names a file outside its folder. */
function parseManifest(text: string): Manifest | undefined {
  const value = parseObject(text);
  if (typeof value?.['owner'] !== 'string' || !isObject(value['files'])) return undefined;
  const isInside = (path: string) => path.split('/').every((part) => !['', '.', '..'].includes(part));
  const isList = (list: unknown) => Array.isArray(list) && list.every((one) => typeof one === 'string');
  const isValid =
    Object.keys(value['files']).every((path) => isInside(path) && !path.includes('\\')) &&
    isList(value['prompts']) &&
    isList(value['tags']) &&
    typeof value['createdParents'] === 'number';
  return isValid ? (value as unknown as Manifest) : undefined;
}

function missingParents(folder: string): number {
  const parent = dirname(folder);
  const isMissing = lstatSync(parent, { throwIfNoEntry: false }) === undefined;
  return isMissing ? 1 + missingParents(parent) : 0;
}

function removeIfEmpty(folder: string): boolean {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return false;
  if (readdirSync(folder).length > 0) return false;
  rmdirSync(folder);
  return true;
}

function digestOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
