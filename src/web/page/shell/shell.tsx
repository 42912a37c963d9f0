import type { ComponentType } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import type { Command } from '../controls/commands.ts';
import { paletteKeys, useShortcuts } from '../controls/commands.ts';
import { Button } from '../controls/fields.tsx';
import { Icon } from '../controls/icon.tsx';
import { useStartHidden } from '../controls/stored-names.ts';
import { PromptsView } from '../prompts/prompts-view.tsx';
import { ReadOnlyMark } from '../shared/buttons.tsx';
import { lazy } from '../shared/lazy.tsx';
import { pathTo, type Route, useRoute } from '../shared/route.ts';
import { useConnection } from '../shared/server-connection.tsx';
import { useLastUndo } from '../shared/toast.tsx';

interface View {
  readonly id: string;
  readonly title: string;
  readonly component: ComponentType<Omit<Route, 'view'>> & { preload?(): void };
}

const views: readonly View[] = [
  { id: 'prompts', title: 'Prompts', component: PromptsView },
  {
    id: 'runs',
    title: 'Runs',
    component: lazy(() => import('../runs/runs-view.tsx'), 'RunsView'),
  },
  {
    id: 'calendar',
    title: 'Calendar',
    component: lazy(() => import('../calendar/calendar-view.tsx'), 'CalendarPage'),
  },
  {
    id: 'server',
    title: 'Server',
    component: lazy(() => import('../server/server-view.tsx'), 'ServerView'),
  },
];

const CommandPalette = lazy(() => import('./command-palette.tsx'), 'CommandPalette');
const ShortcutHelp = lazy(() => import('./command-palette.tsx'), 'ShortcutHelp');

/** How long the page waits before it loads the other views, so that the first one gets the whole line. */
const preloadMs = 3_000;

const themeIcons = { dark: 'moon', light: 'sun', auto: 'auto' } as const;

/** The frame around every view: navigation, commands, connection status and theme switch. */
export function Shell() {
  const route = useRoute();
  const { live } = useConnection();
  const [theme, setTheme] = useState(currentTheme);
  const [dialog, setDialog] = useState<'commands' | 'help' | undefined>();
  // A layout effect runs synchronously, so a reload right after the click keeps the new theme.
  useLayoutEffect(() => applyTheme(theme), [theme]);
  const view = views.find(({ id }) => id === route.view) ?? views[0]!;
  useEffect(() => {
    document.title = `${view.title} · Adjutant`;
  }, [view]);
  // Views that are loaded early open at once, also while the server is restarting.
  useEffect(() => {
    const timer = setTimeout(() => {
      for (const one of [...views.map(({ component }) => component), CommandPalette, ShortcutHelp])
        one.preload?.();
    }, preloadMs);
    return () => clearTimeout(timer);
  }, []);
  const undo = useLastUndo();
  const [startHidden] = useStartHidden();
  const close = () => setDialog(undefined);
  useShortcuts({
    'mod+k': () => setDialog(dialog === 'commands' ? undefined : 'commands'),
    '?': () => setDialog('help'),
    ...Object.fromEntries(views.map(({ id }) => [`g ${id[0]}`, () => go(id)])),
  });
  return (
    <div class="shell">
      <header>
        <a class="brand" href={pathTo('prompts')}>
          Adjutant
        </a>
        <nav aria-label="Views">
          {views.map(({ id, title, component }) => (
            <a
              key={id}
              href={pathTo(id)}
              aria-current={id === view.id ? 'page' : undefined}
              onPointerEnter={() => component.preload?.()}
            >
              {title}
            </a>
          ))}
        </nav>
        {!startHidden && <a href={pathTo('prompts', '+start')}>Get started</a>}
        <ReadOnlyMark />
        <span class={`live ${live ? 'on' : 'off'}`} role="status">
          {live ? 'Connected' : 'Disconnected, reconnecting…'}
        </span>
        <Button
          class="small palette-button"
          onClick={() => setDialog('commands')}
          title="Find commands, prompts, runs and tools"
        >
          <Icon name="search" /> <span class="hidden">Commands</span> <kbd>{paletteKeys}</kbd>
        </Button>
        <Button
          class="plain"
          onClick={() => setDialog('help')}
          aria-label="Keyboard shortcuts"
          title="Keyboard shortcuts (?)"
        >
          <Icon name="help" />
        </Button>
        <Button
          class="plain"
          onClick={() => setTheme(nextTheme(theme))}
          aria-label={`Theme: ${theme}`}
          title={`Theme: ${theme === 'auto' ? 'system setting' : theme}`}
        >
          <Icon name={themeIcons[theme]} />
        </Button>
      </header>
      <main>
        <view.component key={view.id} name={route.name} part={route.part} />
      </main>
      {dialog === 'commands' && (
        <CommandPalette commands={[...undo, ...shellCommands(setTheme, setDialog)]} close={close} />
      )}
      {dialog === 'help' && <ShortcutHelp close={close} />}
    </div>
  );
}

function shellCommands(
  setTheme: (theme: Theme) => void,
  setDialog: (dialog: 'help') => void,
): readonly Command[] {
  const link = (title: string, hint: string, ...path: Parameters<typeof pathTo>): Command => ({
    title,
    hint,
    run: () => {
      location.hash = pathTo(...path);
    },
  });
  return [
    link('New prompt', 'Prompts', 'prompts', '+new'),
    link('New run', 'Runs', 'runs', '+new'),
    ...views.map(({ id, title }) => link(`Go to ${title}`, `g ${id[0]}`, id)),
    link('Get started', 'Prompts', 'prompts', '+start'),
    link('Import or export prompts', 'Prompts', 'prompts', '+exchange'),
    link('Show library problems', 'Prompts', 'prompts', '+problems'),
    link('Show deleted prompts', 'Prompts', 'prompts', '+trash'),
    link('Check that everything works', 'Server', 'server'),
    link('Call a tool', 'Server', 'server', '+tools'),
    ...(['light', 'dark', 'auto'] as const).map((theme) => ({
      title: `Use the ${theme === 'auto' ? 'theme of the system' : `${theme} theme`}`,
      hint: 'Theme',
      run: () => setTheme(theme),
    })),
    { title: 'Show keyboard shortcuts', hint: '?', run: () => setDialog('help') },
  ];
}

function go(view: string): void {
  location.hash = pathTo(view);
}

const key = 'adjutant-theme';
const themes = ['auto', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];

function currentTheme(): Theme {
  return themes.find((theme) => theme === localStorage.getItem(key)) ?? 'auto';
}

function applyTheme(theme: Theme): void {
  localStorage.setItem(key, theme);
  if (theme === 'auto') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

function nextTheme(theme: Theme): Theme {
  return themes[(themes.indexOf(theme) + 1) % themes.length]!;
}
