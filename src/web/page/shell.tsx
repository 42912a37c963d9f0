import type { ComponentType } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { CalendarPage } from './calendar/calendar-page.tsx';
import { PromptsView } from './prompts/prompts-view.tsx';
import { RunsView } from './runs/runs-view.tsx';
import { ServerView } from './server/server-view.tsx';
import { ReadOnlyMark } from './shared/change-button.tsx';
import { pathTo, useRoute } from './shared/route.ts';
import { useConnection } from './shared/server-connection.tsx';
import { applyTheme, currentTheme, nextTheme } from './shared/theme.ts';

export interface View {
  readonly id: string;
  readonly title: string;
  readonly component: ComponentType<{ name: string | undefined }>;
}

const views: readonly View[] = [
  { id: 'prompts', title: 'Prompts', component: PromptsView },
  { id: 'runs', title: 'Runs', component: RunsView },
  { id: 'calendar', title: 'Calendar', component: CalendarPage },
  { id: 'server', title: 'Server', component: ServerView },
];

/** The frame around every view: navigation, connection status and theme switch. */
export function Shell() {
  const route = useRoute();
  const { live } = useConnection();
  const [theme, setTheme] = useState(currentTheme);
  // A layout effect runs synchronously, so a reload right after the click keeps the new theme.
  useLayoutEffect(() => applyTheme(theme), [theme]);
  const view = views.find(({ id }) => id === route.view) ?? views[0]!;
  useEffect(() => {
    document.title = `${view.title} · Adjutant`;
  }, [view]);
  return (
    <div class="shell">
      <header>
        <a class="brand" href={pathTo('prompts')}>
          Adjutant
        </a>
        <nav aria-label="Views">
          {views.map(({ id, title }) => (
            <a key={id} href={pathTo(id)} aria-current={id === view.id ? 'page' : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <ReadOnlyMark />
        <span class={`live ${live ? 'on' : 'off'}`} role="status">
          {live ? 'Connected' : 'Disconnected, reconnecting…'}
        </span>
        <button
          type="button"
          class="plain"
          onClick={() => setTheme(nextTheme(theme))}
          aria-label={`Theme: ${theme}`}
          title={`Theme: ${theme === 'auto' ? 'system setting' : theme}`}
        >
          {theme === 'dark' ? '☾' : theme === 'light' ? '☀' : '◐'}
        </button>
      </header>
      <main>
        <view.component key={view.id} name={route.name} />
      </main>
    </div>
  );
}
