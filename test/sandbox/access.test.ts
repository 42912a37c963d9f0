import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { realAgents } from '../agents/real-agents.ts';
import { accessCases } from './access-cases.ts';
import { Stage } from './stage.ts';

/** A part of the attacks with all agents. `npm run prove -- sandbox` runs all of it. */
let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open(realAgents.codex);
});
afterAll(() => stage[Symbol.asyncDispose]());

const named = (part: string) => accessCases.find(({ name }) => name.includes(part))!;

describe.runIf(process.platform === 'linux')('an agent does not reach', { timeout: 120_000 }, () => {
  it.each([
    ["the person's private files by shell", 'read-only'],
    ["Adjutant's files and other runs by shell", 'workspace-write'],
    ['variables', 'workspace-write'],
    ['planted programs of a virtual environment', 'read-only'],
    ['programs behind sockets', 'read-only'],
  ] as const)('%s: %s', async (name, sandbox) => {
    expect(await stage.attack(named(name), sandbox)).toEqual({ status: 'completed', violations: [] });
  });
});

// The commands of this agent share its environment and its sandbox.
describe.runIf(process.platform === 'linux')('gemini does not reach', { timeout: 120_000 }, () => {
  let other: Stage;
  beforeAll(async () => {
    other = await Stage.open(realAgents.gemini);
  });
  afterAll(() => other[Symbol.asyncDispose]());

  it.each([
    ['variables', 'workspace-write'],
    ['files of the person that stay visible', 'read-only'],
    ['programs behind sockets', 'workspace-write'],
    ['private files through the file with the answer', 'read-only'],
  ] as const)('%s: %s', async (name, sandbox) => {
    expect(await other.attack(named(name), sandbox)).toEqual({ status: 'completed', violations: [] });
  });
});

it('the attack works without a sandbox', { timeout: 120_000 }, async () => {
  const { violations } = await stage.attack(named('private files by shell'), 'danger-full-access');
  expect(violations.join()).toContain('.ssh/id_ed25519');
});
