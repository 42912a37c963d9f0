import { promises as disk, existsSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { readRegularFile } from '../../regular-file.ts';

/** The default limit of codex for instruction files. */
const maxBytes = 32 * 1024;

/** The nearest folder with a `.git`, starting at `cwd`. Outside a repository, `cwd` itself. */
export function projectRoot(cwd: string): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder;
    if (dirname(folder) === folder) return cwd;
  }
}

/** The folders from the project root down to the working folder. */
function foldersBetween(root: string, cwd: string): string[] {
  const names = relative(root, cwd).split(sep).filter(Boolean);
  return [root, ...names.map((_, at) => join(root, ...names.slice(0, at + 1)))];
}

/**
 * Collects the repository's instruction files (such as AGENTS.md) to prepend to the prompt of a new thread. Agents that
 * ignore repository settings do not read these files themselves. In each group, only the first existing file is used.
 */
export async function projectInstructions(
  cwd: string,
  groups: readonly (readonly string[])[],
): Promise<string | undefined> {
  const realCwd = await disk.realpath(cwd).catch(() => undefined);
  if (realCwd === undefined) return undefined;
  const root = projectRoot(realCwd);
  const parts: string[] = [];
  let remaining = maxBytes;
  for (const folder of foldersBetween(root, realCwd)) {
    for (const names of groups) {
      const name = names.find((candidate) => existsSync(join(folder, candidate)));
      const text = name === undefined ? undefined : await readInside(join(folder, name), root, remaining);
      if (!text?.trim()) continue;
      remaining -= Buffer.byteLength(text);
      parts.push(
        `# ${name} instructions for ${folder}\n\n<INSTRUCTIONS>\n${text.trim()}\n</INSTRUCTIONS>\n\n`,
      );
    }
  }
  return parts.length === 0 ? undefined : parts.join('');
}

/** Ignores symbolic links that leave the project: a repository could use one to send a private file to the model. */
async function readInside(path: string, root: string, limit: number): Promise<string | undefined> {
  try {
    const real = await disk.realpath(path);
    return real.startsWith(root + sep) ? await readRegularFile(real, limit) : undefined;
  } catch {
    return undefined;
  }
}
