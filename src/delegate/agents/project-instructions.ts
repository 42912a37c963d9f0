import { promises as disk, existsSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { readRegularFile } from '../../regular-file.ts';

/** As much as codex reads of such files by default. */
const maxBytes = 32 * 1024;

/** The folder with `.git` at or above this one; the folder itself outside of a repository. */
export function projectRoot(cwd: string): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder;
    if (dirname(folder) === folder) return cwd;
  }
}

/** The folders from the root of the project down to the working folder. */
function foldersTo(cwd: string, root: string): string[] {
  const names = relative(root, cwd).split(sep).filter(Boolean);
  return [root, ...names.map((_, at) => join(root, ...names.slice(0, at + 1)))];
}

/**
 * The text a repository has for agents, to be put before the prompt of a new thread. An agent that may not take over the
 * repository's settings does not read these files itself. Each group names alternatives: the first file that exists counts.
 */
export async function projectInstructions(
  cwd: string,
  groups: readonly (readonly string[])[],
): Promise<string | undefined> {
  const place = await disk.realpath(cwd).catch(() => undefined);
  if (place === undefined) return undefined;
  const root = projectRoot(place);
  const parts: string[] = [];
  let left = maxBytes;
  for (const folder of foldersTo(place, root)) {
    for (const names of groups) {
      const name = names.find((candidate) => existsSync(join(folder, candidate)));
      const text = name === undefined ? undefined : await readInside(join(folder, name), root, left);
      if (!text?.trim()) continue;
      left -= Buffer.byteLength(text);
      parts.push(
        `# ${name} instructions for ${folder}\n\n<INSTRUCTIONS>\n${text.trim()}\n</INSTRUCTIONS>\n\n`,
      );
    }
  }
  return parts.length === 0 ? undefined : parts.join('');
}

/** A link that leaves the project is not followed: it could bring any file of the user to the model. */
async function readInside(path: string, root: string, limit: number): Promise<string | undefined> {
  try {
    const real = await disk.realpath(path);
    return real.startsWith(root + sep) ? await readRegularFile(real, limit) : undefined;
  } catch {
    return undefined;
  }
}
