import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sandboxes } from '../agents/sandbox.ts';
import { findCycle } from './job-graph.ts';
import { type PlanBounds, type PlannedJob, parsePlan, planOf, planSchema } from './plan.ts';

const bounds: PlanBounds = {
  maxJobs: 3,
  sandbox: 'workspace-write',
  agents: [],
  shortlist: ['docker-images', 'release-notes'],
};
const job = {
  id: 'build',
  title: 'Build it',
  thinking_level: 'medium',
  task: 'Build the thing.',
  sandbox: 'workspace-write',
  depends_on: [] as string[],
  skills: [] as string[],
  acceptance: ['npm test'],
};
const plan = (...jobs: object[]) => ({ should_delegate: true, reason: 'Because.', jobs });
const findProblems = async (answer: unknown, limits = bounds) => {
  const parsed = await parsePlan(answer, limits);
  return 'problems' in parsed ? parsed.problems : [];
};

describe('parsePlan', () => {
  it.each([
    undefined,
    null,
    'not a plan',
    [],
    {},
    { should_delegate: true },
    { should_delegate: 'yes', reason: '', jobs: [] },
    plan({ ...job, sandbox: 'all' }),
    plan({ ...job, config_overrides: ['sandbox_mode="danger-full-access"'] }),
    plan({ ...job, depends_on: 'src' }),
  ])('rejects %j, which is not a plan', async (answer) => {
    expect(await findProblems(answer)).not.toEqual([]);
  });

  it.each([
    [plan(), 'The plan delegates but has no jobs.'],
    [
      plan(...[1, 2, 3, 4].map((at) => ({ ...job, id: `j${at}` }))),
      'The plan has 4 jobs; at most 3 are allowed.',
    ],
    [plan(job, { ...job, id: 'BUILD' }), 'The id "BUILD" is used twice.'],
    [plan({ ...job, id: '../up' }), 'Job "../up": the id must be 1 to 40 letters, digits, - or _.'],
    [plan({ ...job, depends_on: ['ghost'] }), 'Job build depends on "ghost", which is not in the plan.'],
    [plan({ ...job, depends_on: ['build'] }), 'The jobs depend on each other in a cycle: build → build.'],
    [
      plan({ ...job, id: 'a', depends_on: ['b'] }, { ...job, id: 'b', depends_on: ['a'] }),
      'The jobs depend on each other in a cycle: a → b → a.',
    ],
    [
      plan({ ...job, sandbox: 'danger-full-access' }),
      'Job "build": the sandbox danger-full-access is wider than the granted workspace-write.',
    ],
    [plan({ ...job, agent: 'claude' }), 'Job "build": the agent "claude" is not on the list.'],
    [plan({ ...job, skills: ['hacking'] }), 'Job "build": the skill "hacking" is not on the shortlist.'],
    [
      plan({ ...job, acceptance: ['a\nb'] }),
      'Job "build": an acceptance check must be one command on one line.',
    ],
    [plan({ ...job, task: ' ' }), 'Job "build": the task must have 1 to 20000 characters.'],
  ])('names the problem of an invalid plan: %#', async (answer, problem) => {
    expect(await findProblems(answer)).toContain(problem);
  });

  it('accepts a plan within the limits and normalizes it', async () => {
    const answer = plan({
      ...job,
      title: ' Build\n it ',
      skills: ['docker-images'],
    });
    expect(await parsePlan(answer, bounds)).toEqual({
      plan: {
        decision: { should_delegate: true, reason: 'Because.' },
        jobs: [{ ...job, title: 'Build it', skills: ['docker-images'] }],
      },
    });
  });

  it('drops the jobs of a plan that does not delegate', async () => {
    const answer = { ...plan(job), should_delegate: false };
    expect(await parsePlan(answer, bounds)).toMatchObject({
      plan: { decision: { should_delegate: false }, jobs: [] },
    });
  });

  it('accepts no plan outside the limits, whatever it contains', async () => {
    const odd = <Value>(usual: fc.Arbitrary<Value>, unusual: fc.Arbitrary<Value>) =>
      fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: unusual });
    const id = odd(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('A', '../x', '', 'a b', '__proto__'));
    const anyJob = fc.record({
      id,
      title: odd(fc.constant('Title'), fc.string()),
      thinking_level: fc.constantFrom('low', 'high'),
      task: odd(fc.constant('Do it.'), fc.string()),
      sandbox: fc.constantFrom(...sandboxes),
      depends_on: fc.array(id, { maxLength: 2 }),
      skills: fc.array(odd(fc.constantFrom('docker-images', 'release-notes'), fc.constant('other')), {
        maxLength: 2,
      }),
      acceptance: fc.array(odd(fc.constant('npm test'), fc.string()), { maxLength: 2 }),
    });
    const anyPlan = fc.oneof(
      { weight: 9, arbitrary: fc.array(anyJob, { maxLength: 4 }).map((jobs) => plan(...jobs)) },
      { weight: 1, arbitrary: fc.jsonValue() },
    );
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(
        anyPlan,
        fc.constantFrom(...sandboxes),
        fc.integer({ min: 1, max: 4 }),
        async (answer, sandbox, maxJobs) => {
          const parsed = await parsePlan(answer, { ...bounds, sandbox, maxJobs });
          if ('problems' in parsed) {
            expect(parsed.problems).not.toEqual([]);
            return;
          }
          accepted++;
          const { jobs } = parsed.plan;
          expect(jobs.length).toBeLessThanOrEqual(maxJobs);
          expect(new Set(jobs.map((one) => one.id.toLowerCase())).size).toBe(jobs.length);
          expect(findCycle(jobs)).toBeUndefined();
          for (const one of jobs) assertInBounds(one, jobs, sandbox);
        },
      ),
      { numRuns: 3000 },
    );
    expect(accepted).toBeGreaterThan(50);
  });
});

function assertInBounds(
  one: PlannedJob,
  jobs: readonly PlannedJob[],
  sandbox: (typeof sandboxes)[number],
): void {
  expect(one.id).toMatch(/^[A-Za-z0-9_-]{1,40}$/);
  expect(sandboxes.indexOf(one.sandbox)).toBeLessThanOrEqual(sandboxes.indexOf(sandbox));
  for (const skill of one.skills ?? []) expect(bounds.shortlist).toContain(skill);
  for (const dependency of one.depends_on) expect(jobs.map(({ id }) => id)).toContain(dependency);
  expect(Object.keys(one)).not.toContain('config_overrides');
}

describe('planSchema', () => {
  it('requires every property, allows no others, and lists only permitted values', () => {
    const { properties } = planSchema(bounds) as {
      properties: { jobs: { items: { required: string[]; properties: Record<string, unknown> } } };
    };
    const { items } = properties.jobs;
    expect(items.required.toSorted()).toEqual(Object.keys(items.properties).toSorted());
    expect(items).toMatchObject({
      additionalProperties: false,
      properties: {
        sandbox: { enum: ['read-only', 'workspace-write'] },
        skills: { items: { enum: ['docker-images', 'release-notes'] } },
      },
    });
  });
});

describe('planOf', () => {
  const wide = { ...bounds, maxJobs: 20, agents: ['codex', 'claude'] };

  it('completes the jobs of a caller', () => {
    const jobs = [
      { task: 'Look at the parser.\nTell what is slow.' },
      {
        id: 'fix',
        task: 'Fix it.',
        depends_on: ['job-1'],
        agent: 'claude',
        sandbox: 'read-only' as const,
      },
    ];
    const common = { thinking_level: 'medium', skills: undefined, acceptance: [] };
    expect(planOf(jobs, wide)).toEqual({
      plan: {
        decision: { should_delegate: true, reason: 'The caller passed 2 jobs.' },
        jobs: [
          {
            ...common,
            id: 'job-1',
            title: 'Look at the parser.',
            task: jobs[0]!.task,
            sandbox: 'workspace-write',
            depends_on: [],
          },
          { ...common, ...jobs[1]!, title: 'Fix it.' },
        ],
      },
    });
  });

  it.each([
    [
      [
        { id: 'a', task: 'A', depends_on: ['b'] },
        { id: 'b', task: 'B', depends_on: ['a'] },
      ],
      'cycle: a → b → a',
    ],
    [[{ id: 'a', task: 'A', depends_on: ['job-7'] }], 'depends on "job-7", which is not in the plan'],
    [[{ task: 'A' }, { id: 'JOB-1', task: 'B' }], 'The id "JOB-1" is used twice'],
    [[{ task: ' \n ' }], 'the task must have 1 to 20000 characters'],
    [[{ task: 'A', agent: 'nobody' }], 'the agent "nobody" is not on the list'],
    [[{ task: 'A', sandbox: 'danger-full-access' as const }], 'wider than the granted workspace-write'],
    [Array.from({ length: 21 }, () => ({ task: 'A' })), 'The plan has 21 jobs; at most 20 are allowed'],
    [[], 'no jobs'],
  ])('names the problem of invalid jobs: %#', (jobs, problem) => {
    const parsed = planOf(jobs, wide);
    expect('problems' in parsed && parsed.problems.join(' ')).toContain(problem);
  });
});
