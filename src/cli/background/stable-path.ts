import { realpathSync } from 'node:fs';
import { delimiter, isAbsolute, join, sep } from 'node:path';
import { UsageError } from '../terminal/command.ts';

/** This installation, by paths that stay valid after an upgrade and after the shell has ended. */
export interface StableProgram {
  readonly node: string;
  readonly script: string;
  /** True if the command `adjutant` on the PATH starts this installation. */
  readonly isOnPath: boolean;
}

/** Fails if there is no such path, and names the command to run after the program is installed. */
export async function stableProgram(path = '', command: string): Promise<StableProgram> {
  const script = process.argv[1]!;
  if (script.includes(`${sep}_npx${sep}`))
    throw new UsageError(
      `npx runs a copy that can be deleted at any time; run "npm install -g adjutant", then "${command}"`,
    );
  const named = nameOnPath(script, 'adjutant', path);
  return {
    node: nameOnPath(process.execPath, 'node', path) ?? process.execPath,
    script: named ?? (endsWithShell(script) ? realpathSync(script) : script),
    isOnPath: named !== undefined,
  };
}

/**
 * The name of a file on the PATH, if it leads to the same file. Package managers keep that name and change its target, while
 * the file itself can be in a folder of one version.
 */
function nameOnPath(file: string, name: string, path: string): string | undefined {
  const real = realPath(file);
  return path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !folder.includes('node_modules') && !endsWithShell(folder))
    .map((folder) => join(folder, name))
    .find((candidate) => real !== undefined && realPath(candidate) === real);
}

/** fnm gives each shell a folder of its own and removes it later. */
function endsWithShell(path: string): boolean {
  return path.split(sep).includes('fnm_multishells');
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
