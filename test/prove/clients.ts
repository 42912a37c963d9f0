// Connects real clients to a model on loopback and prints what the model received. Clients that are not part of the tests are
// installed from npm into `.cache/clients`.
import { type RealClient, realClients } from '../clients/clients.ts';
import { proveClient } from '../clients/matrix.ts';
import { installNewest } from '../clients/newest.ts';
import { componentFile } from '../components.ts';

const { codex, claude, gemini, qwen, opencode } = realClients;
const ofTests = (client: RealClient) => [client, componentFile(`.bin/${client.program}`)] as const;
const newest = (client: RealClient) => [client, installNewest(client)] as const;
const rows: (readonly string[])[] = [];
for (const [client, program] of [
  ...[codex, claude].map(ofTests),
  newest(claude),
  ...[gemini, qwen].map(ofTests),
  newest(opencode),
]) {
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
  process.stderr.write(`${client.id} ${proof.version}:\n${proof.problems.join('\n')}\n`);
  process.exitCode = 1;
}
const head = ['client', 'version', 'tools seen', 'instructions', '`expand_prompt`', 'native prompt'];
for (const row of [head, head.map(() => '---'), ...rows]) console.log(`| ${row.join(' | ')} |`);
