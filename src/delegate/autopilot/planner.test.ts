import { describe, expect, it } from 'vitest';
import { decide, measureTask } from './decision.ts';
import { makePlan, type PlannerAnswer, type PlannerTask } from './planner.ts';

const task = 'Refactor the parser, update the tests and rewrite the docs';
const job = {
  id: 'parser',
  title: 'Parser',
  thinking_level: 'medium',
  role: null,
  task: 'Refactor it.',
  sandbox: 'workspace-write',
  depends_on: [] as string[],
  writes: ['src/parser.ts'],
  skills: ['pytest-suite'],
  acceptance: [],
};
const good = { should_delegate: true, reason: 'Because.', jobs: [job] };
const answer = (value: unknown): PlannerAnswer => ({ text: JSON.stringify(value), value, error: null });
const silent: PlannerAnswer = { text: undefined, value: undefined, error: 'codex exec exited with code 1' };

function given(...answers: PlannerAnswer[]): PlannerTask & { prompts: string[] } {
  const prompts: string[] = [];
  return {
    prompts,
    task,
    decision: decide(task),
    shape: measureTask(task),
    bounds: {
      cwd: '/srv/shop',
      role: 'specialist',
      maxAgents: 3,
      sandbox: 'workspace-write',
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
const plan = (asked: PlannerTask) => makePlan(asked, new AbortController().signal);

describe('makePlan', () => {
  it('takes a good plan at once', async () => {
    const asked = given(answer(good));
    expect(await plan(asked)).toMatchObject({
      source: 'model',
      problems: [],
      plan: { jobs: [{ id: 'parser' }] },
    });
    expect(asked.prompts).toHaveLength(1);
    for (const part of [task, '/srv/shop', 'At most 3 jobs', '- pytest-suite: Write Python tests.'])
      expect(asked.prompts[0]).toContain(part);
  });

  it('asks once more with the mistakes of a plan that breaks the rules', async () => {
    const greedy = { ...good, jobs: [{ ...job, sandbox: 'danger-full-access' }] };
    const asked = given(answer(greedy), answer(good));
    const { source, problems } = await plan(asked);
    expect(source).toBe('repaired');
    expect(problems).toEqual([
      'Job "parser": the sandbox danger-full-access is more than the workspace-write that was granted.',
    ]);
    expect(asked.prompts[1]).toContain(problems[0]);
    expect(asked.prompts[1]).toContain('danger-full-access');
  });

  it('does without a model after two bad plans, with the task in every job', async () => {
    const circle = { ...good, jobs: [{ ...job, depends_on: ['parser'] }] };
    const garbage: PlannerAnswer = { text: 'Sure, I can help!', value: undefined, error: null };
    const asked = given(answer(circle), garbage);
    const { source, plan: made, problems } = await plan(asked);
    expect(source).toBe('fallback');
    expect(made.jobs.map(({ id }) => id)).toEqual(['scan', 'implement', 'verify']);
    for (const one of made.jobs) expect(one.task).toContain(task);
    expect(problems).toHaveLength(2);
    expect(asked.prompts).toHaveLength(2);
  });

  it('does not ask again where there was no answer at all', async () => {
    const asked = given(silent);
    expect(await plan(asked)).toMatchObject({
      source: 'fallback',
      problems: ['The planner gave no plan: codex exec exited with code 1.'],
    });
    expect(asked.prompts).toHaveLength(1);
  });

  it('asks nobody when there is nobody to ask', async () => {
    const { ask: _, ...alone } = given();
    expect(await plan(alone)).toMatchObject({ source: 'fallback', problems: [] });
  });

  it('lets the model decide that one agent is enough', async () => {
    const asked = given(answer({ should_delegate: false, reason: 'One file.', jobs: [] }));
    expect((await plan(asked)).plan).toEqual({
      decision: { should_delegate: false, reason: 'One file.' },
      jobs: [],
    });
  });
});
