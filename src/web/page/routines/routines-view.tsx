import { Icon } from '../controls/icon.tsx';
import { PageHead } from '../controls/page-head.tsx';
import { counted } from '../controls/words.ts';
import { ChangeLink } from '../shared/buttons.tsx';
import { pathTo } from '../shared/route.ts';
import { Pending, useTicks } from '../shared/server-connection.tsx';
import { shortTime } from '../shared/zone-time.ts';
import { firingTexts, nextText, type Routine, useRoutines, whenText } from './routine.ts';
import { RoutineDetail } from './routine-detail.tsx';
import { RoutineForm } from './routine-form.tsx';

/** Tasks that start by themselves: a list, one of them with its history, or the form for a new one. */
export function RoutinesView({ name }: { readonly name: string | undefined }) {
  if (name === '+new') return <RoutineForm />;
  return name === undefined ? <RoutineList /> : <RoutineDetail key={name} name={name} />;
}

const newRoutine = (
  <ChangeLink class="primary" tool="create_routine" href={pathTo('routines', '+new')}>
    <Icon name="plus" />
    New routine
  </ChangeLink>
);

function RoutineList() {
  const { value, error } = useRoutines(useTicks(30_000));
  const routines = value?.routines ?? [];
  if (value && routines.length === 0)
    return (
      <>
        <PageHead title="Routines" />
        <div class="empty">
          <Icon name="routines" />
          <h2>No routines yet</h2>
          <p>
            A <dfn>routine</dfn> lets an agent do something by itself, such as each morning or before a
            meeting, and tells you what came of it.
          </p>
          <p>{newRoutine}</p>
        </div>
      </>
    );
  return (
    <>
      <PageHead title="Routines" actions={newRoutine}>
        {value && <span class="quiet">{counted(routines.length, 'routine')}</span>}
      </PageHead>
      <div class="page-body">
        {!value && <Pending error={error} />}
        <ul class="card routine-list">
          {routines.map((routine) => (
            <li key={routine.id}>
              <a class="row routine-row" href={pathTo('routines', routine.id)}>
                <Icon name={routine.status === 'active' ? 'routines' : 'pause'} />
                <span class="grow">
                  <b class="cut">{routine.name}</b>
                  <span class="quiet small cut">{whenText(routine)}</span>
                </span>
                <LastFiring routine={routine} />
                <span class={routine.status === 'unconfirmed' ? 'state needs' : 'number small'}>
                  {nextText(routine)}
                </span>
              </a>
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}

function LastFiring({ routine: { last } }: { readonly routine: Routine }) {
  if (last === undefined) return null;
  return (
    <span class={`small only-wide ${last.status === 'failed' ? 'bad' : 'quiet'}`}>
      {firingTexts[last.status]} {shortTime(last.ended ?? last.started ?? last.due)}
    </span>
  );
}
