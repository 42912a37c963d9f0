import type { Evidence } from './run-record.ts';

interface Props {
  readonly deliverables: readonly { readonly path: string; readonly description: string }[];
  readonly evidence: Evidence | null | undefined;
}

const marks: Readonly<Record<string, string>> = { verified: '✓', missing: '✗', unreported: '?' };

/** What the agent says it delivered beside what the server saw. */
export function EvidenceList({ deliverables, evidence }: Props) {
  const seen = new Map(evidence?.files.map((file) => [file.path, file]) ?? []);
  const unreported = evidence?.files.filter(({ status }) => status === 'unreported') ?? [];
  if (deliverables.length === 0 && unreported.length === 0) return null;
  return (
    <>
      <h2>Deliverables</h2>
      <ul class="evidence">
        {deliverables.map(({ path, description }) => {
          const status = seen.get(path)?.status ?? 'unchecked';
          return (
            <li key={path}>
              <span class={`evidence-mark ${status}`} title={status}>
                {marks[status] ?? '·'}
              </span>{' '}
              <code>{path}</code> {description} <span class="quiet">{status}</span>
            </li>
          );
        })}
        {unreported.map(({ path, change }) => (
          <li key={path}>
            <span class="evidence-mark unreported">?</span> <code>{path}</code>{' '}
            <span class="quiet">{change ?? 'changed'}, not reported</span>
          </li>
        ))}
      </ul>
    </>
  );
}
