// Full-size check of isolated jobs: servers are killed while many jobs write to one folder, with the real Codex and a model on
// loopback. Every reported result must agree with the files. Exits with 1 if one does not.

import { createWorkbench, nativeCodex } from '../delegate/workbench.ts';
import { storm } from '../delegate/workspace-storm.ts';
import { startResponsesModel } from '../model/responses-model.ts';

const [servers, autopilots, kills] = [6, 20, 20].map((preset, at) =>
  Number(process.argv[at + 2] ?? preset),
) as [number, number, number];
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
