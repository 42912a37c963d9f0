// Builds dist if a source file is newer. Runs on Node 20 or newer.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** The time of the latest change. A folder changes when a file in it is deleted. */
function newest(folder) {
  return Math.max(
    statSync(folder).mtimeMs,
    ...readdirSync(folder, { withFileTypes: true }).map((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? newest(path) : statSync(path).mtimeMs;
    }),
  );
}

/** True if the build of a clone lacks a change of its sources. The launcher has the time when its build began. */
export function isOld(clone) {
  const launcher = join(clone, 'dist', 'adjutant.cjs');
  const sources = [join(clone, 'src'), join(clone, 'scripts')].map(newest);
  return (
    !existsSync(launcher) ||
    statSync(launcher).mtimeMs < Math.max(...sources, statSync(join(clone, 'package.json')).mtimeMs)
  );
}

/** Builds dist, unless it is up to date. If two processes call this at once, one builds and the other waits. */
export function buildIfOld() {
  if (!isOld(root)) return;
  const lock = join(root, 'node_modules', '.building');
  while (!take(lock)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  try {
    if (!isOld(root)) return;
    process.stderr.write('Building dist, because a source file is newer…\n');
    const node = join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node');
    execFileSync(node, ['scripts/build.mjs'], {
      cwd: root,
      stdio: ['ignore', 2, 2],
      shell: process.platform === 'win32',
    });
  } finally {
    rmSync(lock, { force: true });
  }
}

/** Creates the lock file. Removes that of a process that has ended. */
function take(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  try {
    process.kill(Number(readFileSync(lock, 'utf8')), 0);
  } catch (error) {
    if (error.code === 'ESRCH') rmSync(lock, { force: true });
  }
  return false;
}

/** Vitest calls this before it starts its workers. In watch mode it builds again before the tests run again. */
export default function setup(project) {
  buildIfOld();
  project.onTestsRerun(buildIfOld);
}
