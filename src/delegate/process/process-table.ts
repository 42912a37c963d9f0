import { readdirSync, readFileSync } from 'node:fs';
import { runMarker } from './environment.ts';
import { capture } from './launch.ts';

/** Identifies a process uniquely: the system reuses process ids, but not together with the same start time. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly born: string;
}

export interface ProcessEntry extends ProcessIdentity {
  readonly parent: number;
  readonly command: string;
}

export { runMarker };

export async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  const entry = process.platform === 'linux' ? readEntry(pid) : (await listByProgram([pid]))[0];
  return entry && { pid, born: entry.born };
}

export async function isAlive({ pid, born }: ProcessIdentity): Promise<boolean> {
  return (await identify(pid))?.born === born;
}

/** Lists the root process, its descendants, and all processes with the marker of the run. */
export async function listRunProcesses(
  root: ProcessIdentity | undefined,
  run: string,
): Promise<readonly ProcessEntry[]> {
  const all = process.platform === 'linux' ? listByProc() : await listByProgram();
  const marked = process.platform === 'linux' ? markedByProc(all, run) : await markedByPs(run);
  const found = new Map<number, ProcessEntry>();
  const add = (entry: ProcessEntry) => {
    if (found.has(entry.pid) || entry.pid === process.pid) return;
    found.set(entry.pid, entry);
    for (const child of all) if (child.parent === entry.pid) add(child);
  };
  for (const entry of all) {
    if (marked.has(entry.pid) || (entry.pid === root?.pid && entry.born === root.born)) add(entry);
  }
  return [...found.values()];
}

let startedByAgent: Promise<boolean> | undefined;

/**
 * True if an agent of a run started this process, directly or through other programs. Agents do not pass their environment
 * to MCP servers, so the mark of the run is looked up in the parent processes.
 */
export function isStartedByAgent(): Promise<boolean> {
  startedByAgent ??= hasMarkedAncestor(process.ppid);
  return startedByAgent;
}

async function hasMarkedAncestor(pid: number): Promise<boolean> {
  const seen = new Set<number>();
  for (let current: number | undefined = pid; current && !seen.has(current); ) {
    seen.add(current);
    if ((await environmentOf(current)).includes(`${runMarker}=`)) return true;
    current =
      process.platform === 'linux' ? readEntry(current)?.parent : (await listByPs([current]))[0]?.parent;
  }
  return false;
}

/** Empty if it is not readable, as that of another user's process: no agent of ours runs as another user. */
async function environmentOf(pid: number): Promise<string> {
  if (process.platform === 'linux') return readProc(pid, 'environ') ?? '';
  return process.platform === 'win32' ? '' : ps(['-p', String(pid), '-Eww', '-o', 'command=']);
}

// ── Linux ──────────────────────────────────────────────────────────────────────────────────────────────────

function listByProc(): ProcessEntry[] {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readEntry(Number(name)) ?? []) : []));
}

function readEntry(pid: number): ProcessEntry | undefined {
  const stat = readProc(pid, 'stat');
  if (stat === undefined) return undefined;
  // The process name in parentheses can contain spaces and parentheses, so start after the last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parent] = fields;
  if (state === 'Z' || state === 'X') return undefined;
  const line = readProc(pid, 'cmdline')?.replaceAll('\0', ' ').trim();
  const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
  return { pid, born: `${bootId()}-${fields[19]}`, parent: Number(parent), command: line || name };
}

/** Start times count from boot, so the boot id is needed to tell them apart across reboots. */
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
    return undefined; // The process has exited or belongs to another user.
  }
}

// ── Other systems ──────────────────────────────────────────────────────────────────────────────────────────

function listByProgram(pids?: readonly number[]): Promise<ProcessEntry[]> {
  return process.platform === 'win32' ? listByPowerShell(pids) : listByPs(pids);
}

async function listByPs(pids?: readonly number[]): Promise<ProcessEntry[]> {
  const which = pids === undefined ? ['-ax'] : ['-p', pids.join(',')];
  const text = await ps([...which, '-o', 'pid=,ppid=,state=,lstart=,command=']);
  return text.split('\n').flatMap((line) => {
    const found = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+(.*)$/.exec(line);
    if (found === null || found[3]!.startsWith('Z')) return [];
    return [{ pid: Number(found[1]), parent: Number(found[2]), born: found[4]!, command: found[5]! }];
  });
}

/** Windows does not show the environment of other processes, so there only descendants are found. */
async function markedByPs(run: string): Promise<ReadonlySet<number>> {
  if (process.platform === 'win32') return new Set();
  const lines = (await ps(['-axEww', '-o', 'pid=,command='])).split('\n');
  const marked = lines.filter((line) => line.includes(`${runMarker}=${run}`));
  return new Set(marked.map((line) => Number.parseInt(line, 10)));
}

async function ps(args: readonly string[]): Promise<string> {
  const program = { command: '/bin/ps', args, env: {} };
  return (await capture(program, { timeoutMs: 10_000 })).output.toString();
}

async function listByPowerShell(pids?: readonly number[]): Promise<ProcessEntry[]> {
  const filter = pids === undefined ? '' : ` -Filter "${pids.map((pid) => `ProcessId=${pid}`).join(' OR ')}"`;
  const fields = "ProcessId,ParentProcessId,Name,CommandLine,@{n='Born';e={$_.CreationDate.ToFileTimeUtc()}}";
  const script = `Get-CimInstance Win32_Process${filter} | Select-Object ${fields} | ConvertTo-Json -Compress`;
  const args = ['-NoProfile', '-NonInteractive', '-Command', script];
  const command = 'C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe';
  const program = { command, args, env: { SystemRoot: 'C:\\Windows' } };
  const { output } = await capture(program, { timeoutMs: 30_000 });
  return parseCimProcesses(output.toString());
}

/** Parses the JSON of PowerShell: nothing, one object or a list. */
export function parseCimProcesses(text: string): ProcessEntry[] {
  if (text.trim() === '') return [];
  const parsed: unknown = JSON.parse(text);
  return (Array.isArray(parsed) ? parsed : [parsed]).map((entry: Readonly<Record<string, unknown>>) => ({
    pid: Number(entry['ProcessId']),
    parent: Number(entry['ParentProcessId']),
    // `startTime` reads the part after the dash.
    born: `windows-${entry['Born']}`,
    command: String(entry['CommandLine'] ?? entry['Name']),
  }));
}
