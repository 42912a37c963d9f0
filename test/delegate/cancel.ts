import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Sandbox } from '../../src/delegate/agents/sandbox.ts';
import { listRunProcesses } from '../../src/delegate/process/process-table.ts';
import { isOpen, listRunIds, type RunRecord } from '../../src/delegate/run/run-record.ts';
import { answer, script } from '../model/turn.ts';
import { ServerProcess } from './server-process.ts';
import type { Workbench } from './workbench.ts';

export interface CancelReport {
  readonly record: RunRecord;
  readonly milliseconds: number;
  /** The command lines that ran before the cancellation, and those that still run. */
  readonly stubborn: readonly string[];
  readonly left: readonly string[];
}

const timeoutMs = 30_000;
let tokens = 0;

/** A command whose children ignore signals, leave the session, their parent or their environment. The token identifies them. */
function stubborn(token: string): string {
  const ignoringSignals = (name: string) =>
    `bash -c 'trap "" INT TERM HUP; exec -a ${token}-${name} sleep 1000'`;
  return [
    'trap "" INT TERM HUP',
    `${ignoringSignals('child')} &`,
    `setsid ${ignoringSignals('session')} &`,
    `(setsid ${ignoringSignals('orphan')} & disown) &`,
    `setsid -f env -i ${ignoringSignals('hidden')}`,
    'while true; do sleep 1; done',
  ].join('\n');
}

/** Cancels a run as a client does, and lists the processes that are left. */
export async function cancelOnce(
  bench: Workbench,
  settings: Readonly<Record<string, string>>,
  sandbox: Sandbox,
): Promise<CancelReport> {
  const token = `stubborn-${process.pid}-${++tokens}`;
  await using server = await new ServerProcess(bench, settings).initialize();
  const task = script({ shell: stubborn(token), timeoutMs: 600_000 }, answer());
  const { id } = server.begin('delegate_run', { task, cwd: bench.project, sandbox });
  const before = await until(() => {
    const found = commandLines(token);
    return found.filter((line) => line.startsWith(token)).length >= 4 ? found : undefined;
  });
  const started = performance.now();
  server.send({ method: 'notifications/cancelled', params: { requestId: id, reason: 'changed my mind' } });
  const [run_id] = await listRunIds(join(bench.home, 'runs'));
  const record = await until(async () => {
    const found = await server.call('show_run', { run_id });
    return isOpen(found) ? undefined : found;
  });
  const marked = await listRunProcesses(undefined, record.run_id);
  return {
    record,
    milliseconds: Math.round(performance.now() - started),
    stubborn: before,
    left: [...commandLines(token), ...marked.map(({ command }) => command)],
  };
}

async function until<Found>(find: () => Promise<Found | undefined> | Found | undefined): Promise<Found> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`nothing found within ${timeoutMs / 1000} s`);
    await pause(50);
  }
}

/** Reads /proc directly, so that the check does not depend on the code under test. */
function commandLines(token: string): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return [];
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      return line.includes(token) ? [line] : [];
    } catch {
      return [];
    }
  });
}
