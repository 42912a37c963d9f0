import { wholeList } from '../../../paging.ts';
import { useLoaded } from '../shared/server-connection.tsx';
import { shortTime } from '../shared/zone-time.ts';
import { cost } from './answer-card.tsx';

/** Earlier answers, with what each revision took on average. `round` increases after every new answer. */
export function TrialList({ name, round }: { name: string; round: number }) {
  const { value } = useLoaded(
    (client, signal) => client.tool('list_trials', { name, ...wholeList }, { signal }),
    [name, round],
  );
  const trials = value?.trials ?? [];
  if (trials.length === 0) return null;
  const byRevision = [...Map.groupBy(trials, ({ revision }) => revision)];
  return (
    <section aria-label="Earlier answers">
      <h2>Earlier answers</h2>
      {byRevision.map(([revision, own]) => (
        <details key={revision}>
          <summary>
            Revision {revision}: {own.length === 1 ? '1 answer' : `${own.length} answers`}, on average{' '}
            {average(own, 'output_tokens').toLocaleString()} tokens in{' '}
            {(average(own, 'duration_ms') / 1000).toFixed(1)} s
          </summary>
          {own.map((trial) => (
            <div key={trial.time} class="earlier">
              <p class="quiet">
                {shortTime(trial.time)}, {cost(trial)}
                {Object.entries(trial.arguments).map(([argument, text]) => (
                  <span key={argument}>
                    {' '}
                    · {argument}: {text.slice(0, 60)}
                  </span>
                ))}
              </p>
              <pre class="result">{trial.answer}</pre>
            </div>
          ))}
        </details>
      ))}
    </section>
  );
}

function average<Field extends string>(
  trials: readonly Readonly<Record<Field, number>>[],
  field: Field,
): number {
  return Math.round(trials.reduce((sum, trial) => sum + trial[field], 0) / trials.length);
}
