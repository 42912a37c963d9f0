import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from '../controls/icon.tsx';
import { visibleText } from '../shared/visible-text.ts';
import type { Findings } from './run-record.ts';

interface Props {
  readonly deliverables: readonly { readonly path: string; readonly description: string }[];
  readonly evidence: Findings | null | undefined;
}

const marks: Readonly<Record<string, readonly [look: string, icon: IconName]>> = {
  ...{ verified: ['good', 'done'], passed: ['good', 'done'] },
  ...{ missing: ['bad', 'failed'], failed: ['bad', 'failed'], unreported: ['quiet', 'ask'] },
};
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
  const claims = [
    ...deliverables.map(({ path, description }) => {
      const status = verified.get(path)?.status ?? 'unchecked';
      return { name: path, description, status, found: statusTexts[status] ?? status };
    }),
    ...(evidence?.checks ?? []).map(({ command, status }) => {
      return { name: command, description: '', status, found: `check ${status}` };
    }),
  ];
  if (claims.length + unreported.length === 0) return null;
  const proven = claims.filter(({ status }) => marks[status]?.[0] === 'good').length;
  return (
    <section class="card">
      <div class="section-head">
        <h2 class="grow">What the agent says, and what proves it</h2>
        <span class="quiet small">
          {proven} of {claims.length} proven
        </span>
      </div>
      <ul class="evidence">
        {claims.map(({ name, description, status, found }) => (
          <Finding key={name} status={status} found={found}>
            <code>{visibleText(name)}</code> <bdi>{description}</bdi>
          </Finding>
        ))}
        {unreported.map(({ path, change }) => (
          <Finding key={path} status="unreported" found={`${change ?? 'changed'}, not reported by the agent`}>
            <code>{visibleText(path)}</code>
          </Finding>
        ))}
      </ul>
    </section>
  );
}

interface FindingProps {
  readonly status: string;
  readonly found: string;
  readonly children: ComponentChildren;
}

/** A line with a sign and words for the result of a verification or a check. */
export function Finding({ status, found, children }: FindingProps) {
  const [look, icon] = marks[status] ?? ['quiet', 'open'];
  return (
    <li>
      <span class={look} aria-hidden="true">
        <Icon name={icon} />
      </span>
      <span class="grow">{children}</span>
      <span class={look === 'bad' ? 'bad' : 'quiet'}>{found}</span>
    </li>
  );
}
