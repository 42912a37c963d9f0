import { visibleText } from '../shared/visible-text.ts';
import type { Findings } from './run-record.ts';

interface Props {
  readonly deliverables: readonly { readonly path: string; readonly description: string }[];
  readonly evidence: Findings | null | undefined;
}

const marks: Readonly<Record<string, string>> = { verified: '✓', missing: '✗', unreported: '?', passed: '✓' };
const statusTexts: Readonly<Record<string, string>> = {
  verified: 'change verified',
  missing: 'file not found',
  unchanged: 'file was not changed',
  unchecked: 'not checked',
};

/** The deliverables the agent reported, the server's verification of each, and the results of the checks. */
export function EvidenceList({ deliverables, evidence }: Props) {
  const verified = new Map(evidence?.files.map((file) => [file.path, file]) ?? []);
  const unreported = evidence?.files.filter(({ status }) => status === 'unreported') ?? [];
  const checks = evidence?.checks ?? [];
  if (deliverables.length + unreported.length + checks.length === 0) return null;
  return (
    <section>
      <h2>Deliverables</h2>
      <ul class="evidence">
        {deliverables.map(({ path, description }) => {
          const status = verified.get(path)?.status ?? 'unchecked';
          return (
            <li key={path}>
              <Mark status={status} /> <code>{visibleText(path)}</code> <bdi>{description}</bdi>{' '}
              <span class="quiet">({statusTexts[status] ?? status})</span>
            </li>
          );
        })}
        {unreported.map(({ path, change }) => (
          <li key={path}>
            <Mark status="unreported" /> <code>{visibleText(path)}</code>{' '}
            <span class="quiet">({change ?? 'changed'}, not reported by the agent)</span>
          </li>
        ))}
        {checks.map(({ command, status }) => (
          <li key={command}>
            <Mark status={status} /> <code>{visibleText(command)}</code>{' '}
            <span class="quiet">(check {status})</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A sign for the result of a verification or a check. */
export function Mark({ status }: { status: string }) {
  return (
    <span class={`evidence-mark ${status}`} aria-hidden="true">
      {marks[status] ?? (status === 'failed' ? '✗' : '·')}
    </span>
  );
}
