import { visibleText } from '../shared/visible-text.ts';
import type { Findings } from './run-record.ts';

interface Props {
  readonly deliverables: readonly { readonly path: string; readonly description: string }[];
  readonly evidence: Findings | null | undefined;
}

const marks: Readonly<Record<string, string>> = { verified: '✓', missing: '✗', unreported: '?', passed: '✓' };
const words: Readonly<Record<string, string>> = {
  verified: 'seen to be changed',
  missing: 'is not there',
  unchanged: 'is there, but was not changed',
  unchecked: 'could not be checked',
};

/** What the agent says it delivered beside what the server saw, and the checks it ran. */
export function EvidenceList({ deliverables, evidence }: Props) {
  const seen = new Map(evidence?.files.map((file) => [file.path, file]) ?? []);
  const unreported = evidence?.files.filter(({ status }) => status === 'unreported') ?? [];
  const checks = evidence?.checks ?? [];
  if (deliverables.length + unreported.length + checks.length === 0) return null;
  return (
    <section>
      <h2>Deliverables</h2>
      <ul class="evidence">
        {deliverables.map(({ path, description }) => {
          const status = seen.get(path)?.status ?? 'unchecked';
          return (
            <li key={path}>
              <Mark status={status} /> <code>{visibleText(path)}</code> <bdi>{description}</bdi>{' '}
              <span class="quiet">{words[status] ?? status}</span>
            </li>
          );
        })}
        {unreported.map(({ path, change }) => (
          <li key={path}>
            <Mark status="unreported" /> <code>{visibleText(path)}</code>{' '}
            <span class="quiet">{change ?? 'changed'}, but not reported</span>
          </li>
        ))}
        {checks.map(({ command, status }) => (
          <li key={command}>
            <Mark status={status} /> <code>{visibleText(command)}</code>{' '}
            <span class="quiet">check {status}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Mark({ status }: { status: string }) {
  return (
    <span class={`evidence-mark ${status}`} aria-hidden="true">
      {marks[status] ?? (status === 'failed' ? '✗' : '·')}
    </span>
  );
}
