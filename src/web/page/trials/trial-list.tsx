import { wholeList } from '../../../paging.ts';
import { pathTo } from '../shared/route.ts';
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
  // The tokens and times of different models and agents cannot be compared.
  const groups = Map.groupBy(trials, ({ revision, model }) => `Revision ${revision} with ${model}`);
  return (
    <section aria-label="Earlier answers">
      <h2>Earlier answers</h2>
      {[...groups].map(([title, own]) => (
        <details key={title}>
          <summary>
            {title}: {own.length === 1 ? '1 answer' : `${own.length} answers`}, on average{' '}
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
              {trial.run_id && <a href={pathTo('runs', trial.run_id)}>Show the run</a>}
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
