// Lets the agents of eight runs of three clients ask for permission a hundred times, with the real Codex and a model on loopback.
// Then 300 requests go to ten people by three channels, three of whom may allow, with previews that fetch links, double taps, taps
// of others, late taps, guesses and replays. Exits with 1 if a request is lost, answered twice, late, or by somebody else.
import { playStorm } from '../delegate/approval-storm.ts';
import { playLinkStorm } from '../delegate/link-storm.ts';
import { createWorkbench } from '../delegate/workbench.ts';
import { startResponsesModel } from '../model/responses-model.ts';

const [runs = 8, approvals = 100, clients = 3, links = 300] = process.argv.slice(2).map(Number);
const model = await startResponsesModel();
const bench = createWorkbench(model.config);
try {
  const { problems, ...counts } = await playStorm(bench, { runs, approvals, clients });
  console.log(`${runs} runs, ${clients} clients: ${JSON.stringify(counts)}`);
  console.log(`${problems.length} problems\n${problems.join('\n')}`);
  const { problems: wrong, ...decided } = await playLinkStorm(links);
  console.log(`links in messages: ${JSON.stringify(decided)}`);
  console.log(`${wrong.length} wrong\n${wrong.join('\n')}`);
  process.exitCode = problems.length + wrong.length > 0 ? 1 : 0;
} finally {
  await bench[Symbol.asyncDispose]();
  await model.close();
}
