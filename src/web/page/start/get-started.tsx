import type { ComponentChildren } from 'preact';
import { paletteKeys } from '../controls/shortcuts.ts';
import { CopyButton } from '../shared/copy-button.tsx';
import { type Finding, useHealth } from '../shared/health.ts';
import { pathTo } from '../shared/route.ts';
import { SampleData } from '../shared/sample-data.tsx';
import { useConnection, useLoaded } from '../shared/server-connection.tsx';

/** The first steps, with what is done already. */
export default function GetStarted({ hide }: { hide?: (() => void) | undefined }) {
  const { changes } = useConnection();
  const { value: health, error, checkAgain } = useHealth();
  const own = useLoaded(
    (client, signal) => client.tool('list_prompts', { source: 'user', limit: 1 }, { signal }),
    [changes.prompts],
  );
  const runs = useLoaded((client, signal) => client.tool('list_runs', { limit: 1 }, { signal }), []);
  const codex = health?.findings.filter(({ title }) => title.startsWith('Codex'));
  const clients = health?.findings.filter(({ title, client }) => title === 'Clients' || client);
  return (
    <div class="start">
      <h1>Get started</h1>
      <p class="quiet">
        Adjutant gives your AI programs a library of prompts, sub-agents that work in the background, and a
        calendar that sends reminders.
      </p>
      {error && <p class="problem">{error.message}</p>}
      <ol class="steps">
        <Step title="Connect a client" done={clients?.every(({ state }) => state === 'good')}>
          <p>
            A client is the program in which you chat with a model, such as Claude Code, Codex or Cursor. Run
            this on the machine of the server, and the client finds Adjutant:
          </p>
          <Commands texts={['adjutant install claude', 'adjutant install codex']} />
          <Findings findings={clients} />
        </Step>
        <Step title="Check Codex" done={codex?.every(({ state }) => state === 'good')}>
          <p>Sub-agents are run by the program codex. It needs a login and a sandbox that works.</p>
          <Findings findings={codex} />
          <p>
            <button type="button" class="small" onClick={checkAgain}>
              Check again
            </button>
          </p>
        </Step>
        <Step title="Save your first prompt" done={own.value && own.value.total > 0}>
          <p>
            A prompt is a text that you use again and again, with blanks to fill in.{' '}
            <a href={pathTo('prompts', '+new')}>Create a prompt</a>, or{' '}
            <a href={pathTo('prompts', '+exchange')}>import the prompts of another program</a>.
          </p>
        </Step>
        <Step title="Watch your first run" done={runs.value && runs.value.runs.length > 0}>
          <p>
            A run is one task that a sub-agent works on. <a href={pathTo('runs', '+new')}>Start a run</a>, and
            watch what the agent does.
          </p>
        </Step>
      </ol>
      <p>
        <SampleData action="load" /> adds a few prompts, a calendar and two runs to look at. You can remove
        them under Server.
      </p>
      <p class="quiet">
        Press <kbd>{paletteKeys}</kbd> to find anything, <kbd>/</kbd> to search prompts, <kbd>?</kbd> for all
        shortcuts. Type <kbd>#</kbd> in the search to find prompts by tag.
      </p>
      {hide && (
        <p>
          <button type="button" class="small" onClick={hide}>
            Do not show this again
          </button>
        </p>
      )}
    </div>
  );
}

interface StepProps {
  readonly title: string;
  /** Undefined while it is not known. */
  readonly done: boolean | undefined;
  readonly children: ComponentChildren;
}

function Step({ title, done, children }: StepProps) {
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

function Commands({ texts }: { texts: readonly string[] }) {
  return (
    <>
      {texts.map((text) => (
        <p key={text} class="command">
          <code>{text}</code> <CopyButton text={text} />
        </p>
      ))}
    </>
  );
}

function Findings({ findings }: { findings: readonly Finding[] | undefined }) {
  return (
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
  );
}
