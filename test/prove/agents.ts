// Proves what each agent can do, with the real programs and models on loopback, and writes the table in docs/reference/agents.md.
// `npm run prove -- agents qwen run approvals` proves only some agents and bars and writes nothing.
import { readFileSync, writeFileSync } from 'node:fs';
import { installOpencode } from '../agents/install-opencode.ts';
import { AgentProof, bars } from '../agents/prove-agent.ts';
import { type RealAgentName, realAgents } from '../agents/real-agents.ts';

const words = process.argv.slice(2);
const isName = (word: string): word is RealAgentName => Object.hasOwn(realAgents, word);
const names = words.filter(isName);
const chosen = words.filter((word) => !isName(word));
if (names.length === 0 || names.includes('opencode')) installOpencode();
const rows: (readonly string[])[] = [];
for (const name of names.length > 0 ? names : (Object.keys(realAgents) as RealAgentName[])) {
  const agent = realAgents[name];
  const cells: string[] = [];
  await using proof = await AgentProof.start(agent);
  for (const [title, bar] of Object.entries(bars)) {
    if (chosen.length > 0 && !chosen.includes(title)) continue;
    const started = performance.now();
    const cell = await bar(proof).catch((error: Error) => {
      process.exitCode = 1;
      return `NO: ${error.message}`;
    });
    cells.push(cell);
    process.stderr.write(`${name}: ${title}: ${cell} (${Math.round(performance.now() - started)} ms)\n`);
  }
  rows.push([name, ...cells]);
}
const titles = Object.keys(bars).filter((title) => chosen.length === 0 || chosen.includes(title));
const table = [
  ['', ...rows.map(([name]) => name!)],
  ['---', ...rows.map(() => '---')],
].concat(titles.map((title, at) => [title, ...rows.map((row) => row[at + 1]!)]));
const text = table.map((row) => `| ${row.join(' | ')} |`).join('\n');
console.log(text);
if (words.length === 0 && process.exitCode === undefined) {
  const page = new URL('../../docs/reference/agents.md', import.meta.url);
  const [before, after] = readFileSync(page, 'utf8').split(/(?<=<!-- proved -->\n)[\s\S]*?(?=<!-- end -->)/);
  writeFileSync(page, `${before}\n${text}\n\n${after}`);
}
