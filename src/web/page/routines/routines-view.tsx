import type { ToolAnswer } from '../../../api.ts';
import { wholeList } from '../../../paging.ts';
import { Icon } from '../controls/icon.tsx';
import { PageHead } from '../controls/page-head.tsx';
import { counted } from '../controls/words.ts';
import { ChangeLink } from '../shared/buttons.tsx';
import { pathTo } from '../shared/route.ts';
import { Pending, useConnection, useTicks, useTool } from '../shared/server-connection.tsx';
import { shortTime } from '../shared/zone-time.ts';
import { RoutineDetail } from './routine-detail.tsx';
import { RoutineForm } from './routine-form.tsx';

export type Routine = ToolAnswer<'list_routines'>['routines'][number];

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
  const { changes } = useConnection();
  const { value, error } = useTool('list_routines', wholeList, changes.resources, useTicks(30_000));
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
                <span class="number small routine-next">{nextText(routine)}</span>
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

/** How the state of a due time is called. */
export const firingTexts = {
  due: 'due',
  starting: 'starts',
  running: 'in progress since',
  completed: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
  skipped: 'skipped',
} as const;

/** When a routine is due, in words. */
export function whenText({ when }: Pick<Routine, 'when'>): string {
  if (typeof when === 'string') return when;
  const { before, after, match = {} } = when;
  const matches = Object.entries(match).map(([key, value]) => `${key} “${value}”`);
  const events = matches.length === 0 ? 'every event' : `events with ${matches.join(' and ')}`;
  return before === undefined ? `${after ?? ''} after ${events}` : `${before} before ${events}`;
}

/** The next due time of a routine, or why it has none. */
export function nextText({ status, next_due: [next] = [] }: Routine): string {
  if (status === 'unconfirmed') return 'waits for you';
  if (status === 'paused') return 'paused';
  return next === undefined ? '' : shortTime(next);
}
