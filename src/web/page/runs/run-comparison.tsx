import type { ComponentChildren } from 'preact';
import { counted } from '../controls/words.ts';
import { useActions } from '../shared/actions.tsx';
import { ChangeButton } from '../shared/buttons.tsx';
import { visibleText } from '../shared/visible-text.ts';
import { Finding } from './evidence-list.tsx';
import { type Comparison, duration, type JobResult } from './run-record.ts';
import { RunState } from './run-state.tsx';

type Candidate = Comparison['candidates'][number];

/** The candidates of a comparison side by side, the best first, with a button to apply the changes of one. */
export function RunComparison({ comparison, jobs }: { comparison: Comparison; jobs: readonly JobResult[] }) {
  const { winner, reasons, candidates } = comparison;
  const jobOf = ({ run_id }: Candidate) => jobs.find((job) => job.run_id === run_id);
  const applied = candidates.find(({ delivery }) => delivery === 'applied');
  const rows: readonly (readonly [string, (candidate: Candidate) => ComponentChildren])[] = [
    ['Status', ({ status }) => <RunState status={status} />],
    ['Checks', (candidate) => <Checks candidate={candidate} job={jobOf(candidate)} />],
    ['Unmet claims', ({ unmet_claims }) => unmet_claims],
    [
      'Changes',
      ({ changed_files = 0, changed_lines = 0 }) =>
        changed_files === 0
          ? 'none'
          : `${counted(changed_lines, 'line')} in ${counted(changed_files, 'file')}`,
    ],
    ['Tokens', ({ tokens }) => tokens?.toLocaleString() ?? 'unknown'],
    ['Cost', ({ cost_usd }) => (cost_usd == null ? 'unknown' : `$${cost_usd.toFixed(4)}`)],
    ['Time', ({ duration_ms = 0 }) => duration(duration_ms)],
    ['Summary', (candidate) => <span class="summary">{jobOf(candidate)?.summary}</span>],
    ['Applied', (candidate) => <Applied candidate={candidate} applied={applied} />],
  ];
  return (
    <section>
      <h2>Comparison</h2>
      {winner === null ? <p>No candidate has completed.</p> : <Reasons reasons={reasons} />}
      <div class="comparison" role="region" aria-label="Comparison" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <td />
              {candidates.map((candidate, index) => (
                <th key={candidate.run_id} scope="col" title={candidate.id}>
                  {index + 1}. {jobOf(candidate)?.title ?? candidate.id}
                  {candidate.run_id === winner && <span class="badge completed">suggested</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(([name, show]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {candidates.map((candidate) => (
                  <td key={candidate.run_id}>{show(candidate)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Reasons({ reasons }: { reasons: readonly string[] }) {
  return (
    <ul>
      {reasons.map((reason) => (
        <li key={reason}>{reason}</li>
      ))}
    </ul>
  );
}

function Checks({ candidate, job }: { candidate: Candidate; job: JobResult | undefined }) {
  const checks = job?.evidence?.checks ?? [];
  if (candidate.checks === 0) return <>none</>;
  return (
    <>
      {candidate.checks_passed} of {candidate.checks} passed
      <ul class="evidence">
        {checks.map(({ command, status }) => (
          <Finding key={command} status={status} found={status}>
            <code>{visibleText(command)}</code>
          </Finding>
        ))}
      </ul>
    </>
  );
}

interface AppliedProps {
  readonly candidate: Candidate;
  /** The candidate whose changes are in the folder. */
  readonly applied: Candidate | undefined;
}

/** Only one candidate at a time can be applied, because all of them did the same task. */
function Applied({ candidate, applied }: AppliedProps) {
  const { client, invalidate, act } = useActions();
  const { run_id, id, delivery, changed_files = 0 } = candidate;
  const change = async (tool: 'apply_run' | 'undo_run', done: string) => {
    await act(async () => {
      const { files, conflicts, marked = [] } = await client.tool(tool, { run_id });
      const kept = conflicts.map(({ path, reason }) => `${path}: ${reason}`).join('; ');
      return {
        text: [
          kept ? `Some files stay as they are. ${kept}` : `${done} ${counted(files.length, 'file')}.`,
          ...marked.map((path) => `${path} has both versions now, between conflict markers.`),
        ].join(' '),
      };
    });
    invalidate('resources');
  };
  if (delivery === 'applied')
    return (
      <>
        Applied.{' '}
        <ChangeButton class="small" tool="undo_run" onClick={() => change('undo_run', 'Took back')}>
          Take back <span class="hidden">{id}</span>
        </ChangeButton>
      </>
    );
  if ((delivery !== 'waiting' && delivery !== 'undone') || changed_files === 0) return <>Nothing to apply.</>;
  const isBlocked = applied !== undefined;
  return (
    <>
      {delivery === 'undone' && 'Taken back. '}
      <ChangeButton
        class="small"
        tool="apply_run"
        disabled={isBlocked}
        onClick={() => change('apply_run', 'Applied')}
      >
        Apply <span class="hidden">{id}</span>
      </ChangeButton>
      {isBlocked && <span class="quiet"> Take back {applied.id} first.</span>}
    </>
  );
}
