import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');

/** The program of an earlier commit, built in a temporary folder. */
export interface EarlierVersion extends Disposable {
  /** The root of its sources. */
  readonly folder: string;
  readonly program: string;
}

/** Builds the commit that the command line of a proof names. Ends the process if there is none. */
export function buildEarlierVersion(proof: string): EarlierVersion {
  const commit = process.argv[2];
  if (commit === undefined) {
    process.stderr.write(`Usage: npm run prove -- ${proof} COMMIT\n`);
    process.exit(2);
  }
  const temporary = mkdtempSync(join(tmpdir(), 'adjutant-earlier-'));
  const folder = join(temporary, 'earlier');
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: root, stdio: 'inherit' });
  git('worktree', 'add', '--quiet', '--detach', folder, commit);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: folder, stdio: 'inherit' });
  return {
    folder,
    program: join(folder, 'dist', 'adjutant.cjs'),
    [Symbol.dispose]() {
      git('worktree', 'remove', '--force', folder);
      rmSync(temporary, { recursive: true, force: true });
    },
  };
}
