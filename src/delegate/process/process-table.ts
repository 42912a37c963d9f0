import { readdirSync, readFileSync } from 'node:fs';

/** A process for good: numbers are used again, a number with its moment of birth is not. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly born: string;
}

export interface ProcessEntry extends ProcessIdentity {
  readonly parent: number;
  readonly command: string;
}

/** The variable that every process of a run carries, wherever it has wandered in the tree of processes. */
export const runMarker = 'DELEGATE_RUN';

export async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  const entry = process.platform === 'linux' ? readEntry(pid) : (await listByPs([pid]))[0];
  return entry && { pid, born: entry.born };
}

export async function isAlive({ pid, born }: ProcessIdentity): Promise<boolean> {
  return (await identify(pid))?.born === born;
}

/** The process, all that descend from it, and all that carry the run's mark, each once. */
export async function familyOf(
  root: ProcessIdentity | undefined,
  run: string,
): Promise<readonly ProcessEntry[]> {
  const all = process.platform === 'linux' ? listByProc() : await listByPs();
  const marked = process.platform === 'linux' ? markedByProc(all, run) : await markedByPs(run);
  const family = new Map<number, ProcessEntry>();
  const take = (entry: ProcessEntry) => {
    if (family.has(entry.pid) || entry.pid === process.pid) return;
    family.set(entry.pid, entry);
    for (const child of all) if (child.parent === entry.pid) take(child);
  };
  for (const entry of all) {
    if (marked.has(entry.pid) || (entry.pid === root?.pid && entry.born === root.born)) take(entry);
  }
  return [...family.values()];
}

/** The first process of a run whose starter did not live to note it down. */
export async function findRoot(run: string): Promise<ProcessIdentity | undefined> {
  const family = await familyOf(undefined, run);
  const members = new Set(family.map((entry) => entry.pid));
  const heads = family.filter((entry) => !members.has(entry.parent));
  // Children that left their parent look like heads, too, but they are younger.
  return heads.sort((one, other) => momentOf(one) - momentOf(other))[0];
}

function momentOf({ born }: ProcessIdentity): number {
  const ticks = Number(born.split('-')[1]);
  return Number.isNaN(ticks) ? Date.parse(born) : ticks;
}

// ── Linux ──────────────────────────────────────────────────────────────────────────────────────────────────

function listByProc(): ProcessEntry[] {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readEntry(Number(name)) ?? []) : []));
}

function readEntry(pid: number): ProcessEntry | undefined {
  const stat = readProc(pid, 'stat');
  if (stat === undefined) return undefined;
  // The name in parentheses may hold anything; the fields count from behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parent] = fields;
  if (state === 'Z' || state === 'X') return undefined;
  const line = readProc(pid, 'cmdline')?.replaceAll('\0', ' ').trim();
  const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
  return { pid, born: `${bootId()}-${fields[19]}`, parent: Number(parent), command: line || name };
}

/** Births are counted from the start of the machine, and machines start alike. */
function bootId(): string {
  boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8);
  return boot;
}
let boot: string | undefined;

function markedByProc(all: readonly ProcessEntry[], run: string): ReadonlySet<number> {
  const mark = `${runMarker}=${run}`;
  const marked = all.filter(({ pid }) => readProc(pid, 'environ')?.split('\0').includes(mark));
  return new Set(marked.map(({ pid }) => pid));
}

function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined; // gone, or somebody else's
  }
}

// ── Elsewhere ──────────────────────────────────────────────────────────────────────────────────────────────

async function listByPs(pids?: readonly number[]): Promise<ProcessEntry[]> {
  const which = pids === undefined ? ['-ax'] : ['-p', pids.join(',')];
  const text = await ps([...which, '-o', 'pid=,ppid=,state=,lstart=,command=']);
  return text.split('\n').flatMap((line) => {
    const found = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+(.*)$/.exec(line);
    if (found === null || found[3]!.startsWith('Z')) return [];
    return [{ pid: Number(found[1]), parent: Number(found[2]), born: found[4]!, command: found[5]! }];
  });
}

async function markedByPs(run: string): Promise<ReadonlySet<number>> {
  const lines = (await ps(['-axEww', '-o', 'pid=,command='])).split('\n');
  const marked = lines.filter((line) => line.includes(`${runMarker}=${run}`));
  return new Set(marked.map((line) => Number.parseInt(line, 10)));
}

async function ps(args: readonly string[]): Promise<string> {
  const { execFile } = await import('node:child_process');
  return new Promise((resolve) => {
    execFile('ps', args, { maxBuffer: 64 * 1024 * 1024 }, (_, stdout) => resolve(stdout));
  });
}
