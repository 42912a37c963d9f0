// Measures how long a writing job in a folder of 50,000 files waits for its isolated view, and how long its change takes to be
// computed and applied.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contain } from '../src/delegate/process/containment.ts';
import { applyChanges } from '../src/delegate/workspace/apply.ts';
import { FolderClaims } from '../src/delegate/workspace/folder-claims.ts';
import { releaseWorkspace, Workspace } from '../src/delegate/workspace/workspace.ts';
import { median } from './parts/figures.ts';

const rounds = Number(process.argv[2] ?? 9);
const [folders, filesPerFolder] = [500, 100];
const limits = { begin: 80, compute: 1_000 };

const root = mkdtempSync(join(tmpdir(), 'adjutant-bench-'));
const folder = join(root, 'project');
const stateDir = join(root, 'state');
const env = process.env;
try {
  for (let at = 0; at < folders; at++) {
    const path = join(folder, `d${at % 20}`, `e${at}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < filesPerFolder; file++)
      writeFileSync(join(path, `f${file}.txt`), `file ${at} ${file}\n`.repeat(100));
  }
  execFileSync('git', ['init', '-q'], { cwd: folder });
  execFileSync('git', ['add', '-A'], { cwd: folder });
  const times = { begin: [] as number[], compute: [] as number[], apply: [] as number[] };
  let kind = '';
  for (let round = 0; round < rounds; round++) {
    const run = { id: `run-${round}`, path: join(root, 'runs', `run-${round}`) };
    const options = { stateDir, env, ignored: [], copyLimitBytes: 1e10 };
    const measure = async <Value>(name: keyof typeof times, work: () => Promise<Value>): Promise<Value> => {
      const started = performance.now();
      const value = await work();
      times[name].push(performance.now() - started);
      return value;
    };
    const workspace = await measure('begin', () => Workspace.create(run, folder, options));
    kind = workspace.kind;
    const script = `echo ${round} >> d1/e1/f1.txt; rm d2/e2/f${round}.txt; mkdir -p new; echo new > new/${round}.txt`;
    const { command, args } = await contain({ command: 'sh', args: ['-ec', script] }, workspace.folder, {
      env,
      overlay: workspace.overlay,
    });
    execFileSync(command, args, { cwd: workspace.folder });
    const changes = await measure('compute', () => workspace.collectChanges());
    const expected = round === 0 ? 4 : 3;
    if (changes.length !== expected) throw new Error(`${changes.length} changes instead of ${expected}`);
    const claims = await FolderClaims.open(stateDir);
    const { conflicts } = await measure('apply', () => applyChanges(workspace, { run: run.id, claims, env }));
    claims.close();
    if (conflicts.length > 0) throw new Error(JSON.stringify(conflicts));
    await releaseWorkspace(stateDir, run.id);
  }
  const of = (name: keyof typeof times) => median(times[name]);
  console.log(`${folders * filesPerFolder} files, ${kind}, median of ${rounds}:`);
  console.log(`  the job begins after ${of('begin').toFixed(0)} ms (at most ${limits.begin})`);
  console.log(`  its change is computed in ${of('compute').toFixed(0)} ms (at most ${limits.compute})`);
  console.log(`  and applied in ${of('apply').toFixed(0)} ms`);
  if (kind === 'overlay' && (of('begin') > limits.begin || of('compute') > limits.compute))
    process.exitCode = 1;
} finally {
  rmSync(root, { recursive: true, force: true });
}
