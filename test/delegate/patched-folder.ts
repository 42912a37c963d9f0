import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { discardBefore, recordAfter, recordBefore } from '../../src/delegate/changes/change-recorder.ts';
import { RunDirectory } from '../../src/delegate/files/run-directory.ts';
import { writeEverything } from './attribute-all.ts';
import { gitEnvironment } from './git-repository.ts';

/** A temporary working folder whose changes are recorded as a patch. */
export class PatchedFolder {
  readonly base = realpathSync(mkdtempSync(join(tmpdir(), 'adjutant-patch-')));
  readonly path = join(this.base, 'work');

  constructor() {
    mkdirSync(this.path);
  }

  dispose(): void {
    rmSync(this.base, { recursive: true, force: true });
  }

  write(path: string, text: string | Buffer): void {
    mkdirSync(dirname(join(this.path, path)), { recursive: true });
    writeFileSync(join(this.path, path), text);
  }

  remove(path: string): void {
    rmSync(join(this.path, path));
  }

  git(args: readonly string[], input?: string): string {
    return execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], {
      cwd: this.path,
      env: gitEnvironment,
      ...(input !== undefined && { input }),
    }).toString();
  }

  commitAll(): void {
    this.git(['add', '-A']);
    this.git(['commit', '-qm', 'state']);
  }

  /** Runs `work` as if it were a run and returns the patch of its changes. */
  async recordPatch(work: () => void, { cwd = this.path, more = {} } = {}): Promise<string | undefined> {
    const directory = await RunDirectory.create(join(this.base, 'runs'));
    const options = { cwd, env: { ...gitEnvironment, ...more }, ignored: [] };
    await recordBefore(directory, options);
    const before = writeEverything(cwd);
    work();
    const changes = await recordAfter(directory, options, [], true, [...before, ...writeEverything(cwd)]);
    expect(changes?.evidence).toBeDefined();
    await discardBefore(directory);
    expect(readdirSync(directory.path)).toEqual(['request.json']);
    return changes?.patch;
  }
}

/** The added, removed and header lines of a patch. */
export function changedLines(patch: string | undefined): string[] | undefined {
  return patch?.split('\n').filter((line) => /^[-+]/.test(line));
}
