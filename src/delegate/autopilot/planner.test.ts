import { describe, expect, it } from 'vitest';
import { makePlan, type PlannerAnswer, type PlannerTask } from './planner.ts';

const task = 'Refactor the parser, update the tests and rewrite the docs';
const job = {
  id: 'parser',
  title: 'Parser',
  thinking_level: 'medium',
  task: 'Refactor it.',
  sandbox: 'workspace-write',
  depends_on: [] as string[],
  skills: ['pytest-suite'],
  acceptance: [],
};
const valid = { should_delegate: true, reason: 'Because.', jobs: [job] };
const answer = (value: unknown): PlannerAnswer => ({ text: JSON.stringify(value), value, error: null });
const noAnswer: PlannerAnswer = { text: undefined, value: undefined, error: 'codex exec exited with code 1' };

function plannerTask(...answers: PlannerAnswer[]): PlannerTask & { prompts: string[] } {
  const prompts: string[] = [];
  return {
    prompts,
    task,
    cwd: '/srv/shop',
    bounds: {
      maxJobs: 20,
      sandbox: 'workspace-write',
      agents: [],
      shortlist: ['pytest-suite'],
    },
    skills: [{ name: 'pytest-suite', description: 'Write Python tests.' }],
    maxParallel: 2,
    ask: async (prompt) => {
      prompts.push(prompt);
      return answers[prompts.length - 1]!;
    },
  };
}
const plan = (planned: PlannerTask) => makePlan(planned, new AbortController().signal);

describe('makePlan', () => {
  it('accepts a valid plan without asking again', async () => {
    const input = plannerTask(answer(valid));
    expect(await plan(input)).toMatchObject({
      source: 'model',
      problems: [],
      plan: { jobs: [{ id: 'parser' }] },
    });
    expect(input.prompts).toHaveLength(1);
    for (const part of [task, '/srv/shop', 'At most 20 jobs', '- pytest-suite: Write Python tests.'])
      expect(input.prompts[0]).toContain(part);
  });

  it('sends an invalid plan back once, with its problems', async () => {
    const greedy = { ...valid, jobs: [{ ...job, sandbox: 'danger-full-access' }] };
    const input = plannerTask(answer(greedy), answer(valid));
    const { source, problems } = await plan(input);
    expect(source).toBe('repaired');
    expect(problems).toEqual([
      'Job "parser": the sandbox danger-full-access is wider than the granted workspace-write.',
    ]);
    expect(input.prompts[1]).toContain(problems[0]);
    expect(input.prompts[1]).toContain('danger-full-access');
  });

  it('returns no plan but its problems after two invalid ones', async () => {
    const cyclic = { ...valid, jobs: [{ ...job, depends_on: ['parser'] }] };
    const garbage: PlannerAnswer = { text: 'Sure, I can help!', value: undefined, error: null };
    const input = plannerTask(answer(cyclic), garbage);
    const planned = await plan(input);
    expect(planned).not.toHaveProperty('plan');
    expect(planned.problems).toEqual([
      'The jobs depend on each other in a cycle: parser → parser.',
      'The plan must be object.',
    ]);
    expect(input.prompts).toHaveLength(2);
  });

  it('does not ask again if the model does not answer', async () => {
    const input = plannerTask(noAnswer);
    expect(await plan(input)).toEqual({
      source: 'none',
      problems: ['The planner returned no plan: codex exec exited with code 1.'],
    });
    expect(input.prompts).toHaveLength(1);
  });

  it('lets the model decide that one agent is enough', async () => {
    const input = plannerTask(answer({ should_delegate: false, reason: 'One file.', jobs: [] }));
    expect((await plan(input)).plan).toEqual({
      decision: { should_delegate: false, reason: 'One file.' },
      jobs: [],
    });
  });
});
