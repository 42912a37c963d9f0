import { promises as disk } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../../failure.ts';

/** Files that agents and git open before a sandbox exists. They wait forever if one of them is a named pipe. */
const openedFiles = [
  ['.git'],
  ['.git', 'config'],
  ['.git', 'HEAD'],
  ['.git', 'index'],
  ['.git', 'commondir'],
  ['.git', 'info', 'exclude'],
  ['.codex', 'config.toml'],
  ['.claude', 'settings.json'],
  ['.mcp.json'],
];

/** Refuses a folder in which the agent would hang before it starts. */
export async function refuseBlockingFiles(cwd: string): Promise<void> {
  for (let folder = cwd; ; folder = dirname(folder)) {
    for (const parts of openedFiles) {
      const path = join(folder, ...parts);
      const stat = await disk.stat(path).catch(() => undefined);
      if (stat !== undefined && !stat.isFile() && !stat.isDirectory())
        throw new Failure(
          'refused',
          `${path} is a named pipe or a device, which the agent would wait for. Delete it.`,
        );
    }
    if (dirname(folder) === folder) return;
  }
}
