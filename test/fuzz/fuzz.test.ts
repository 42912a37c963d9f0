import { expect, it } from 'vitest';
import { callFloods, floodCalls } from './calls.ts';
import { floodEngine } from './engine.ts';
import { floodHttp } from './http.ts';
import { floodStdio, floods } from './stdio.ts';

const seed = 42;
const options = { timeout: 120_000 };

it.for(floods)(
  'answers every valid request among noise on stdio ($framing, $version) and exits with code 0',
  options,
  async (flood) => {
    const { unanswered, internal, exitCode, before, after } = await floodStdio(4_000, flood, seed);
    expect(unanswered).toEqual([]);
    expect(internal).toEqual([]);
    expect(exitCode).toBe(0);
    expect(after.heap / before.heap).toBeLessThan(1.5);
    expect(after.resident / before.resident).toBeLessThan(2.5);
  },
);

it('frees the memory of closed sessions', options, async () => {
  const { before, after, sessions } = await floodEngine(1_500, seed);
  expect(sessions).toBe(0);
  expect(after / before).toBeLessThan(1.2);
});

it('answers every valid request among noise over HTTP', options, async () => {
  const { unanswered, statuses, log } = await floodHttp(250, seed);
  expect(unanswered).toBe(0);
  expect(statuses).not.toHaveProperty('500');
  expect(log).not.toContain('failed');
});

it.for(callFloods)(
  'answers every call with valid and invalid $subject in the contract $contract over $transport',
  options,
  async (flood) => {
    const { unanswered, internal, bugs, alive, resident } = await floodCalls(150, flood, seed);
    expect({ unanswered, internal, bugs, alive }).toEqual({
      unanswered: [],
      internal: [],
      bugs: [],
      alive: true,
    });
    expect(resident).toBeLessThan(300 * 1024 * 1024);
  },
);
