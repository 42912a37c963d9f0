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
import { problemOf } from '../../prompts/files/file-cache.ts';
import { decodeText } from '../../prompts/files/text-file.ts';
import { maxFileBytes, readRegularBytesSync, readRegularFileSync } from '../../regular-file.ts';
import { UsageError } from '../terminal/command.ts';
import type { Show } from '../terminal/progress.ts';

export interface PromptFiles {
  /** What the paths of the files start from. */
  readonly folder: string;
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** Files that could not be read. */
  readonly problems: readonly Problem[];
}

const longest = 16 * 1024 * 1024;
const most = 200_000;
const deepest = 12;
const passedOver = new Set(['node_modules', '.git']);

/** The text files of a folder that may hold prompts, or one file. Links are not followed out of it. */
export async function readPromptFiles(
  path: string,
  accepts: (path: string) => boolean,
  show: Show,
): Promise<PromptFiles> {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new UsageError(`there is no ${path}`);
  const folder = stat.isDirectory() ? path : dirname(path);
  const names = stat.isDirectory() ? walk(folder).filter(accepts) : [basename(path)];
  const problems: Problem[] = [];
  const files: { path: string; text: string }[] = [];
  await eachShown(names, 'read', show, (name) => {
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
    throw new Error('the link leads out of the folder');
  if (statSync(file).size > longest) throw new Error(`the file is longer than ${longest / 1024 / 1024} MB`);
  return decodeText(readRegularBytesSync(file, longest));
}

function walk(folder: string): string[] {
  const names: string[] = [];
  const visit = (inner: string, depth: number) => {
    const entries = readdirSync(join(folder, inner), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = inner === '' ? entry.name : `${inner}/${entry.name}`;
      if (names.length >= most) return;
      if (!entry.isDirectory()) names.push(name);
      else if (depth < deepest && !passedOver.has(entry.name)) visit(name, depth + 1);
    }
  };
  visit('', 0);
  return names;
}

export interface Written {
  readonly path: string;
  readonly state: 'written' | 'unchanged' | 'refused';
}

/** Writes files below a folder, each whole or not at all. One that is there and different stays, unless forced. */
export async function writePromptFiles(
  folder: string,
  files: readonly { readonly path: string; readonly text: string }[],
  force: boolean,
  show: Show,
): Promise<readonly Written[]> {
  const root = resolve(folder);
  const written: Written[] = [];
  await eachShown(files, 'written', show, ({ path, text }) => {
    const file = resolve(root, path);
    if (!file.startsWith(root.endsWith(sep) ? root : root + sep))
      throw new Error(`${path} leads out of ${folder}`);
    written.push({ path, state: writeText(file, text, force) });
  });
  return written;
}

function writeText(file: string, text: string, force: boolean): Written['state'] {
  const there = existsSync(file) ? readRegularFileSync(file, maxFileBytes) : undefined;
  if (there === text) return 'unchanged';
  if (there !== undefined && !force) return 'refused';
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}.part`;
  writeFileSync(draft, text);
  renameSync(draft, file);
  return 'written';
}

/** One after the other, with a pause now and then in which the person can be heard. */
async function eachShown<Item>(
  items: readonly Item[],
  done: string,
  show: Show,
  take: (item: Item) => void,
): Promise<void> {
  for (const [index, item] of items.entries()) {
    take(item);
    if (index % 100 !== 99) continue;
    show(`${index + 1} of ${items.length} files ${done}`, index + 1, items.length);
    await setImmediate();
  }
}
