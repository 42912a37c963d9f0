import { useState } from 'preact/hooks';
import { wholeList } from '../../../paging.ts';
import { ChangeButton } from '../shared/change-button.tsx';
import { useConnection, useLoaded } from '../shared/server-connection.tsx';
import { shortTime } from '../shared/zone-time.ts';
import { AgentTrial } from './agent-trial.tsx';
import { AnswerCard } from './answer-card.tsx';
import { TrialList } from './trial-list.tsx';
import { useTrial } from './use-trial.ts';

interface Props {
  readonly name: string;
  readonly values: Readonly<Record<string, string>>;
  /** Why the prompt cannot be sent yet. */
  readonly blocked: string | undefined;
  /** Only prompts that can be edited have revisions to compare. */
  readonly editable: boolean;
}

/** Sends the filled-in prompt to a model or a sub-agent. Two revisions can be compared on the same input. */
export default function TryPrompt({ name, values, blocked, editable }: Props) {
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
