import { describe, expect, it } from 'vitest';
import { decide, measureTask } from './decision.ts';
import type { PlanBounds } from './plan.ts';
import { fallbackPlan } from './planner.ts';

const bounds: PlanBounds = {
  cwd: '/srv/shop',
  role: 'specialist',
  maxAgents: 3,
  sandbox: 'workspace-write',
  agents: [],
  shortlist: [],
};

describe('fallbackPlan', () => {
  const task = 'Refactor the parser, update the tests and rewrite the docs';
  const planned = (maxAgents: number, sandbox: PlanBounds['sandbox'] = 'workspace-write') =>
    fallbackPlan(task, decide(task), measureTask(task), { ...bounds, maxAgents, sandbox }).jobs;

  it('scans, implements and verifies one after another, with the task in every job', () => {
    const jobs = planned(5);
    expect(
      jobs.map(({ id, thinking_level, sandbox, depends_on }) => [id, thinking_level, sandbox, depends_on]),
    ).toEqual([
      ['scan', 'low', 'read-only', []],
      ['implement', 'high', 'workspace-write', ['scan']],
      ['verify', 'low', 'workspace-write', ['implement']],
    ]);
    for (const one of jobs) expect(one.task).toContain(task);
  });

  it('adapts to fewer agents and to a narrower sandbox', () => {
    expect(planned(1).map(({ id, depends_on }) => [id, depends_on])).toEqual([['implement', []]]);
    expect(planned(2).map(({ id }) => id)).toEqual(['scan', 'implement']);
    expect(planned(3, 'read-only').map(({ sandbox }) => sandbox)).toEqual([
      'read-only',
      'read-only',
      'read-only',
    ]);
    expect(planned(3, 'danger-full-access').map(({ sandbox }) => sandbox)).toEqual([
      'read-only',
      'danger-full-access',
      'workspace-write',
    ]);
  });
});
