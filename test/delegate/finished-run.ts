import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes the files of a completed run and returns its id. Runs with consecutive indexes start a minute apart. */
export function putFinishedRun(runs: string, index: number): string {
  const started = new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString();
  const id = `${started.slice(0, 10)}_${started.slice(11, 23).replace(/[:.]/g, '')}_${String(index).padStart(12, '0')}`;
  const folder = join(runs, id);
  mkdirSync(folder, { recursive: true });
  const request = {
    tool: 'delegate_run',
    received_at: started,
    request: { task: `Task ${index}`, cwd: runs },
  };
  const result = {
    status: 'completed',
    started_at: started,
    finished_at: started,
    duration_ms: 1000,
    cancelled: false,
    exit_code: 0,
    signal: null,
    thread_id: null,
    artifacts: [],
    error: null,
    summary: `Did ${index}`,
    deliverables: [],
    open_questions: [],
    next_actions: [],
  };
  writeFileSync(join(folder, 'request.json'), JSON.stringify(request));
  writeFileSync(join(folder, 'result.json'), JSON.stringify(result));
  return id;
}
