import { useState } from 'preact/hooks';
import { type Finding, placeOf, useHealth } from '../shared/health.ts';
import { MoreButton } from '../shared/more-button.tsx';

const states = {
  bad: ['error', 'Error'],
  warning: ['warning', 'Warning'],
  good: ['completed', 'OK'],
} as const;
const pageSize = 100;

/** What does not work and how to fix it, then what works. `adjutant doctor` prints the same. */
export function Health() {
  const { value, error, checking, checkAgain } = useHealth();
  const [visible, setVisible] = useState(pageSize);
  const findings = value?.findings ?? [];
  const faults = findings.filter(({ state }) => state !== 'good');
  const good = findings.filter(({ state }) => state === 'good');
  return (
    <section>
      <h2 class="with-button">
        Health
        <button type="button" class="small" disabled={checking} onClick={checkAgain}>
          {checking ? 'Checking…' : 'Check again'}
        </button>
      </h2>
      {error && <p class="problem">{error.message}</p>}
      <p role="status">
        {value === undefined
          ? 'Checking…'
          : faults.length === 0
            ? 'No problems found.'
            : `${faults.length} problem${faults.length === 1 ? '' : 's'} found.`}
      </p>
      <ul class="problems" aria-label="Problems">
        {faults.slice(0, visible).map((finding, index) => (
          <FindingLine key={index} finding={finding} />
        ))}
      </ul>
      <MoreButton shown={visible} all={faults.length} step={pageSize} what="problems" show={setVisible} />
      {good.length > 0 && (
        <details>
          <summary>{good.length} checks passed</summary>
          <ul class="problems" aria-label="Passed checks">
            {good.map((finding, index) => (
              <FindingLine key={index} finding={finding} />
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function FindingLine({ finding }: { finding: Finding }) {
  const { title, state, detail, remedy } = finding;
  const [kind, label] = states[state];
  const [place, path] = placeOf(finding);
  return (
    <li>
      <span class={`badge ${kind}`}>{label}</span>
      <span class="finding">
        <strong>{title}</strong>: {detail}
        {state !== 'good' && (
          <span class="quiet remedy">
            {remedy && `To fix it: ${remedy}. `}
            <a href={path}>{place}</a>
          </span>
        )}
      </span>
    </li>
  );
}
