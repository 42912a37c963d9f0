import { promises as disk } from 'node:fs';
import { removeAnswerFolder } from '../files/answer-folder.ts';
import type { RunDirectory } from '../files/run-directory.ts';

/** Removes the files of the sandbox that Adjutant puts around agents. They can contain copies of the agent's settings. */
export async function removeSandboxFiles(
  directory: RunDirectory,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  await removeAnswerFolder(directory.path, env).catch(() => {});
  const folder = directory.file('.agent');
  const names = await disk.readdir(folder).catch(() => []);
  // The kernel leaves folders without any permissions behind.
  for (const name of names) await disk.chmod(`${folder}/${name}/work`, 0o700).catch(() => {});
  await disk.rm(folder, { recursive: true, force: true }).catch(() => {});
}
