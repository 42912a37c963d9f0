// Full-size check of isolated runs: random folders and edits, and servers that are killed while many jobs write to one folder.
// In 1,000 random folders, ten of them with 10,000 files, the evidence must equal an independent comparison, and undo must restore
// every byte, permission and folder. Then every result that the real Codex reports against a model on loopback must agree with
// the files. Arguments: cases, servers, autopilots, kills. Exits with 1 if something differs.

import { createWorkbench, nativeCodex } from '../delegate/workbench.ts';
import { runCase } from '../delegate/workspace-cases.ts';
import { storm } from '../delegate/workspace-storm.ts';
import { startResponsesModel } from '../model/responses-model.ts';

const [cases, servers, autopilots, kills] = [1_000, 6, 20, 20].map((preset, at) =>
  Number(process.argv[at + 2] ?? preset),
) as [number, number, number, number];

let [changes, differing] = [0, 0];
for (let seed = 1; seed <= cases; seed++) {
  const kind = process.platform === 'linux' && seed % 4 > 0 ? 'overlay' : 'copy';
  const report = await runCase(seed, kind, seed % 100 === 0 ? 10_000 : 40);
  changes += report.changes;
  if (report.problems.length === 0) continue;
  differing += 1;
  console.log(`case ${seed} (${kind}):\n  ${report.problems.join('\n  ')}`);
}
console.log(`${cases} random folders, ${changes} changed paths: ${differing} folders with differences`);
if (differing > 0) process.exitCode = 1;
if (autopilots === 0) process.exit();

const model = await startResponsesModel();
const bench = createWorkbench(model.config);
try {
  const settings = {
    'delegate-command': await nativeCodex(),
    'delegate-max-parallel': '6',
    'delegate-on-disconnect': 'finish',
  };
  const started = performance.now();
  const { jobs, statuses, problems } = await storm(bench, settings, { servers, autopilots, kills });
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(
    `${servers} servers, ${jobs} writing jobs on one folder, ${kills} kills: ${JSON.stringify(statuses)} in ${seconds} s`,
  );
  console.log(
    problems.length === 0
      ? 'every reported result agrees with the files'
      : `failed:\n  ${problems.join('\n  ')}`,
  );
  if (problems.length > 0) process.exitCode = 1;
} finally {
  await bench[Symbol.asyncDispose]();
  await model.close();
}
