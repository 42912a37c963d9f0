import { useEffect, useRef, useState } from 'preact/hooks';
import type { ToolAnswer } from '../../../api.ts';
import { wholeList } from '../../../paging.ts';
import { Button, FolderField, Problem, SelectField } from '../controls/fields.tsx';
import { counted } from '../controls/words.ts';
import { RunTimeline } from '../runs/run-timeline.tsx';
import { ChangeButton, CopyButton } from '../shared/buttons.tsx';
import { useDraft } from '../shared/drafts.tsx';
import { pathTo, useAddressed } from '../shared/route.ts';
import { asError, useConnection, useLoaded, useTool, useUpdates } from '../shared/server-connection.tsx';
import { shortTime } from '../shared/zone-time.ts';
import { type Progress, type TrialWork, tryWithAgent, tryWithModel } from './trial.ts';

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
  const [compared, setCompared] = useAddressed<string>('with', '');
  const draft = useDraft('trial', name, () => ({ cwd: '' }));
  const { cwd } = draft.fields;
  const [begun] = useState(draft.edited);
  const [round, setRound] = useState(0);
  const [model, agent] = [usePair(compared), usePair(compared)];
  const history = useLoaded(
    async (client, signal) =>
      editable ? (await client.tool('prompt_history', { name, ...wholeList }, { signal })).revisions : [],
    [name, editable, changes.prompts],
  );
  const revisions = (history.value ?? []).filter(({ prompt }) => prompt !== undefined);
  const finished = () => setRound((now) => now + 1);
  return (
    <>
      <h2>Try it</h2>
      {blocked && <p class="quiet">{blocked}</p>}
      <p class="buttons">
        <ChangeButton
          class="primary"
          tool="try_prompt"
          disabled={model.busy || blocked !== undefined}
          onClick={() => model.start((revision) => tryWithModel({ name, values, revision })).then(finished)}
        >
          {model.busy ? 'Waiting for the answer…' : 'Send to model'}
        </ChangeButton>
        {model.busy && <Button onClick={model.cancel}>Cancel</Button>}
        {revisions.length > 0 && (
          <SelectField
            class="inline"
            label="Compare with"
            value={compared}
            options={[
              ['', 'no other revision'],
              ...revisions
                .toReversed()
                .map(
                  ({ revision, time }) =>
                    [`${revision}`, `revision ${revision}, ${shortTime(time)}`] as const,
                ),
            ]}
            change={setCompared}
          />
        )}
      </p>
      <Answers states={model.states} compared={compared} />
      <details open={begun}>
        <summary>Give it to a sub-agent instead</summary>
        <form
          data-form={draft.form}
          onSubmit={(event) => {
            event.preventDefault();
            void agent.start((revision) => tryWithAgent({ name, values, revision, cwd })).then(finished);
          }}
        >
          <FolderField
            {...draft.field('cwd')}
            hint="A folder on the server's machine. The sub-agent can only read it."
          />
          <ChangeButton type="submit" tool="try_prompt" disabled={agent.busy || blocked !== undefined}>
            {agent.busy ? 'Running…' : compared === '' ? 'Start the sub-agent' : 'Start two sub-agents'}
          </ChangeButton>
        </form>
        <Answers states={agent.states} compared={compared} by="Sub-agent, " />
      </details>
      <TrialList name={name} round={round} />
    </>
  );
}

interface TrialState extends Progress {
  readonly result?: ToolAnswer<'try_prompt'>;
  readonly problem?: string;
}

/** A trial of the current revision, and one of the compared revision. Leaving the view ends both. */
function usePair(compared: string) {
  const [one, other] = [useTrial(), useTrial()];
  return {
    states: [one.state, other.state] as const,
    busy: [one.state, other.state].some((state) => state && !state.result && !state.problem),
    async start(work: (revision: string | undefined) => TrialWork) {
      await Promise.all([one.start(work(undefined)), compared !== '' && other.start(work(compared))]);
    },
    cancel() {
      one.cancel();
      other.cancel();
    },
  };
}

function useTrial() {
  const { client } = useConnection();
  const [state, setState] = useState<TrialState | undefined>();
  const running = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const start = async (work: TrialWork) => {
    const ended = new AbortController();
    running.current = ended;
    const { signal } = ended;
    setState({ text: '' });
    try {
      const result = await work(client, signal, (change) =>
        setState((now) => ({
          text: (now?.text ?? '') + (change.text ?? ''),
          runId: change.runId ?? now?.runId,
        })),
      );
      setState((now) => ({ runId: now?.runId, text: result.answer, result }));
    } catch (error) {
      const problem = signal.aborted ? 'Cancelled.' : asError(error).message;
      setState((now) => ({ text: '', ...now, problem }));
    }
  };
  return { state, start, cancel: () => running.current?.abort() };
}

interface AnswersProps {
  readonly states: readonly (TrialState | undefined)[];
  readonly compared: string;
  /** Who answers, before the name of the revision. */
  readonly by?: string;
}

function Answers({ states: [current, other], compared, by = '' }: AnswersProps) {
  const title = (text: string) => (by === '' ? text : `${by}${text.toLowerCase()}`);
  return (
    <div class="columns answers">
      {current && <Answer title={title('Current revision')} state={current} byAgent={by !== ''} />}
      {other && compared !== '' && (
        <Answer title={title(`Revision ${compared}`)} state={other} byAgent={by !== ''} />
      )}
    </div>
  );
}

/** An answer, shown while it arrives, with what a sub-agent does for it. */
function Answer({ title, state, byAgent }: { title: string; state: TrialState; byAgent: boolean }) {
  const { text, runId, result, problem } = state;
  const open = result === undefined && problem === undefined;
  const updates = useUpdates(`runs://${runId ?? ''}/events.jsonl`);
  return (
    <section aria-label={title}>
      <h3 class="with-button">
        {title} <CopyButton text={text} />
      </h3>
      <Problem text={problem} />
      {(text !== '' || (open && !byAgent)) && (
        <pre class="result" role="status" aria-busy={open}>
          {text || '…'}
        </pre>
      )}
      {result && <p class="quiet">{cost(result)}</p>}
      {byAgent && runId === undefined && open && <p class="quiet">Starting…</p>}
      {runId !== undefined && (
        <>
          <RunTimeline {...{ runId, open, updates }} />
          <p>
            <a href={pathTo('runs', runId)}>Show the run</a>
          </p>
        </>
      )}
    </section>
  );
}

/** What an answer took: `12 + 340 tokens, 2.1 s, gpt-x`. */
function cost({ input_tokens, output_tokens, duration_ms, model }: ToolAnswer<'try_prompt'>): string {
  return `${input_tokens.toLocaleString()} + ${output_tokens.toLocaleString()} tokens, ${(duration_ms / 1000).toFixed(1)} s, ${model}`;
}

/** Earlier answers, with what each revision took on average. `round` increases after every new answer. */
function TrialList({ name, round }: { name: string; round: number }) {
  const { value } = useTool('list_trials', { name, ...wholeList }, round);
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
            {title}: {counted(own.length, 'answer')}, on average{' '}
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
