import {
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Problem } from '../../feature.ts';
import { decodeText, problemOf } from '../../prompts/files/file-cache.ts';
import { maxFileBytes, readRegularBytesSync, readRegularFileSync } from '../../regular-file.ts';
import { UsageError } from '../terminal/command.ts';
import type { Show } from '../terminal/progress.ts';

export interface PromptFiles {
  /** Folder that the paths are relative to. */
  readonly folder: string;
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** Files that could not be read. */
  readonly problems: readonly Problem[];
}

const maxBytes = 16 * 1024 * 1024;
const maxFiles = 200_000;
const maxDepth = 12;
const ignoredFolders = new Set(['node_modules', '.git']);

/** Reads one file, or the text files of a folder that can hold prompts. Links that lead out of the folder are rejected. */
export async function readPromptFiles(
  path: string,
  accepts: (path: string) => boolean,
  show: Show,
): Promise<PromptFiles> {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new UsageError(`${path} does not exist`);
  const folder = stat.isDirectory() ? path : dirname(path);
  const names = stat.isDirectory() ? walk(folder).filter(accepts) : [basename(path)];
  const problems: Problem[] = [];
  const files: { path: string; text: string }[] = [];
  await eachWithProgress(names, 'read', show, (name) => {
    try {
      files.push({ path: name, text: readText(folder, name) });
    } catch (error) {
      problems.push(problemOf(join(folder, name), error));
    }
  });
  return { folder, files, problems };
}

function readText(folder: string, name: string): string {
  const file = join(folder, name);
  const root = realpathSync(folder);
  if (!realpathSync(file).startsWith(root.endsWith(sep) ? root : root + sep))
    throw new Error('the symbolic link points outside the folder');
  if (statSync(file).size > maxBytes) throw new Error(`the file is larger than ${maxBytes / 1024 / 1024} MB`);
  return decodeText(readRegularBytesSync(file, maxBytes));
}

function walk(folder: string): string[] {
  const names: string[] = [];
  const visit = (inner: string, depth: number) => {
    const entries = readdirSync(join(folder, inner), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = inner === '' ? entry.name : `${inner}/${entry.name}`;
      if (names.length >= maxFiles) return;
      if (!entry.isDirectory()) names.push(name);
      else if (depth < maxDepth && !ignoredFolders.has(entry.name)) visit(name, depth + 1);
    }
  };
  visit('', 0);
  return names;
}

export interface Written {
  readonly path: string;
  readonly state: 'written' | 'unchanged' | 'refused';
}

/** Writes files into a folder, each one atomically. An existing file with other content is replaced only with `force`. */
export async function writePromptFiles(
  folder: string,
  files: readonly { readonly path: string; readonly text: string }[],
  force: boolean,
  show: Show,
): Promise<readonly Written[]> {
  const root = resolve(folder);
  const written: Written[] = [];
  await eachWithProgress(files, 'written', show, ({ path, text }) => {
    const file = resolve(root, path);
    if (!file.startsWith(root.endsWith(sep) ? root : root + sep))
      throw new Error(`${path} is outside ${folder}`);
    written.push({ path, state: writeText(file, text, force) });
  });
  return written;
}

function writeText(file: string, text: string, force: boolean): Written['state'] {
  const existing = existsSync(file) ? readRegularFileSync(file, maxFileBytes) : undefined;
  if (existing === text) return 'unchanged';
  if (existing !== undefined && !force) return 'refused';
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}.part`;
  writeFileSync(draft, text);
  renameSync(draft, file);
  return 'written';
}

/** Handles items one by one and shows the progress. Pauses regularly, so that Ctrl-C works. */
async function eachWithProgress<Item>(
  items: readonly Item[],
  done: string,
  show: Show,
  handle: (item: Item) => void,
): Promise<void> {
  for (const [index, item] of items.entries()) {
    handle(item);
    if (index % 100 !== 99) continue;
    show(`${index + 1} of ${items.length} files ${done}`, index + 1, items.length);
    await setImmediate();
  }
}
