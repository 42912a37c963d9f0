import type { ToolAnswer } from '../../../api.ts';
import { CopyButton } from '../shared/copy-button.tsx';
import type { TrialState } from './use-trial.ts';

/** An answer of the model, shown while it arrives. */
export function AnswerCard({ title, state }: { title: string; state: TrialState }) {
  const { text, result, problem } = state;
  return (
    <section aria-label={title}>
      <h3 class="with-button">
        {title} <CopyButton text={text} />
      </h3>
      {problem ? (
        <p class="problem box" role="alert">
          {problem}
        </p>
      ) : null}
      {(text !== '' || !problem) && (
        <pre class="result" role="status" aria-busy={result === undefined}>
          {text || '…'}
        </pre>
      )}
      {result && <p class="quiet">{cost(result)}</p>}
    </section>
  );
}

/** What an answer took: `12 + 340 tokens, 2.1 s, gpt-x`. */
export function cost(trial: ToolAnswer<'try_prompt'>): string {
  const { input_tokens, output_tokens, duration_ms, model } = trial;
  return `${input_tokens.toLocaleString()} + ${output_tokens.toLocaleString()} tokens, ${(duration_ms / 1000).toFixed(1)} s, ${model}`;
}
