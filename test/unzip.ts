import { execFileSync, spawnSync } from 'node:child_process';

/** Commands that unpack a ZIP archive. The first installed one is used. */
const programs = [
  (archive: string, folder: string) => ['unzip', '-q', archive, '-d', folder],
  (archive: string, folder: string) => ['python3', '-m', 'zipfile', '-e', archive, folder],
  (archive: string, folder: string) => ['bsdtar', '-xf', archive, '-C', folder],
];

export function unzip(archive: string, folder: string): void {
  const found = programs
    .map((program) => program(archive, folder))
    .find(([name]) => spawnSync(name!, ['--help']).error === undefined);
  if (found === undefined) throw new Error('This test needs unzip, python3 or bsdtar. Install one of them.');
  const [name, ...args] = found;
  execFileSync(name!, args);
}
