import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type Command, matchingCommands, offeredCommands, paletteKeys } from '../controls/commands.ts';
import { Dialog } from '../controls/dialog.tsx';
import { keyOf } from '../events/calendar-data.ts';
import { type InboxItem, useInbox } from '../shared/inbox.tsx';
import type { McpClient } from '../shared/mcp-client.ts';
import { goTo, pathTo } from '../shared/route.ts';
import { useConnection } from '../shared/server-connection.tsx';
import { nextIndex } from '../shared/windowed-list.tsx';
import { dayTitle } from '../shared/zone-time.ts';

/** Most entries of each kind. */
const maxEntries = 8;
const debounceMs = 120;

/** Finds and runs commands, and opens prompts, runs, events and tools by name. */
export function CommandPalette({ commands, close }: { commands: readonly Command[]; close(): void }) {
  const { client } = useConnection();
  const [query, setQuery] = useState('');
  const [found, setFound] = useState<readonly Command[]>([]);
  /** The query that every search has answered. */
  const [answered, setAnswered] = useState('');
  const [chosen, setChosen] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const { value: inbox } = useInbox();
  const own = useMemo(
    () => [...(inbox?.items ?? []).map(waitingCommand), ...offeredCommands(), ...commands],
    [commands, inbox],
  );
  useEffect(() => {
    setFound([]);
    if (query.trim() === '') return setAnswered(query);
    const ended = new AbortController();
    const timer = setTimeout(async () => {
      const lists: (readonly Command[])[] = [];
      const searches = [findPrompts, findRuns, findEvents, findTools].map(async (find, index) => {
        // A client without the rights for one of these lists still finds the others.
        lists[index] = await find(client, query.trim(), ended.signal).catch(() => []);
        // The first answers are shown while slower ones are on their way.
        if (!ended.signal.aborted) setFound(lists.flat());
      });
      await Promise.all(searches);
      if (!ended.signal.aborted) setAnswered(query);
    }, debounceMs);
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [client, query]);
  const matches = [...matchingCommands(own, query), ...(query.trim() === '' ? [] : found)];
  const at = Math.min(chosen, Math.max(0, matches.length - 1));
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  const run = (command: Command | undefined) => {
    if (command === undefined) return;
    close();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = event.key.startsWith('Arrow') ? nextIndex(event.key, at, matches.length) : undefined;
    if (next === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    if (next === undefined) run(matches[at]);
    else setChosen(next);
  };
  return (
    <Dialog title="Command palette" bare close={close}>
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-autocomplete="list"
        {...(matches.length > 0 && { 'aria-activedescendant': `palette-${at}` })}
        aria-label="Search commands, prompts, runs, events and tools"
        placeholder="Search or jump to"
        value={query}
        onInput={(event) => {
          setQuery(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div ref={list} id="palette-list" class="palette" role="listbox" aria-label="Results" tabIndex={-1}>
        {matches.map((command, index) => (
          <div
            key={`${command.title} ${command.hint} ${command.keywords}`}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === at}
            tabIndex={-1}
            onPointerMove={() => setChosen(index)}
            onPointerUp={() => run(command)}
          >
            <span class="cut">{command.title}</span>
            {command.hint && <span class="quiet">{command.hint}</span>}
          </div>
        ))}
      </div>
      <p class="quiet palette-state" role="status">
        {answered !== query ? 'Searching…' : matches.length === 0 && 'Nothing found.'}
      </p>
    </Dialog>
  );
}

/** What waits for the person, also for those who ask for it in these words. */
const waitingCommand = ({ id, title, detail = '' }: InboxItem): Command => ({
  title,
  hint: 'Needs you',
  keywords: `${detail} what waits for you needs you inbox`,
  run: () => goTo(pathTo('today', id)),
});

type Find = (client: McpClient, query: string, signal: AbortSignal) => Promise<readonly Command[]>;

const findPrompts: Find = async (client, query, signal) => {
  const { matches } = await client.tool('search_prompts', { query, limit: maxEntries }, { signal });
  return matches.map(({ name, title }) => ({
    title: title ?? name,
    hint: 'Prompt',
    run: () => open('prompts', name),
  }));
};

const findRuns: Find = async (client, query, signal) => {
  const { runs } = await client.tool('list_runs', { limit: 200 }, { signal });
  const entries = runs.map(({ run_id, task }) => ({
    title: task?.split('\n')[0] || run_id,
    keywords: run_id,
    hint: 'Run',
    run: () => open('runs', run_id),
  }));
  return matchingCommands(entries, query).slice(0, maxEntries);
};

const findEvents: Find = async (client, query, signal) => {
  const { events } = await client.tool('list_events', { query, limit: maxEntries }, { signal });
  return events.map((event) => {
    const day = event.start_ts.slice(0, 10);
    return {
      title: event.title,
      hint: dayTitle(day, 'day'),
      keywords: keyOf(event),
      run: () => goTo(pathTo('calendar', event.user_id, 'event', { event: keyOf(event), day })),
    };
  });
};

const findTools: Find = async (client, query, signal) => {
  const { tools } = await client.request<{ tools: readonly { name: string; title?: string }[] }>(
    'tools/list',
    {},
    { signal },
  );
  const entries = tools.map(({ name, title = name }) => ({
    title: `Call ${title}`,
    keywords: `${name} tool`,
    hint: 'Tool',
    run: () => open('server', '+tools', name),
  }));
  return matchingCommands(entries, query).slice(0, maxEntries);
};

function open(view: string, name: string, part?: string): void {
  goTo(pathTo(view, name, part));
}

const shortcuts: Readonly<Record<string, readonly (readonly [keys: string, what: string])[]>> = {
  Anywhere: [
    [paletteKeys, 'Open the command palette'],
    ['?', 'Show this help'],
    ['g t', 'Go to Today'],
    ['g p', 'Go to Prompts'],
    ['g r', 'Go to Runs'],
    ['g c', 'Go to Calendar'],
    ['g o', 'Go to Routines'],
    ['g s', 'Go to Server'],
    ['z', 'Undo the last change, then the one before it'],
    ['Esc', 'Close a dialog or a panel'],
  ],
  Lists: [
    ['/', 'Search'],
    ['↑ ↓', 'Move through the list'],
    ['Home End', 'Go to the first or last item'],
    ['n', 'New prompt or run'],
  ],
  Calendar: [
    ['Alt ↑ ↓ ← →', 'Move the selected event'],
    ['Alt Shift ↑ ↓', 'Make the selected event shorter or longer'],
  ],
  Prompt: [
    ['e', 'Edit'],
    ['f', 'Add to or remove from favourites'],
    ['← →', 'Switch tabs, with the focus on a tab'],
  ],
};

export function ShortcutHelp({ close }: { close(): void }) {
  return (
    <Dialog title="Keyboard shortcuts" close={close}>
      <div class="columns shortcuts">
        {Object.entries(shortcuts).map(([place, rows]) => (
          <section key={place}>
            <h3>{place}</h3>
            <dl>
              {rows.map(([keys, what]) => (
                <div key={keys}>
                  <dt>
                    {keys.split(' ').map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                  </dt>
                  <dd>{what}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
