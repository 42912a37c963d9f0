import { removeAnswerFolder } from '../files/answer-folder.ts';
import { removeFolder } from '../files/remove-folder.ts';
import type { RunDirectory } from '../files/run-directory.ts';

/** Removes the files of the sandbox that Adjutant puts around agents. They can contain copies of the agent's settings. */
export async function removeSandboxFiles(
  directory: RunDirectory,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  await removeAnswerFolder(directory.path, env).catch(() => {});
  await removeFolder(directory.file('.agent')).catch(() => {});
}
