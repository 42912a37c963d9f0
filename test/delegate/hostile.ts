import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Workbench } from './workbench.ts';

/** Records which trap commands were run. Each creates a file with its name. */
export class Traps {
  readonly #folder: string;

  constructor(bench: Workbench) {
    this.#folder = join(bench.folder, 'traps');
    mkdirSync(this.#folder);
  }

  /** A shell command that records that it was run. */
  command(name: string): string {
    return `touch '${join(this.#folder, name)}'`;
  }

  get sprung(): readonly string[] {
    return readdirSync(this.#folder).sort();
  }

  reset(): void {
    for (const name of this.sprung) rmSync(join(this.#folder, name));
  }
}

/** Writes files into a folder and creates missing parent folders. */
export function writeTree(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    if (!existsSync(dirname(file))) mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { mode: 0o755 });
  }
}
