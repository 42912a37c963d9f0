import { CalendarPage } from '../calendar/calendar-page.tsx';
import { useRoute } from '../shared/route.ts';
import { type AppProps, runApp } from './app-frame.tsx';

/** The calendar of the page: first of the person in the call, then of the one that the user selects. */
function CalendarApp({ call: { arguments: args } }: AppProps) {
  const { name } = useRoute();
  const asked = args?.['user_id'];
  return <CalendarPage name={name ?? (typeof asked === 'string' ? asked : undefined)} />;
}

runApp(CalendarApp);
