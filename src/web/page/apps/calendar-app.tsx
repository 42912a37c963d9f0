import { CalendarPage } from '../calendar/calendar-view.tsx';
import type { EarlierSearch } from '../people/find-time.tsx';
import { useRoute } from '../shared/route.ts';
import { type AppProps, runApp } from './app-frame.tsx';

/** The calendar of the page: first of the person in the call, then of the one that the user selects. */
function CalendarApp({ call: { arguments: args = {}, structuredContent, problem } }: AppProps) {
  const { name } = useRoute();
  const { user_id, people } = args;
  const asked = Array.isArray(people) ? people[0] : user_id;
  // The server has validated both.
  const earlier = Array.isArray(people) && ({ asked: args, proposals: structuredContent } as unknown);
  return (
    <>
      {problem !== undefined && <p class="problem box">{problem}</p>}
      <CalendarPage
        name={name ?? (typeof asked === 'string' ? asked : undefined)}
        earlier={(earlier || undefined) as EarlierSearch | undefined}
      />
    </>
  );
}

runApp(CalendarApp);
