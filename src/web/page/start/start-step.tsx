import type { ComponentChildren } from 'preact';
import { CopyButton } from '../shared/copy-button.tsx';
import type { Finding } from '../shared/health.ts';

interface StepProps {
  readonly title: string;
  /** Undefined while it is not known. */
  readonly done: boolean | undefined;
  readonly children: ComponentChildren;
}

/** One of the first steps. It is collapsed once it is done. */
export function StartStep({ title, done, children }: StepProps) {
  return (
    <li class={done ? 'done' : ''}>
      <details open={done === false}>
        <summary>
          <strong>{title}</strong>{' '}
          <span class={`badge ${done ? 'completed' : ''}`}>
            {done === undefined ? 'Checking…' : done ? 'Done' : 'To do'}
          </span>
        </summary>
        {children}
      </details>
    </li>
  );
}

export function Command({ text }: { text: string }) {
  return (
    <p class="copy-line">
      <code>{text}</code> <CopyButton text={text} />
    </p>
  );
}

interface FindingsProps {
  readonly findings: readonly Finding[] | undefined;
  readonly checking: boolean;
  checkAgain(): void;
}

/** What the server's checks found for a step, and a button that checks again. */
export function StepFindings({ findings, checking, checkAgain }: FindingsProps) {
  return (
    <>
      <ul class="problems">
        {findings?.map(({ title, state, detail, remedy }) => (
          <li key={title}>
            <span class={`badge ${state === 'good' ? 'completed' : 'warning'}`}>{title}</span>
            <span>
              {detail}
              {remedy && <span class="quiet"> – {remedy}</span>}
            </span>
          </li>
        ))}
      </ul>
      <p>
        <button type="button" class="small" disabled={checking} onClick={checkAgain}>
          {checking ? 'Checking…' : 'Check again'}
        </button>
      </p>
    </>
  );
}
