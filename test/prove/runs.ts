// Shows what a run survives, with the real Codex and a model on loopback: clients that leave, servers and run hosts that are
// killed at random moments. Prints one line for each round and a table, and exits with 1 if a run was lost or left something.
import { killRunHost, killServer, leaveClient, type Survival } from '../delegate/survival.ts';
import { createWorkbench, nativeCodex } from '../delegate/workbench.ts';
import { startResponsesModel } from '../model/responses-model.ts';

const rounds = Number(process.argv[2] ?? 20);
const model = await startResponsesModel();
const bench = createWorkbench(model.config);
const settings = {
  'delegate-command': await nativeCodex(),
  'delegate-danger-folders': bench.project,
  'delegate-answer-within-seconds': '0',
};
const random = (milliseconds: number) => Math.random() * milliseconds;

const scenarios: readonly (readonly [string, (round: number) => Promise<Survival>])[] = [
  [
    'the client of an autopilot leaves after 2 s, `on_disconnect = finish`',
    () => leaveClient(bench, settings, 'finish', 2_000),
  ],
  [
    'the client of an autopilot leaves after 2 s, `on_disconnect = cancel`',
    () => leaveClient(bench, settings, 'cancel', 2_000),
  ],
  ['the server of a run is killed', () => killServer(bench, settings, 'run', random(1_500))],
  ['the server of an autopilot is killed', () => killServer(bench, settings, 'autopilot', random(4_000))],
  ['the process of a run is killed', (round) => killRunHost(bench, settings, 'run', random(1_800), round)],
  [
    'the process of an autopilot is killed',
    (round) => killRunHost(bench, settings, 'autopilot', random(4_000), round),
  ],
];

const table: string[] = [];
let failures = 0;
try {
  for (const [name, play] of scenarios) {
    console.log(name);
    const statuses: Record<string, number> = {};
    let passed = 0;
    for (let round = 0; round < rounds; round += 1) {
      const { status, problems } = await play(round);
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (problems.length === 0) passed += 1;
      console.log(`  ${status} ${problems.join('; ')}`);
    }
    failures += rounds - passed;
    const counts = Object.entries(statuses).map(([status, count]) => `${count} ${status}`);
    table.push(`| ${name} | ${counts.join(', ')} | ${passed} of ${rounds} |`);
  }
} finally {
  await bench[Symbol.asyncDispose]();
  await model.close();
}
console.log(`\n| what happens | state afterwards | as required |\n| --- | --- | --- |\n${table.join('\n')}`);
process.exitCode = failures === 0 ? 0 : 1;
