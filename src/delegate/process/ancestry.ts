import { readRegularFile } from '../../regular-file.ts';
import { runMarker } from './environment.ts';
import { capture } from './launch.ts';

let answer: Promise<boolean> | undefined;

/**
 * True if an agent of a run started this process, directly or through other programs. Agents do not pass their environment
 * to MCP servers, so the mark of the run is looked up in the parent processes.
 */
export function isStartedByAgent(): Promise<boolean> {
  answer ??= isMarked(process.ppid);
  return answer;
}

async function isMarked(pid: number): Promise<boolean> {
  const seen = new Set<number>();
  for (let current = pid; current > 0 && !seen.has(current); ) {
    seen.add(current);
    const found = process.platform === 'linux' ? await readByProc(current) : await readByPs(current);
    if (found === undefined) return false;
    if (found.environment.includes(`${runMarker}=`)) return true;
    current = found.parent;
  }
  return false;
}

interface Ancestor {
  readonly parent: number;
  readonly environment: string;
}

async function readByProc(pid: number): Promise<Ancestor | undefined> {
  const stat = await readRegularFile(`/proc/${pid}/stat`).catch(() => undefined);
  if (stat === undefined) return undefined;
  // The process name in parentheses can contain spaces and parentheses.
  const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  // The environment of another user's process is unreadable, and no agent of ours runs as another user.
  return { parent, environment: await readRegularFile(`/proc/${pid}/environ`).catch(() => '') };
}

async function readByPs(pid: number): Promise<Ancestor | undefined> {
  const args = ['-p', String(pid), '-Eww', '-o', 'ppid=,command='];
  const { output } = await capture({ command: '/bin/ps', args, env: {} }, { timeoutMs: 5_000 });
  const [, parent, environment = ''] = /^\s*(\d+)\s+(.*)$/s.exec(output.toString()) ?? [];
  return parent === undefined ? undefined : { parent: Number(parent), environment };
}
