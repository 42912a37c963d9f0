import { wholeList } from '../../../paging.ts';
import { Icon } from '../controls/icon.tsx';
import { PageHead } from '../controls/page-head.tsx';
import { useActions } from '../shared/actions.tsx';
import { ChangeButton, ConfirmButton } from '../shared/buttons.tsx';
import { goTo, pathTo } from '../shared/route.ts';
import { Pending, useTicks, useTool } from '../shared/server-connection.tsx';
import { shortTime } from '../shared/zone-time.ts';
import { firingTexts, nextText, type Routine, whenText } from './routine.ts';

/** One routine: what it does, when, and what became of each due time. */
export function RoutineDetail({ name }: { readonly name: string }) {
  const { client, invalidate, act, busy } = useActions();
  const ticks = useTicks(10_000);
  const { value, error } = useTool('list_routines', { routine: name, ...wholeList }, ticks, busy);
  const routine = value?.routines[0];
  if (routine === undefined)
    return (
      <>
        <PageHead title="Routine" path={[['Routines', pathTo('routines')]]} />
        <div class="page-body">
          <Pending error={error} />
        </div>
      </>
    );
  const { id, status } = routine;
  const pause = (paused: boolean) => client.tool('update_routine', { routine: id, paused });
  const toggle = () =>
    act(async () => {
      const isActive = status === 'active';
      await pause(isActive);
      invalidate('resources');
      return {
        text: isActive ? `Paused ${routine.name}.` : `${routine.name} is active.`,
        undo: () => pause(!isActive).then(() => ''),
      };
    });
  const run = () =>
    act(async () => {
      const { run_id, reason } = await client.tool('run_routine', { routine: id });
      invalidate('resources');
      if (run_id !== undefined) goTo(pathTo('runs', run_id));
      return { text: run_id === undefined ? (reason ?? 'The run waits.') : `Started ${routine.name}.` };
    });
  const remove = () =>
    act(async () => {
      await client.tool('delete_routine', { routine: id });
      invalidate('resources');
      goTo(pathTo('routines'));
      return { text: `Deleted ${routine.name} with its history.` };
    });
  return (
    <>
      <PageHead
        title={routine.name}
        path={[['Routines', pathTo('routines')]]}
        actions={
          // What a person confirms is shown on Today, whole, and only that is confirmed.
          status === 'unconfirmed' ? (
            <a class="button primary" href={pathTo('today')}>
              Review it on Today
            </a>
          ) : (
            <>
              <ChangeButton tool="update_routine" disabled={busy} onClick={toggle}>
                <Icon name={status === 'active' ? 'pause' : 'routines'} />
                {status === 'active' ? 'Pause' : 'Resume'}
              </ChangeButton>
              <ChangeButton class="primary" tool="run_routine" disabled={busy} onClick={run}>
                Run now
              </ChangeButton>
            </>
          )
        }
      >
        <span class={status === 'unconfirmed' ? 'state needs' : 'quiet'}>{nextText(routine)}</span>
      </PageHead>
      <div class="with-inspector">
        <div class="page-body">
          {routine.pause_reason && <p class="quiet">{routine.pause_reason}</p>}
          <h2>Task</h2>
          <pre class="template">{routine.task}</pre>
          <h2>History</h2>
          {value?.firings?.length === 0 && <p class="quiet">It has not been due yet.</p>}
          <ul class="firings">
            {value?.firings?.map(({ id: firing, due, status: state, reason, result, run_id }) => (
              <li key={firing}>
                <time>{shortTime(due)}</time>
                <span class={state === 'failed' ? 'bad' : ''}>{firingTexts[state]}</span>
                <span class="grow quiet">{reason ?? result}</span>
                {run_id !== undefined && <a href={pathTo('runs', run_id)}>Run</a>}
              </li>
            ))}
          </ul>
        </div>
        <aside class="inspector" aria-label="About this routine">
          <Facts routine={routine} />
          <ConfirmButton
            class="danger small"
            tool="delete_routine"
            question="Delete it with its history"
            confirm={remove}
          >
            Delete
          </ConfirmButton>
        </aside>
      </div>
    </>
  );
}

function Facts({ routine }: { readonly routine: Routine }) {
  const { cwd, agent, model, sandbox, notify, timezone, host, creator, next_due = [] } = routine;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['When', whenText(routine)],
    ['Zone', timezone],
    ['Next', next_due.map((time) => shortTime(time)).join(', ')],
    ['Folder', cwd],
    ['Agent', [agent, model].filter(Boolean).join(' · ')],
    ['Sandbox', sandbox],
    ['Tells', notify],
    ['Machine', host],
    ['Made by', creator],
  ];
  return (
    <dl class="facts">
      {facts.map(
        ([name, text]) =>
          text && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{text}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
