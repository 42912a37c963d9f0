import { promises as disk, openSync, readdirSync, readlinkSync, statSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Failure } from '../failure.ts';
import { readRegularFileSync } from '../regular-file.ts';
import { singleLine } from '../single-line.ts';
import { migrations } from './migrations.ts';

/** Part of the name of a file that each process keeps open. It says which schema the process works with. */
const mark = `adjutant-schema-${migrations.length}-`;
let isMarked = false;

/**
 * Shows other processes which schema this process works with, before it opens a database. Processes of earlier versions show
 * another schema, or none.
 */
export function showSchema(): void {
  if (isMarked || process.platform !== 'linux') return;
  const file = join(tmpdir(), `${mark}${crypto.randomUUID()}`);
  try {
    // Stays open until the process ends. Its name is still seen after it was removed.
    openSync(file, 'wx', 0o600);
    isMarked = true;
    unlinkSync(file);
  } catch {
    // The next database tries again. Until then, an update elsewhere may wait for this process.
  }
}

/**
 * Throws if a process of an earlier version has the file open: it would go on writing by the rules of its own schema after an
 * update. Such processes are known by their open files, which only Linux shows, and only those of the same user.
 */
export async function refuseEarlierProcess(path: string): Promise<void> {
  if (process.platform !== 'linux') return;
  const { dev, ino } = await disk.stat(path);
  const isFile = (link: string) => {
    const found = attempt(() => statSync(link));
    return found?.ino === ino && found.dev === dev;
  };
  const name = basename(await disk.realpath(path));
  for (const pid of await disk.readdir('/proc')) {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue;
    const files = openFiles(pid);
    if (files.some(({ target }) => target.includes(mark))) continue;
    if (!files.some(({ link, target }) => basename(target) === name && isFile(link))) continue;
    throw new Failure(
      'unavailable',
      `The database ${path} is from an earlier version of Adjutant, and process ${pid} (${commandOf(pid)}) still uses it. Stop that process, or wait until it ends.`,
    );
  }
}

/** The open files of a process. Empty if the process has ended or belongs to another user. */
function openFiles(pid: string): readonly { readonly link: string; readonly target: string }[] {
  const folder = `/proc/${pid}/fd`;
  const files = attempt(() => readdirSync(folder)) ?? [];
  return files.map((name) => {
    const link = join(folder, name);
    return { link, target: attempt(() => readlinkSync(link)) ?? '' };
  });
}

/** The program of a process and the first word of its arguments: others can hold secrets. */
function commandOf(pid: string): string {
  const words = attempt(() => readRegularFileSync(`/proc/${pid}/cmdline`).split('\0').filter(Boolean)) ?? [];
  const isNode = /^node/.test(basename(words[0] ?? ''));
  const program = words.findIndex((word, at) => !word.startsWith('-') && !(at === 0 && isNode));
  const [path = words[0] ?? 'ended', first = '-'] = words.slice(Math.max(program, 0));
  const name = basename(path).replace(/^(?:adjutant|main)\.[cm]?[jt]s$/, 'adjutant');
  return singleLine(first.startsWith('-') ? name : `${name} ${first}`, 80);
}

/** `undefined` if the process has ended, or its files cannot be seen. */
function attempt<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
