import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aggregate, type JobResult, overallStatus, totalUsage } from './autopilot-output.ts';

const job = (id: string, more: Partial<JobResult> = {}): JobResult => ({
  id,
  title: id.toUpperCase(),
  run_id: id,
  run_dir: `/runs/${id}`,
  subagent_thread_id: null,
  selected_skills: [],
  summary: `did ${id}`,
  deliverables: [],
  open_questions: [],
  next_actions: [],
  artifacts: [],
  timing: { started_at: '', finished_at: '', duration_ms: 0 },
  status: 'completed',
  error: null,
  usage: null,
  evidence: null,
  warnings: [],
  ended_processes: [],
  ...more,
});

describe('aggregate', () => {
  it('reports that no delegation was needed if there are no jobs', () => {
    expect(aggregate([], '/srv')).toEqual({
      summary: 'No delegation needed.',
      deliverables: [],
      open_questions: [],
      next_actions: [],
    });
  });

  it('removes duplicates that differ only in spelling', () => {
    const sum = aggregate(
      [
        job('a', {
          deliverables: [
            { path: 'src/x.ts', description: 'New parser' },
            { path: './src/y.ts', description: '' },
          ],
          open_questions: ['Which  port?'],
          next_actions: ['Run tests'],
        }),
        job('b', {
          deliverables: [
            { path: '/srv/src/x.ts', description: 'new parser.' },
            { path: 'src/x.ts:10', description: 'Tests for it' },
            { path: 'src/y.ts', description: 'Helper' },
          ],
          open_questions: ['which port?', 'Why?'],
          next_actions: ['run tests.', 'Deploy'],
        }),
      ],
      '/srv',
    );
    expect(sum).toEqual({
      summary: 'A (completed): did a\nB (completed): did b',
      deliverables: [
        { path: 'src/x.ts', description: 'New parser; Tests for it' },
        { path: 'src/y.ts', description: 'Helper' },
      ],
      open_questions: ['Which  port?', 'Why?'],
      next_actions: ['Run tests', 'Deploy'],
    });
  });

  it('reports missing files and unmerged changes, and lists manual steps', () => {
    const { open_questions, next_actions } = aggregate(
      [
        job('a', {
          evidence: {
            method: 'git',
            complete: true,
            omitted: 0,
            files: [{ path: 'ghost.md', status: 'missing' }],
            checks: [{ command: 'make deploy', status: 'refused', exit_code: null, output: '' }],
          },
          patch: { path: '/runs/a/changes.patch', applied: false, conflicts: ['x.ts'] },
        }),
      ],
      '/srv',
    );
    expect(open_questions).toEqual([
      'A reported ghost.md as delivered, but the file does not exist.',
      'Changes of A were not applied to the working folder: they conflict in x.ts.',
    ]);
    expect(next_actions).toEqual(['Run make deploy', 'Run "adjutant runs apply a" to apply them']);
  });

  it('has no duplicates and loses no file, for any jobs', () => {
    const texts = fc.array(fc.constantFrom('a', 'A', ' a', 'b', 'b.', 'c  d', 'c d'), { maxLength: 4 });
    const files = fc.array(
      fc.record({
        path: fc.constantFrom('x', './x', '/srv/x', 'y', 'z:3'),
        description: fc.constantFrom('', 'one', 'two'),
      }),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(files, texts, texts), { maxLength: 4 }), (parts) => {
        const jobs = parts.map(([deliverables, open_questions, next_actions], at) =>
          job(`j${at}`, { deliverables, open_questions, next_actions }),
        );
        const sum = aggregate(jobs, '/srv');
        const once = (all: readonly string[]) =>
          expect(new Set(all.map((one) => one.trim().toLowerCase())).size).toBe(all.length);
        once(sum.open_questions);
        once(sum.next_actions);
        once(sum.deliverables.map(({ path }) => path));
        const named = new Set(
          jobs.flatMap((one) => one.deliverables.map(({ path }) => path.replace(/^\.\/|^\/srv\/|:3$/g, ''))),
        );
        expect(new Set(sum.deliverables.map(({ path }) => path))).toEqual(named);
      }),
    );
  });
});

describe('overallStatus', () => {
  it('combines the errors of failed jobs, and reports a cancellation', () => {
    const failed = [
      job('a', { status: 'failed', error: 'broke' }),
      job('b', { status: 'skipped' }),
      job('c'),
    ];
    expect(overallStatus(failed)).toEqual({ status: 'failed', error: 'a: broke' });
    expect(overallStatus([job('a')])).toEqual({ status: 'completed', error: null });
    expect(overallStatus([])).toEqual({ status: 'completed', error: null });
    expect(overallStatus([], 'by hand')).toEqual({ status: 'cancelled', error: 'cancelled: by hand' });
    expect(
      overallStatus([job('a', { status: 'cancelled', error: 'cancelled: by hand' })], 'by hand'),
    ).toEqual({
      status: 'cancelled',
      error: 'a: cancelled: by hand',
    });
  });
});

describe('totalUsage', () => {
  it('adds the known values', () => {
    const usage = { input_tokens: 1, cached_input_tokens: 2, output_tokens: 3, reasoning_output_tokens: 4 };
    expect(totalUsage([null, usage, usage])).toEqual({
      input_tokens: 2,
      cached_input_tokens: 4,
      output_tokens: 6,
      reasoning_output_tokens: 8,
    });
    expect(totalUsage([null])).toBeNull();
  });
});
