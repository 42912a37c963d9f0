import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

type Files = Readonly<Record<string, string | Buffer>>;

/** A folder with files in it that goes when the test is over. */
export function plantTree(files: Files = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-tree-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  write(folder, files);
  return folder;
}

export function write(folder: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/** Waits for what a condition tells, and gives up loudly. */
export async function until<Value>(
  look: () => Value | Promise<Value>,
  patienceMs = 10_000,
): Promise<NonNullable<Value>> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const value = await look();
    if (value) return value;
    if (Date.now() > deadline) throw new Error('waited in vain');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The superuser may read everything, so tests of permissions run as somebody else. */
export async function asOrdinaryUser<Value>(work: () => Promise<Value>): Promise<Value> {
  if (process.geteuid?.() !== 0) return work();
  process.seteuid!(65534);
  try {
    return await work();
  } finally {
    process.seteuid!(0);
  }
}
