// Measures how long a writing job in a folder of 50,000 files waits for its isolated view, and how long its change takes to be
// computed and delivered.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contain } from '../src/delegate/process/containment.ts';
import { deliver } from '../src/delegate/workspace/delivery.ts';
import { FolderClaims } from '../src/delegate/workspace/folder-claims.ts';
import { findPlace, workspaceFolder } from '../src/delegate/workspace/run-place.ts';
import { Workspace } from '../src/delegate/workspace/workspace.ts';
import { median } from './parts/figures.ts';

const rounds = Number(process.argv[2] ?? 9);
const [folders, filesPerFolder] = [500, 100];
const limits = { begin: 500, compute: 1_000 };

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
  const times = { begin: [] as number[], compute: [] as number[], deliver: [] as number[] };
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
    const place = await measure('begin', () =>
      findPlace(run, folder, true, options, new AbortController().signal),
    );
    kind = place.overlay === undefined ? 'copy' : 'overlay';
    const script = `echo ${round} >> d1/e1/f1.txt; rm d2/e2/f${round}.txt; mkdir -p new; echo new > new/${round}.txt`;
    const { command, args } = await contain({ command: 'sh', args: ['-ec', script] }, place.cwd, {
      env,
      overlay: place.overlay,
    });
    execFileSync(command, args, { cwd: place.cwd });
    const workspace = (await Workspace.open(join(run.path, workspaceFolder), env))!;
    const { changes } = await measure('compute', () => workspace.collectChanges());
    if (changes.length !== 3) throw new Error(`${changes.length} changes instead of 3`);
    const claims = await FolderClaims.open(stateDir);
    const { conflicts } = await measure('deliver', () => deliver(workspace, { run: run.id, claims, env }));
    claims.close();
    if (conflicts.length > 0) throw new Error(JSON.stringify(conflicts));
    place.release();
  }
  const of = (name: keyof typeof times) => median(times[name]);
  console.log(`${folders * filesPerFolder} files, ${kind}, median of ${rounds}:`);
  console.log(`  the job begins after ${of('begin').toFixed(0)} ms (at most ${limits.begin})`);
  console.log(`  its change is computed in ${of('compute').toFixed(0)} ms (at most ${limits.compute})`);
  console.log(`  and delivered in ${of('deliver').toFixed(0)} ms`);
  if (kind === 'overlay' && (of('begin') > limits.begin || of('compute') > limits.compute))
    process.exitCode = 1;
} finally {
  rmSync(root, { recursive: true, force: true });
}
