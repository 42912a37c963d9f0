import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRegularFileSync } from '../../regular-file.ts';
import { type Terminal, UsageError } from './command.ts';

/** Opens a file in the user's editor and waits until the editor exits. */
export async function openEditor(file: string, { env }: Terminal): Promise<void> {
  const { spawn } = await import('node:child_process');
  const windows = process.platform === 'win32';
  const editor = env['VISUAL'] || env['EDITOR'] || (windows ? 'notepad' : 'vi');
  // The editor can contain arguments, as in "code --wait".
  const child = windows
    ? spawn(`${editor} "${file}"`, { stdio: 'inherit', shell: true })
    : spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  if (code !== 0) throw new UsageError(`the editor ${editor} exited with code ${code}. Nothing was changed`);
}

/** Stores a text that could not be saved, so that the user's work is not lost. Returns the path. */
export function keepText(name: string, text: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'adjutant-edit-')), name);
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

/** Opens a text in the user's editor. Resolves to `undefined` if it was not changed. */
export async function editText(name: string, text: string, terminal: Terminal): Promise<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-edit-'));
  try {
    const file = join(folder, name);
    writeFileSync(file, text, { mode: 0o600 });
    await openEditor(file, terminal);
    const edited = readRegularFileSync(file);
    return edited === text ? undefined : edited;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
