import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Starts a program without settings that slow down every Node process. */
export function startNode(args: readonly string[], env: Record<string, string> = {}): ChildProcess {
  const { NODE_EXTRA_CA_CERTS: _, ...own } = process.env;
  return spawn(process.execPath, args, { env: { ...own, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
}

/** CPU time of all threads in microseconds. */
export function cpuMicroseconds(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const times = threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8'));
  return times.reduce((sum, text) => sum + Number(text.split(' ')[0]), 0) / 1e3;
}

/** Memory in use by the process, in MB. */
export function memoryMegabytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
}
