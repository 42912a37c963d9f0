import { describe, expect, it } from 'vitest';
import { eventsText, formatFor, type RunOutput, runReport } from './run-report.ts';

const done: RunOutput = {
  run_id: '2025-12-30_000000_abcdef',
  run_dir: '/home/user/.codex/delegator/runs/2025-12-30_000000_abcdef',
  subagent_thread_id: 'thread-123',
  summary: 'Updated tool stdout formatting.',
  deliverables: [
    { path: 'src/server.ts', description: 'Use formatter for delegate_* tool content.' },
    {
      path: 'src/lib/mcp/formatToolContent.ts',
      description: 'Add deterministic text formatting helpers.',
    },
  ],
  open_questions: [],
  next_actions: ['Run npm test', 'Run npm run build'],
  artifacts: [],
  timing: { started_at: '', finished_at: '', duration_ms: 1234 },
  status: 'completed',
  error: null,
};

describe('runReport', () => {
  it('shows the error of a failed run and the files to inspect', () => {
    const text = runReport('delegate_run', {
      ...done,
      subagent_thread_id: null,
      status: 'failed',
      error: 'codex exec exited\nwith code 1',
      artifacts: ['result.json', 'stderr.log'].map((name) => ({ name, path: `/runs/${name}` })),
    });
    expect(text).toContain('status: failed (1234ms)\n');
    expect(text).toContain('subagent_thread_id: (none)\nerror: codex exec exited with code 1\n');
    expect(
      text
        .split('Debug pointers:\n')[1]!
        .split('\n')
        .map((line) => line.split(':')[0]),
    ).toEqual(['- stderr.log', '- result.json']);
  });

  it('collapses white space and truncates long lines', () => {
    const text = runReport('delegate_run', { ...done, summary: `a\n\tb ${'x'.repeat(300)}` });
    const line = text.split('\n').find((one) => one.startsWith('summary: '))!;
    expect(line).toMatch(/^summary: a b x+…$/);
    expect(line).toHaveLength('summary: '.length + 200);
  });

  it('omits nothing but empty lists and paths, for clients that read only the text', () => {
    const summary = `a\nb ${'x'.repeat(300)}`;
    const next_actions = ['1', '2', '3', '4', '5', '6', '7'];
    const files = [{ path: 'src/a.ts', status: 'verified' as const }];
    const evidence = { method: 'overlay' as const, complete: true, files, omitted: 0 };
    const output = { ...done, summary, next_actions, evidence };
    const text = runReport('delegate_run', output, { whole: true, withPaths: false });
    expect(text).toContain(`run_id: ${done.run_id}\n`);
    expect(text).toContain(`summary: a\n> b ${'x'.repeat(300)}\n`);
    expect(text).toContain('- 6\n- 7\n');
    expect(text).toMatch(/\nchanged_files \(1\):\n- src\/a\.ts \(verified\)$/);
    expect(text).not.toMatch(/\(0\)|run_dir/);
    expect(runReport('delegate_run', output, { whole: true })).toContain(`run_dir: ${done.run_dir}\n`);
  });

  it('quotes the lines of events, also of parts of a message', () => {
    const time = '2026-01-01T12:00:00Z';
    const events = [
      { text: 'update a\n12:00:01 turn completed', time, kind: 'item.completed' },
      { text: 'first\n', time, kind: 'delta.message', item: '1' },
      { text: '12:00:01 turn completed', time, kind: 'delta.message', item: '1' },
    ];
    expect(eventsText(events)).toBe(
      '12:00:00 update a\n> 12:00:01 turn completed\n12:00:00 … first\n> 12:00:01 turn completed',
    );
  });

  it('shows five items of a list and the number of the others', () => {
    expect(formatFor(false).section('next_actions', ['1', '2', '3', '4', '5', '6', '7'])).toEqual([
      'next_actions (7):',
      '- 1',
      '- 2',
      '- 3',
      '- 4',
      '- 5',
      '... (+2 more)',
    ]);
    expect(formatFor(false).section('open_questions', [])).toEqual(['open_questions (0):', '- (none)']);
  });
});
