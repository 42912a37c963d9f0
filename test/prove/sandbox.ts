// Runs the corpus of hostile repositories and arguments with the real Codex and Claude Code, and attacks on private files, with planted
// programs and by hooks with all five agents. Prints a table and exits with 1 if an attack achieves anything. `--unprotected` runs
// the attacks with the bare agents, bare git and without a sandbox instead, to show that they work. `--access` runs only those with all
// agents. Further arguments select cases by a part of their name, or agents.
import { installOpencode } from '../agents/install-opencode.ts';
import { realAgents } from '../agents/real-agents.ts';
import type { Connection } from '../delegate/workbench.ts';
import { hasClaudeSandbox } from '../delegate/workbench.ts';
import { accessCases } from '../sandbox/access-cases.ts';
import { Arena, sandboxesOf } from '../sandbox/arena.ts';
import { attack, attackUnprotected } from '../sandbox/attack.ts';
import { corpus } from '../sandbox/corpus.ts';
import { Stage } from '../sandbox/stage.ts';

const onlyAccess = process.argv.includes('--access');
const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const isUnprotected = process.argv.includes('--unprotected');
const problems: string[] = [];
const totals: string[] = [];
await using arena = await Arena.open();
const connections = new Map<string, Connection>();

for (const [group, cases] of onlyAccess ? [] : Object.entries(corpus)) {
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

installOpencode();
let runs = 0;
const isChosen = (name: string) =>
  !words.some((word) => Object.hasOwn(realAgents, word)) || words.includes(name);
const caseWords = words.filter((word) => !Object.hasOwn(realAgents, word));
for (const agent of Object.values(realAgents).filter(({ name }) => isChosen(name))) {
  await using stage = await Stage.open(agent);
  for (const one of accessCases.filter(
    ({ name }) => caseWords.length === 0 || caseWords.some((word) => name.includes(word)),
  )) {
    const modes = isUnprotected
      ? (['danger-full-access'] as const)
      : (['read-only', 'workspace-write'] as const).slice(
          0,
          agent.name === 'claude' && !hasClaudeSandbox ? 1 : 2,
        );
    for (const sandbox of modes) {
      if (isUnprotected && !one.fires.includes(agent.name)) continue;
      // Codex has no tools that search.
      if (one.turns(stage).length === 0) continue;
      runs += 1;
      const title = `access    ${agent.name.padEnd(8)} ${sandbox.padEnd(18)} ${one.name}`;
      const started = performance.now();
      const { status, violations } = await stage.attack(one, sandbox);
      console.log(
        `${title}: ${status} in ${Math.round(performance.now() - started)} ms ${violations.join('; ')}`,
      );
      // Qwen Code ends a turn in which it only searches. What it has found until then counts.
      const hasEnded = status === 'completed' || status.includes('Tool-call loop protection');
      const isBad = isUnprotected ? violations.length === 0 : violations.length > 0 || !hasEnded;
      if (isBad)
        problems.push(
          `${title}: ${status} ${violations.join('; ') || 'achieved nothing without protection'}`,
        );
    }
  }
}
totals.push(`access    ${String(accessCases.length).padStart(3)} cases ${String(runs).padStart(4)} runs`);

console.log(`\n${totals.join('\n')}`);
console.log(`${problems.length} problems\n${problems.join('\n')}`);
for (const connection of connections.values()) await connection.close();
process.exitCode = problems.length > 0 ? 1 : 0;
