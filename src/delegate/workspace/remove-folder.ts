import { promises as disk } from 'node:fs';
import { join } from 'node:path';

/**
 * Removes a folder and everything in it. Overlay mounts and agents can leave folders without permissions behind; their owner
 * must open these first.
 */
export async function removeFolder(path: string): Promise<void> {
  // A process that is being killed may still write.
  const remove = () => disk.rm(path, { recursive: true, force: true, maxRetries: 3 });
  await remove().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EACCES' && error.code !== 'EPERM') throw error;
    await openFolders(path);
    await remove();
  });
}

async function openFolders(folder: string): Promise<void> {
  await disk.chmod(folder, 0o700);
  for (const entry of await disk.readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await openFolders(join(folder, entry.name));
}
