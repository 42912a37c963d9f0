import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Connection } from '../delegate/workbench.ts';
import { Arena, sandboxesOf } from './arena.ts';
import { attack, attackUnprotected } from './attack.ts';
import { corpus } from './corpus.ts';

/** A part of the corpus. `npm run prove -- sandbox` runs all of it. */
let arena: Arena;
const connections = new Map<string, Connection>();
beforeAll(async () => {
  arena = await Arena.open();
});
afterAll(() => arena[Symbol.asyncDispose]());

const cases = Object.values(corpus).flat();
const runs = cases
  .filter(({ quick }) => quick)
  .flatMap((one) => one.agents.map((agent) => ({ name: one.name, one, agent })))
  // Each start of Claude Code takes seconds.
  .filter(({ one, agent }) => agent === 'codex' || one.agents.length === 1);

it('has at least sixty cases with unique names', () => {
  expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
  expect(cases.length).toBeGreaterThanOrEqual(60);
});

describe('a hostile repository or argument achieves nothing', () => {
  it.each(runs)('$name: $agent', async ({ one, agent }) => {
    // The last sandbox is the widest.
    const sandbox = sandboxesOf(one, agent).at(-1)!;
    expect((await attack(arena, connections, one, agent, sandbox)).violations).toEqual([]);
  });
});

describe('the attacks work without protection', () => {
  const sample = ['MCP server in .codex/config.toml', 'filter.clean', 'override: an escaped address', 'env'];
  it.each(sample)('%s', async (name) => {
    const one = cases.find((candidate) => candidate.name === name)!;
    const sandbox = sandboxesOf(one, 'codex').at(-1)!;
    expect(await attackUnprotected(arena, one, 'codex', sandbox)).not.toEqual([]);
  });
});
