import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import type { ToolName } from '../../../api.ts';
import type { Command } from '../controls/commands.ts';
import { paletteKeys, useShortcuts } from '../controls/commands.ts';
import { Button } from '../controls/fields.tsx';
import { Icon, type IconName } from '../controls/icon.tsx';
import { PageHead } from '../controls/page-head.tsx';
import { useStartHidden } from '../controls/stored-names.ts';
import { PromptsView } from '../prompts/prompts-view.tsx';
import { useBrowserReminders } from '../shared/browser-reminders.tsx';
import { ReadOnlyMark } from '../shared/buttons.tsx';
import { lazy } from '../shared/lazy.tsx';
import { goTo, pathTo, type Route, useRoute } from '../shared/route.ts';
import { useConnection } from '../shared/server-connection.tsx';
import { useLastUndo } from '../shared/toast.tsx';
import { useAttention } from './attention.ts';
import { type Count, useCounts } from './counts.ts';

interface View {
  /** Also the name of its icon. */
  readonly id: IconName;
  readonly title: string;
  /** The page has a place for it only at the end of the sidebar. */
  readonly last?: boolean;
  /** A phone has no room for it in its bar: it is behind More. */
  readonly wide?: boolean;
  /** The key after `g` that leads to it. */
  readonly key: string;
  /** The view is shown to those who may call this tool. */
  readonly needs?: ToolName;
  readonly component: ComponentType<Omit<Route, 'view' | 'query'>> & { preload?(): void };
}

const allViews: readonly View[] = [
  {
    id: 'today',
    key: 't',
    title: 'Today',
    component: lazy(() => import('../today/today-view.tsx'), 'TodayView'),
  },
  {
    id: 'runs',
    key: 'r',
    title: 'Runs',
    needs: 'list_runs',
    component: lazy(() => import('../runs/runs-view.tsx'), 'RunsView'),
  },
  {
    id: 'calendar',
    key: 'c',
    title: 'Calendar',
    needs: 'list_events',
    component: lazy(() => import('../calendar/calendar-view.tsx'), 'CalendarPage'),
  },
  {
    id: 'prompts',
    key: 'p',
    title: 'Prompts',
    needs: 'list_prompts',
    component: PromptsView,
  },
  {
    id: 'routines',
    key: 'o',
    title: 'Routines',
    needs: 'list_routines',
    wide: true,
    component: lazy(() => import('../routines/routines-view.tsx'), 'RoutinesView'),
  },
  {
    id: 'server',
    key: 's',
    title: 'Server',
    needs: 'server_status',
    last: true,
    component: lazy(() => import('../server/server-view.tsx'), 'ServerView'),
  },
];

const CommandPalette = lazy(() => import('./command-palette.tsx'), 'CommandPalette');
const ShortcutHelp = lazy(() => import('./command-palette.tsx'), 'ShortcutHelp');

/** How long the page waits before it loads the other views, so that the first one gets the whole line. */
const preloadMs = 3_000;

const themeIcons = { dark: 'moon', light: 'sun', auto: 'auto' } as const;

/** The frame around every view: navigation, commands, connection status and theme switch. */
export function Shell({ signOut }: { readonly signOut: () => void }) {
  const route = useRoute();
  const { live, mayCall } = useConnection();
  const views = allViews.filter(({ needs }) => needs === undefined || mayCall(needs));
  const [theme, setTheme] = useState(currentTheme);
  const [dialog, setDialog] = useState<'commands' | 'help' | undefined>();
  // A layout effect runs synchronously, so a reload right after the click keeps the new theme.
  useLayoutEffect(() => applyTheme(theme), [theme]);
  // A link of somebody else may lead to a view that this token does not have.
  const view = allViews.find(({ id }) => id === route.view) ?? allViews[0]!;
  const counts = useCounts();
  useAttention();
  const waiting = counts['today']?.value ?? 0;
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${view.title} · Adjutant`;
  }, [view, waiting]);
  // Views that are loaded early open at once, also while the server is restarting.
  useEffect(() => {
    const timer = setTimeout(() => {
      for (const one of [...views.map(({ component }) => component), CommandPalette, ShortcutHelp])
        one.preload?.();
    }, preloadMs);
    return () => clearTimeout(timer);
  }, []);
  useBrowserReminders();
  const undo = useLastUndo();
  const [startHidden] = useStartHidden();
  const close = () => setDialog(undefined);
  useShortcuts({
    'mod+k': () => setDialog(dialog === 'commands' ? undefined : 'commands'),
    '?': () => setDialog('help'),
    ...Object.fromEntries(views.map(({ id, key: letter }) => [`g ${letter}`, () => go(id)])),
  });
  const links = (last: boolean) =>
    views
      .filter((one) => Boolean(one.last) === last)
      .map((one) => <NavLink key={one.id} view={one} current={one === view} count={counts[one.id]} />);
  return (
    <div class="app">
      <nav class="nav" aria-label="Views">
        <a class="nav-brand" href={pathTo('today')} aria-label="Adjutant">
          <Icon name="mark" class="nav-mark" />
          <span>Adjutant</span>
        </a>
        <NavButton
          icon="search"
          label="Search"
          title="Find commands, prompts, runs and tools"
          onClick={() => setDialog('commands')}
        >
          <kbd>{paletteKeys}</kbd>
        </NavButton>
        {links(false)}
        <NavButton icon="more" label="More" class="nav-more" onClick={() => setDialog('commands')} />
        <span class="nav-gap" />
        <span class={`live ${live ? 'on hidden' : 'off'}`} role="status">
          {live ? 'Connected' : 'Disconnected, reconnecting…'}
        </span>
        <span class="nav-note">
          <ReadOnlyMark />
        </span>
        {!startHidden && mayCall('list_prompts') && (
          <a class="nav-item nav-wide" href={pathTo('prompts', '+start')} title="Get started">
            <Icon name="plan" />
            <span class="nav-label">Get started</span>
          </a>
        )}
        {links(true)}
        <NavButton
          icon="ask"
          label="Shortcuts"
          name="Keyboard shortcuts"
          title="Keyboard shortcuts (?)"
          class="nav-wide nav-help"
          onClick={() => setDialog('help')}
        />
        <NavButton
          icon={themeIcons[theme]}
          label="Theme"
          name={`Theme: ${theme}`}
          title={`Theme: ${theme === 'auto' ? 'system setting' : theme}`}
          class="nav-wide nav-theme"
          onClick={() => setTheme(nextTheme(theme))}
        />
        <NavButton
          icon="person"
          label="Sign out"
          title="Forget the token and the drafts in this browser"
          onClick={signOut}
        />
      </nav>
      <main class="page">
        {views.includes(view) ? (
          <view.component key={view.id} name={route.name} part={route.part} />
        ) : (
          <Refused title={view.title} />
        )}
      </main>
      {dialog === 'commands' && (
        <CommandPalette
          commands={[...undo, ...shellCommands(views, mayCall, setTheme, setDialog, signOut)]}
          close={close}
        />
      )}
      {dialog === 'help' && <ShortcutHelp close={close} />}
    </div>
  );
}

function Refused({ title }: Pick<View, 'title'>) {
  return (
    <>
      <PageHead title={title} />
      <div class="empty">
        <p>This token may not use {title}. The owner of the server can create one that may.</p>
      </div>
    </>
  );
}

interface NavLinkProps {
  readonly view: View;
  readonly current: boolean;
  readonly count: Count | undefined;
}

function NavLink({ view: { id, title, last, wide, component }, current, count }: NavLinkProps) {
  return (
    <a
      class={`nav-item ${last || wide ? 'nav-wide' : ''}`}
      href={pathTo(id)}
      title={title}
      aria-current={current ? 'page' : undefined}
      onPointerEnter={() => component.preload?.()}
    >
      <Icon name={id} />
      <span class="nav-label">{title}</span>{' '}
      {count && (
        <span class={`count ${count.needs ? 'needs' : ''}`}>
          {count.value}
          <span class="hidden"> {count.label}</span>
        </span>
      )}
    </a>
  );
}

interface NavButtonProps {
  readonly icon: IconName;
  readonly label: string;
  /** The name for screen readers, which begins with the label. */
  readonly name?: string;
  readonly title?: string;
  readonly class?: string;
  readonly children?: ComponentChildren;
  onClick(): void;
}

function NavButton({ icon, label, name, class: look = 'nav-wide', children, ...button }: NavButtonProps) {
  return (
    <Button class={`nav-item ${look}`} aria-label={name} {...button}>
      <Icon name={icon} />
      <span class="nav-label">{label}</span>
      {children}
    </Button>
  );
}

function shellCommands(
  views: readonly View[],
  mayCall: (tool: ToolName) => boolean,
  setTheme: (theme: Theme) => void,
  setDialog: (dialog: 'help') => void,
  signOut: () => void,
): readonly Command[] {
  const link = (title: string, hint: string, ...path: Parameters<typeof pathTo>): Command => ({
    title,
    hint,
    run: () => goTo(pathTo(...path)),
  });
  /** The commands that lead to this, for those who may use it. */
  const ifAllowed = (tool: ToolName, ...links: readonly Command[]) => (mayCall(tool) ? links : []);
  return [
    ...ifAllowed('create_prompt', link('New prompt', 'Prompts', 'prompts', '+new')),
    ...ifAllowed('delegate_run', link('New run', 'Runs', 'runs', '+new')),
    ...views.map(({ id, key: letter, title }) => link(`Go to ${title}`, `g ${letter}`, id)),
    ...ifAllowed('create_routine', link('New routine', 'Routines', 'routines', '+new')),
    ...ifAllowed(
      'list_prompts',
      link('Get started', 'Prompts', 'prompts', '+start'),
      link('Import or export prompts', 'Prompts', 'prompts', '+exchange'),
      link('Show library problems', 'Prompts', 'prompts', '+problems'),
    ),
    ...ifAllowed('list_deleted_prompts', link('Show deleted prompts', 'Prompts', 'prompts', '+trash')),
    ...ifAllowed(
      'server_status',
      link('Check that everything works', 'Server', 'server'),
      link('Call a tool', 'Server', 'server', '+tools'),
    ),
    ...(['light', 'dark', 'auto'] as const).map((theme) => ({
      title: `Use the ${theme === 'auto' ? 'theme of the system' : `${theme} theme`}`,
      hint: 'Theme',
      run: () => setTheme(theme),
    })),
    { title: 'Sign out', hint: 'This browser', run: signOut },
    { title: 'Show keyboard shortcuts', hint: '?', run: () => setDialog('help') },
  ];
}

function go(view: string): void {
  goTo(pathTo(view));
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
