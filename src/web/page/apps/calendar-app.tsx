import { CalendarPage } from '../calendar/calendar-view.tsx';
import type { EarlierSearch } from '../people/find-time.tsx';
import { useRoute } from '../shared/route.ts';
import { type AppProps, runApp } from './app-frame.tsx';
import { CalendarCard } from './calendar-card.tsx';

/** The next events and, in a larger frame, the calendar of the page: first of the person in the call, then of the one that the user selects. */
function CalendarApp({ call, expanded, expand }: AppProps) {
  const { arguments: args = {}, structuredContent, problem } = call;
  const { name } = useRoute();
  const { user_id, people } = args;
  const asked = Array.isArray(people) ? people[0] : user_id;
  // The server has validated both.
  const earlier = Array.isArray(people) && ({ asked: args, proposals: structuredContent } as unknown);
  const person = name ?? (typeof asked === 'string' ? asked : undefined);
  const search = (earlier || undefined) as EarlierSearch | undefined;
  return (
    <>
      {problem !== undefined && <p class="problem box">{problem}</p>}
      {expanded ? (
        <CalendarPage name={person} earlier={search} inChat />
      ) : (
        <CalendarCard person={person} slots={search?.proposals?.slots} expand={expand} />
      )}
    </>
  );
}

runApp(CalendarApp);
