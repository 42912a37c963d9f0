import { narrowest } from '../agents/sandbox.ts';
import type { Decision, TaskShape } from './decision.ts';
import { onlyAgent, type Plan, type PlanBounds, type PlannedJob } from './plan.ts';

/** The plan without a model: scan, implement and verify, reduced to the number of agents allowed. */
export function fallbackPlan(task: string, decision: Decision, shape: TaskShape, bounds: PlanBounds): Plan {
  const { role, maxAgents, sandbox } = bounds;
  const isHard =
    shape.length >= 400 ||
    shape.clauses >= 4 ||
    shape.categories.length >= 3 ||
    shape.categories.some((category) => category === 'security' || category === 'research');
  const agent = onlyAgent(bounds);
  const common = { role, ...(agent && { agent }), writes: [], skills: undefined, acceptance: [] };
  const scan: PlannedJob = {
    ...common,
    id: 'scan',
    title: 'Repo scan + approach',
    thinking_level: 'low',
    role: 'specialist',
    task: `Prepare the following task; do not change anything. Find the files, conventions, tests and risks that matter for it and propose an approach that another agent can follow without looking again.\n\nThe task:\n${task}`,
    sandbox: 'read-only',
    depends_on: [],
  };
  const implement: PlannedJob = {
    ...common,
    id: 'implement',
    title: 'Implement requested change',
    thinking_level: isHard ? 'high' : 'medium',
    task,
    sandbox,
    depends_on: maxAgents >= 2 ? ['scan'] : [],
  };
  const verify: PlannedJob = {
    ...common,
    id: 'verify',
    title: 'Verify via tests/lint/build',
    thinking_level: 'low',
    role: 'specialist',
    // Tests and builds write caches and output files, so a read-only sandbox would break them.
    sandbox: narrowest(sandbox, 'workspace-write'),
    task: `Verify that the following task has been done; do not repair anything. Run the tests, linters and builds that the project has and that matter here, and report what failed, word for word, and what of the task is missing.\n\nThe task:\n${task}`,
    depends_on: ['implement'],
    skills: [],
  };
  return {
    decision,
    jobs: [...(maxAgents >= 2 ? [scan] : []), implement, ...(maxAgents >= 3 ? [verify] : [])],
  };
}
