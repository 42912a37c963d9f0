import { useEffect, useRef, useState } from 'preact/hooks';
import { wholeList } from '../../../paging.ts';
import { ChangeButton } from '../shared/buttons.tsx';
import { pathTo } from '../shared/route.ts';
import { asError, useConnection, useLoaded } from '../shared/server-connection.tsx';
import { shortTime } from '../shared/zone-time.ts';
import { AgentTrial, AnswerCard, cost, type TrialState } from './agent-trial.tsx';

interface Props {
  readonly name: string;
  readonly values: Readonly<Record<string, string>>;
  /** Why the prompt cannot be sent yet. */
  readonly blocked: string | undefined;
  /** Only prompts that can be edited have revisions to compare. */
  readonly editable: boolean;
}

/** Sends the filled-in prompt to a model or a sub-agent. Two revisions can be compared on the same input. */
export function TryPrompt({ name, values, blocked, editable }: Props) {
  const { changes } = useConnection();
  const [compared, setCompared] = useState('');
  const [current, other] = [useTrial(), useTrial()];
  const [round, setRound] = useState(0);
  const history = useLoaded(
    async (client, signal) =>
      editable ? (await client.tool('prompt_history', { name, ...wholeList }, { signal })).revisions : [],
    [name, editable, changes.prompts],
  );
  const revisions = (history.value ?? []).filter(({ prompt }) => prompt !== undefined);
  const busy = current.busy || other.busy;
  const send = async () => {
    await Promise.all([
      current.start(name, values),
      compared !== '' && other.start(`${name}@${compared}`, values),
    ]);
    setRound((now) => now + 1);
  };
  return (
    <>
      <h2>Try it</h2>
      {blocked && <p class="quiet">{blocked}</p>}
      <p class="buttons">
        <ChangeButton class="primary" disabled={busy || blocked !== undefined} onClick={send}>
          {busy ? 'Waiting for the answer…' : 'Send to model'}
        </ChangeButton>
        {busy && (
          <button
            type="button"
            onClick={() => {
              current.cancel();
              other.cancel();
            }}
          >
            Cancel
          </button>
        )}
        {revisions.length > 0 && (
          <label class="inline">
            Compare with
            <select value={compared} onChange={(event) => setCompared(event.currentTarget.value)}>
              <option value="">no other revision</option>
              {revisions.toReversed().map(({ revision, time }) => (
                <option key={revision} value={revision}>
                  revision {revision}, {shortTime(time)}
                </option>
              ))}
            </select>
          </label>
        )}
      </p>
      <div class="columns answers">
        {current.state && <AnswerCard title="Current revision" state={current.state} />}
        {other.state && compared !== '' && <AnswerCard title={`Revision ${compared}`} state={other.state} />}
      </div>
      <AgentTrial {...{ name, values, blocked, compared }} kept={() => setRound((now) => now + 1)} />
      <TrialList name={name} round={round} />
    </>
  );
}

/** Earlier answers, with what each revision took on average. `round` increases after every new answer. */
function TrialList({ name, round }: { name: string; round: number }) {
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

interface Trial {
  readonly state: TrialState | undefined;
  readonly busy: boolean;
  /** Resolves when the answer is complete or failed. */
  start(name: string, values: Readonly<Record<string, string>>): Promise<void>;
  cancel(): void;
}

/** Sends a prompt to the model of the server. Leaving the view cancels the request. */
function useTrial(): Trial {
  const { client } = useConnection();
  const [state, setState] = useState<TrialState | undefined>();
  const [busy, setBusy] = useState(false);
  const running = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const start: Trial['start'] = async (name, values) => {
    const ended = new AbortController();
    running.current = ended;
    setBusy(true);
    setState({ text: '' });
    try {
      const result = await client.tool(
        'try_prompt',
        { name, arguments: values },
        {
          signal: ended.signal,
          onNotification: (_, { message }) =>
            typeof message === 'string' && setState((old) => ({ text: (old?.text ?? '') + message })),
        },
      );
      setState({ text: result.answer, result });
    } catch (error) {
      const problem = ended.signal.aborted ? 'Cancelled.' : asError(error).message;
      setState((old) => ({ text: old?.text ?? '', problem }));
    }
    setBusy(false);
  };
  return { state, busy, start, cancel: () => running.current?.abort() };
}
