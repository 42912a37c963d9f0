import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { paletteKeys } from '../controls/commands.ts';
import { Button } from '../controls/fields.tsx';
import { useStartHidden } from '../controls/stored-names.ts';
import { BrowserReminders } from '../shared/browser-reminders.tsx';
import { type Finding, useHealth } from '../shared/health.ts';
import { pathTo } from '../shared/route.ts';
import { SampleData } from '../shared/sample-data.tsx';
import { useConnection, useTool } from '../shared/server-connection.tsx';
import { ConnectClients } from './connect-clients.tsx';

/** The first steps, with what is done already. */
export function GetStarted() {
  const { changes } = useConnection();
  const [hidden, toggleHidden] = useStartHidden();
  const { value: health, error, checking, checkAgain } = useHealth();
  const own = useTool('list_prompts', { source: 'user', limit: 1 }, changes.prompts);
  const runs = useTool('list_runs', { limit: 1 });
  const sent = useTool('list_notifications', { days_back: 365 }, changes.resources);
  const agents = health?.findings.filter(({ title }) => /^(Codex|Agent )/.test(title));
  const codex = agents?.filter(({ title }) => title.startsWith('Codex'));
  const clients = health?.findings.filter(({ title, client }) => title === 'Clients' || client);
  const done = {
    client: clients?.every(({ state }) => state === 'good'),
    agents:
      agents?.some(({ title, state }) => title.startsWith('Agent ') && state === 'good') ||
      codex?.every(({ state }) => state === 'good'),
    prompt: own.value && own.value.total > 0,
    run: runs.value && runs.value.runs.length > 0,
    reminder: sent.value?.notifications.some(({ sent_time }) => sent_time !== undefined),
  };
  const allDone = Object.values(done).every((one) => one === true);
  // Nobody needs the link to this page any more.
  useEffect(() => {
    if (allDone && !hidden) toggleHidden();
  }, [allDone]);
  return (
    <div class="start">
      <h1>Get started</h1>
      <p class="quiet">
        Adjutant gives your AI programs a collection of prompts, a calendar that sends reminders, and{' '}
        <dfn>sub-agents</dfn>: programs such as Codex that work on a task in the background.
      </p>
      {allDone && <p role="status">You have done everything on this page.</p>}
      {error && <p class="problem">{error.message}</p>}
      <ol class="first-steps">
        <StartStep title="Connect a client" done={done.client}>
          <p>
            A <dfn>client</dfn> is the program in which you chat with a model, such as Claude Code, Codex or
            Cursor.
          </p>
          <ConnectClients connected={checkAgain} />
          <StepFindings findings={clients} checking={checking} checkAgain={checkAgain} />
        </StartStep>
        <StartStep title="Check your sub-agents" done={done.agents}>
          <p>
            An <dfn>agent</dfn> is a program that works on a task by itself, such as Codex or Claude Code.
            Install one and sign in to it. A <dfn>sandbox</dfn> limits which files it can change.
          </p>
          <StepFindings findings={agents} checking={checking} checkAgain={checkAgain} />
        </StartStep>
        <StartStep title="Save and use your first prompt" done={done.prompt}>
          <p>
            A <dfn>prompt</dfn> is a text that you use again and again, with blanks to fill in. In every
            client, you write a colon and its name to use it.{' '}
            <a href={pathTo('prompts', '+new')}>Create a prompt</a>, or{' '}
            <a href={pathTo('prompts', '+exchange')}>import the prompts of another program</a>.
          </p>
        </StartStep>
        <StartStep title="Watch your first run" done={done.run}>
          <p>
            A <dfn>run</dfn> is one task that a sub-agent works on, with its steps, its result and its
            changes. <a href={pathTo('runs', '+new')}>Start a run</a>, and watch what it does.
          </p>
        </StartStep>
        <StartStep title="Get your first reminder" done={done.reminder}>
          <p>
            The calendar reminds people of their events on the desktop, by mail, phone or chat.{' '}
            <a href={pathTo('today')}>Set a reminder for yourself</a>, which appears on the desktop of this
            machine, or <a href={pathTo('calendar')}>add a person and an event</a>. Until you set up a mail
            server, mails go to the <dfn>outbox</dfn>, a folder in which you can read the messages.
          </p>
          <BrowserReminders />
        </StartStep>
      </ol>
      <p>
        <SampleData action="load" /> adds a few prompts, a calendar and two runs to look at. You can remove
        them under Server.
      </p>
      <p class="quiet">
        Press <kbd>{paletteKeys}</kbd> to find anything, <kbd>/</kbd> to search prompts, <kbd>?</kbd> for all
        shortcuts. Type <kbd>#</kbd> in the search to find prompts by tag.
      </p>
      {!hidden && (
        <p>
          <Button class="small" onClick={toggleHidden}>
            Do not show this again
          </Button>
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

/** One of the first steps. It is collapsed once it is done. */
function StartStep({ title, done, children }: StepProps) {
  return (
    <li class={`card ${done ? 'done' : ''}`}>
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

interface FindingsProps {
  readonly findings: readonly Finding[] | undefined;
  readonly checking: boolean;
  checkAgain(): void;
}

/** What the server's checks found for a step, and a button that checks again. */
function StepFindings({ findings, checking, checkAgain }: FindingsProps) {
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
        <Button class="small" disabled={checking} onClick={checkAgain}>
          {checking ? 'Checking…' : 'Check again'}
        </Button>
      </p>
    </>
  );
}
