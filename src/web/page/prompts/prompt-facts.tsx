import { useState } from 'preact/hooks';
import type { ToolAnswer } from '../../../api.ts';
import { wholeList } from '../../../paging.ts';
import { asError, useConnection, useLoaded } from '../shared/server-connection.tsx';

type Shown = ToolAnswer<'show_prompt'>;
type Tested = ToolAnswer<'test_prompts'>;

/** The labels of a prompt, how often it was used, and its tests. */
export function PromptFacts({ prompt }: { prompt: Shown }) {
  const { name, labels = {}, tests = 0 } = prompt;
  const { changes } = useConnection();
  const usage = useLoaded(
    (client, signal) => client.tool('prompt_usage', { name, ...wholeList }, { signal }),
    [name, changes.prompts],
  );
  const used = usage.value?.prompts[0];
  return (
    <>
      <p class="quiet marks">
        {Object.entries(labels).map(([label, revision]) => (
          <span key={label} class="badge" title={`Revision ${revision}`}>
            @{label}
          </span>
        ))}
        {used !== undefined && (
          <span title={Object.keys(used.clients).join(', ')}>
            Used {used.count === 1 ? 'once' : `${used.count} times`} in 30 days, last on {used.last_day}
          </span>
        )}
      </p>
      {tests > 0 && <PromptTests key={`${name} ${prompt.revision}`} name={name} tests={tests} />}
    </>
  );
}

function PromptTests({ name, tests }: { name: string; tests: number }) {
  const { client } = useConnection();
  const [tested, setTested] = useState<Tested | undefined>();
  const [error, setError] = useState<string | undefined>();
  const run = () => {
    setError(undefined);
    return client
      .tool('test_prompts', { names: [name], ...wholeList })
      .then(setTested, (failed) => setError(asError(failed).message));
  };
  return (
    <section aria-label="Tests">
      <p class="marks">
        <button type="button" class="small" onClick={run}>
          Run {tests === 1 ? 'the test' : `${tests} tests`}
        </button>
        {tested !== undefined && (
          <span role="status">
            {tested.passed} passed, {tested.failed} failed, {tested.skipped} skipped
          </span>
        )}
      </p>
      {error !== undefined && <p class="problem">{error}</p>}
      <ul>
        {tested?.results.map(({ test, outcome, failures }) => (
          <li key={test} class={outcome === 'failed' ? 'problem' : 'quiet'}>
            {test}: {outcome}
            {failures.map((failure) => (
              <p key={failure}>{failure}</p>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}
