// Lets the agents of eight runs of three clients ask for permission a hundred times, with the real Codex and a model on loopback.
// Exits with 1 if a request is lost, answered twice, or answered by another client than that which started the run.
import { playStorm } from '../delegate/approval-storm.ts';
import { createWorkbench } from '../delegate/workbench.ts';
import { startResponsesModel } from '../model/responses-model.ts';

const [runs = 8, approvals = 100, clients = 3] = process.argv.slice(2).map(Number);
const model = await startResponsesModel();
const bench = createWorkbench(model.config);
try {
  const { problems, ...counts } = await playStorm(bench, { runs, approvals, clients });
  console.log(`${runs} runs, ${clients} clients: ${JSON.stringify(counts)}`);
  console.log(`${problems.length} problems\n${problems.join('\n')}`);
  process.exitCode = problems.length > 0 ? 1 : 0;
} finally {
  await bench[Symbol.asyncDispose]();
  await model.close();
}
