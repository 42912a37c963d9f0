import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** The code files of a built program. */
export function chunksOf(launcher: string): readonly string[] {
  return readdirSync(dirname(launcher)).filter((file) => file.endsWith('.cjs') && file !== 'adjutant.cjs');
}

/** Starts a built program and loads all its chunks. */
export function loadChunks(launcher: string) {
  const script = `
    process.argv = [process.execPath, ${JSON.stringify(launcher)}, '--version'];
    require(${JSON.stringify(launcher)});
    for (const chunk of ${JSON.stringify(chunksOf(launcher))}) require(${JSON.stringify(`${dirname(launcher)}/`)} + chunk);
    process.stderr.write('all loaded');`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
  return { status, stdout, stderr };
}
