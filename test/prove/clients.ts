// Connects real clients to a model on loopback and prints what the model received. Clients that are not part of the tests are
// installed from npm into `.cache/clients`. Then serves the newest Claude Code 3,500 prompts: generated ones, after those of the
// folder that is the argument, which has one folder for each collection. `--library` leaves out the rest.
import { type RealClient, realClients } from '../clients/clients.ts';
import { proveLargeLibrary } from '../clients/large-library.ts';
import { proveClient } from '../clients/matrix.ts';
import { installNewest } from '../clients/newest.ts';
import { componentFile } from '../components.ts';

const { codex, claude, gemini, qwen, opencode } = realClients;
const ofTests = (client: RealClient) => [client, componentFile(`.bin/${client.program}`)] as const;
const newest = (client: RealClient) => [client, installNewest(client)] as const;
const fail = (problem: string) => {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
};
const words = process.argv.slice(2);
const collections = words.find((word) => word !== '--library');
const rows: (readonly string[])[] = [];
const matrix = () => [
  ...[codex, claude].map(ofTests),
  newest(claude),
  ...[gemini, qwen].map(ofTests),
  newest(opencode),
];
for (const [client, program] of words.includes('--library') ? [] : matrix()) {
  const proof = await proveClient(client, program);
  rows.push([
    client.id,
    proof.version,
    proof.tools,
    proof.instructions,
    proof.expandPrompt,
    proof.nativePrompt,
  ]);
  if (proof.problems.length === 0) continue;
  fail(`${client.id} ${proof.version}:\n${proof.problems.join('\n')}`);
}
if (rows.length > 0) {
  const head = ['client', 'version', 'tools seen', 'instructions', '`expand_prompt`', 'native prompt'];
  for (const row of [head, head.map(() => '---'), ...rows]) console.log(`| ${row.join(' | ')} |`);
}

const { prompts, exposed, commands, problems } = await proveLargeLibrary(newest(claude)[1], collections);
console.log(`\nOf ${prompts} prompts, ${exposed} are exposed, and Claude Code shows ${commands} commands.`);
for (const problem of problems) fail(problem);
