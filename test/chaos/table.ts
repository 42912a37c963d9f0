import type { Counts } from './acknowledged-writes.ts';
import type { ChaosResult } from './chaos.ts';
import { faults } from './faults.ts';

/** The result as a table in Markdown, with a column for each database. */
export function chaosTable(results: readonly ChaosResult[]): string {
  const row = (name: string, cell: (result: ChaosResult) => string | number) =>
    `| ${[name, ...results.map(cell)].join(' | ')} |`;
  const counts = ({ acknowledged, failed, unanswered }: Counts) =>
    `${acknowledged} (${failed} failed, ${unanswered} unanswered)`;
  const lines = [
    row('', ({ engine }) => engine),
    row('---', () => '---'),
    ...faults.map(({ name }) =>
      row(name, (result) => result.skipped.get(name) ?? result.faults.get(name) ?? 0),
    ),
    row('prompt edits acknowledged', ({ writes }) => counts(writes.counts.prompts)),
    row('calendar imports acknowledged', ({ writes }) => counts(writes.counts.imports)),
    row('events acknowledged', ({ writes }) => counts(writes.counts.events)),
    row('runs started', ({ writes }) => counts(writes.counts.runs)),
    row('states of the runs', ({ verdict }) =>
      Object.entries(verdict.runs)
        .map(([status, count]) => `${count} ${status}`)
        .join(', '),
    ),
    row('reminders planned', ({ verdict }) => verdict.planned),
    row('reminders arrived', ({ verdict }) => verdict.arrived),
    row(
      'of these, more than once: no answer in time, or a fault before it was recorded',
      ({ verdict }) => verdict.repeated,
    ),
    row('processes left', ({ verdict }) => verdict.left),
    row(
      'heap of a server, after a tenth of the time and at the end',
      ({ heapMb }) => `${heapMb.before.toFixed(0)} MB, ${heapMb.after.toFixed(0)} MB`,
    ),
    row('most memory of a process', ({ maxResidentMb }) => `${maxResidentMb.toFixed(0)} MB`),
    row('**problems**', ({ problems }) => problems.length),
  ];
  const reasons = results.flatMap(({ engine, writes }) =>
    [...writes.failures].map(([reason, times]) => `${engine}: ${times} × ${reason}`),
  );
  return `${lines.join('\n')}\n\nFailed calls:\n${reasons.join('\n')}`;
}
