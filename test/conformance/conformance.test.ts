import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FixtureEndpoint, startFixtures } from './endpoint.ts';
import { extensionScenarios, type Revision, required, runScenario, runSuite } from './suite.ts';

let endpoint: FixtureEndpoint;
beforeAll(async () => {
  endpoint = await startFixtures();
});
afterAll(() => endpoint[Symbol.asyncDispose]());

/** Scenarios that pass although no revision requires them. */
const optional = [
  'server-session-lifecycle',
  'server-sse-polling',
  'json-schema-2020-12',
  'http-header-validation',
  'http-custom-header-server-validation',
];

it.for(Object.keys(required) as Revision[])(
  'passes every scenario that revision %s requires',
  { timeout: 120_000 },
  async (revision) => {
    const score = await runSuite(endpoint.url, revision);
    expect(score.failures, score.output).toEqual([]);
    expect(score.passed).toBe(score.required);
    expect(score.unscored.filter((name) => optional.includes(name))).toEqual([]);
  },
);

it.for(Object.entries(extensionScenarios))(
  'passes every check of the scenario %s',
  { timeout: 120_000 },
  async ([scenario, checks]) => {
    const score = await runScenario(endpoint.url, scenario);
    expect(score, score.output).toMatchObject({ passed: checks, checks, warnings: 0 });
  },
);
