// Runs the corpus of hostile repositories and arguments with the real Codex and Claude Code. Prints a table and exits with 1 if an
// attack achieves anything. `--unprotected` runs the attacks with the bare agents and bare git instead, to show that they work.
// Further arguments select cases by a part of their name.
import type { Connection } from '../delegate/workbench.ts';
import { Arena, sandboxesOf } from '../sandbox/arena.ts';
import { attack, attackUnprotected } from '../sandbox/attack.ts';
import { corpus } from '../sandbox/corpus.ts';

const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const isUnprotected = process.argv.includes('--unprotected');
const problems: string[] = [];
const totals: string[] = [];
await using arena = await Arena.open();
const connections = new Map<string, Connection>();

for (const [group, cases] of Object.entries(corpus)) {
  const selected = cases.filter(
    ({ name, fires }) =>
      (!isUnprotected || fires !== undefined) &&
      (words.length === 0 || words.some((word) => name.includes(word))),
  );
  let [runs, slowest] = [0, 0];
  for (const one of selected) {
    for (const agent of one.fires === 'git' && isUnprotected ? one.agents.slice(0, 1) : one.agents) {
      for (const sandbox of sandboxesOf(one, agent)) {
        const title = `${group.padEnd(9)} ${agent.padEnd(6)} ${sandbox.padEnd(18)} ${one.name}`;
        runs += 1;
        if (isUnprotected) {
          const violations = await attackUnprotected(arena, one, agent, sandbox);
          const isLast = sandbox === sandboxesOf(one, agent).at(-1);
          console.log(`${title}: ${violations.join('; ') || 'nothing'}`);
          if (violations.length > 0) break;
          if (isLast) problems.push(`${title}: achieved nothing without protection`);
          continue;
        }
        const { violations, status, milliseconds } = await attack(arena, connections, one, agent, sandbox);
        slowest = Math.max(slowest, milliseconds);
        console.log(`${title}: ${status} in ${milliseconds} ms ${violations.join('; ')}`);
        if (violations.length > 0) problems.push(`${title}: ${violations.join('; ')}`);
      }
    }
  }
  totals.push(
    `${group.padEnd(9)} ${String(selected.length).padStart(3)} cases ${String(runs).padStart(4)} runs${isUnprotected ? '' : `  slowest ${slowest} ms`}`,
  );
}

console.log(`\n${totals.join('\n')}`);
console.log(`${problems.length} problems\n${problems.join('\n')}`);
for (const connection of connections.values()) await connection.close();
process.exitCode = problems.length > 0 ? 1 : 0;
