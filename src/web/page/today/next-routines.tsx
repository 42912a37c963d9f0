import { Icon } from '../controls/icon.tsx';
import { useRoutines } from '../routines/routine.ts';
import { pathTo } from '../shared/route.ts';
import { useTicks } from '../shared/server-connection.tsx';
import { shortTime } from '../shared/zone-time.ts';

/** The routines that start next, and those that are paused. Shown as soon as there is one. */
export function NextRoutines() {
  const { value } = useRoutines(useTicks(60_000));
  const routines = value?.routines ?? [];
  if (routines.length === 0) return null;
  const byTime = routines
    .map(({ next_due: [next] = [], ...routine }) => ({ ...routine, next }))
    .toSorted((one, other) => ((one.next ?? '~') < (other.next ?? '~') ? -1 : 1));
  return (
    <section aria-labelledby="next">
      <div class="section-head">
        <h2 id="next">Next routines</h2>
      </div>
      <ul class="small">
        {byTime.map(({ id, name, status, next }) => (
          <li key={id}>
            <a class={`row next-row ${status === 'active' ? '' : 'quiet'}`} href={pathTo('routines', id)}>
              <Icon name={status === 'active' ? 'routines' : 'pause'} />
              <span class="grow cut">{name}</span>
              {status === 'active' && next ? <time class="quiet">{shortTime(next)}</time> : status}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
