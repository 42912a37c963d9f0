import { parentPort, workerData } from 'node:worker_threads';
import type { TextFile } from '../formats/format.ts';
import { formatNamed } from '../formats/formats.ts';
import { limitProblems, lintFiles } from '../lint/lint-files.ts';

/** What the thread of `file-thread.ts` is asked to do with the files. */
export interface FileWork {
  readonly task: 'lint' | 'read';
  readonly files: readonly TextFile[];
  readonly format?: string | undefined;
  readonly silenced?: ReadonlySet<string>;
}

/** Lints or reads files. It also is the program of the thread, which must not import the rest of the server. */
export async function workOnFiles({ task, files, format, silenced }: FileWork): Promise<unknown> {
  if (task === 'lint') return lintFiles(files, format, silenced);
  const { prompts, problems } = await formatNamed(format!).read(files);
  return { prompts, problems: limitProblems(problems) };
}

if (parentPort !== null && (workerData as Partial<FileWork> | null)?.task !== undefined)
  void workOnFiles(workerData as FileWork).then((answer) => parentPort!.postMessage(answer));
