import { createHash } from 'node:crypto';
import { promises as disk } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder for temporary files of the programs that get this environment. */
export function temporaryFolder(env: Environment): string {
  return resolve(env['TMPDIR'] || tmpdir());
}

/** The folder for the sockets of run hosts. `userInfo` fails for a user without a name, as containers have. */
export function hostFolder(): string {
  return join(tmpdir(), `adjutant-${process.getuid?.()}`);
}

/** A private folder through which an agent in a sandbox returns its answer. The run directory itself is hidden from it. */
function answerFolder(runPath: string, env: Environment): string {
  const name = createHash('sha256').update(runPath).digest('hex').slice(0, 24);
  return join(temporaryFolder(env), `adjutant-answer-${name}`);
}

export async function createAnswerFolder(runPath: string, env: Environment): Promise<string> {
  const path = answerFolder(runPath, env);
  await disk.rm(path, { recursive: true, force: true });
  await disk.mkdir(path, { mode: 0o700 });
  return path;
}

export function removeAnswerFolder(runPath: string, env: Environment): Promise<void> {
  return disk.rm(answerFolder(runPath, env), { recursive: true, force: true });
}
