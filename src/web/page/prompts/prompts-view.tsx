import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useShortcuts } from '../controls/shortcuts.ts';
import { Split } from '../controls/split.tsx';
import { useHasDraft } from '../prompt-editing/draft-storage.ts';
import { type Prompt, sourceOf, usesOf } from '../prompt-editing/prompt.ts';
import { ChangeLink } from '../shared/change-button.tsx';
import { lazy } from '../shared/lazy.tsx';
import { pathTo } from '../shared/route.ts';
import { nextIndex, WindowedList } from '../shared/windowed-list.tsx';
import { useStartHidden } from '../start/start-hidden.ts';
import { useFavourites } from './favourites.tsx';
import { PromptDetail } from './prompt-detail.tsx';
import { FilterFields, filterPrompts, noFilter } from './prompt-filter.tsx';
import { usePrompts } from './prompt-list.ts';
import { ProblemList, problemsByPrompt, useLibraryProblems } from './prompt-problems.tsx';
import { PromptRow } from './prompt-row.tsx';
import { PromptSearch } from './prompt-search.ts';

const GetStarted = lazy<object>(() => import('../start/get-started.tsx').then((module) => module.default));
const PromptEditor = lazy(() =>
  import('../prompt-editing/prompt-editor.tsx').then((module) => module.PromptEditor),
);
const PromptExchange = lazy<object>(() => import('./prompt-exchange.tsx').then((module) => module.default));
const PromptTrash = lazy<object>(() => import('./prompt-trash.tsx').then((module) => module.default));
const BulkActions = lazy(() => import('./bulk-actions.tsx').then((module) => module.default));

interface Props {
  readonly name: string | undefined;
  readonly part?: string | undefined;
}

/** The prompts of all sources on the left, the selected prompt on the right. */
export function PromptsView({ name, part }: Props) {
  const { prompts, complete, error } = usePrompts();
  const problems = useLibraryProblems(complete);
  const byPrompt = useMemo(() => problemsByPrompt(problems), [problems]);
  const [favourites] = useFavourites();
  const [query, setQuery] = useState('');
  const [filter, setFilter] = useState(noFilter);
  const [selected, setSelected] = useState<ReadonlySet<string> | undefined>();
  const search = useRef<HTMLInputElement>(null);
  const index = useMemo(() => new PromptSearch(prompts), [prompts]);
  useEffect(() => {
    if (complete) index.prepare();
  }, [index, complete]);
  const shown = useMemo(
    () => filterPrompts(index.find(query), filter, { favourites, problems: byPrompt }),
    [index, query, filter, favourites, byPrompt],
  );
  const chosen = shown.findIndex((prompt) => prompt.name === name);
  const prompt = prompts.find((one) => one.name === name);
  const lastShown = useRef<Prompt | undefined>(undefined);
  if (prompt || lastShown.current?.name !== name) lastShown.current = prompt;
  const empty = complete && prompts.length === 0;
  const isNew = useMemo(
    () => complete && !prompts.some((one) => sourceOf(one) === 'user'),
    [prompts, complete],
  );
  useShortcuts({
    '/': () => search.current?.focus(),
    n: () => {
      location.hash = pathTo('prompts', '+new');
    },
  });
  const move = (event: KeyboardEvent) => {
    if (!event.key.startsWith('Arrow')) return;
    const next = nextIndex(event.key, chosen, shown.length);
    if (next === undefined) return;
    event.preventDefault();
    location.hash = pathTo('prompts', shown[next]!.name);
  };
  const toggle = (one: string) => {
    const next = new Set(selected);
    if (!next.delete(one)) next.add(one);
    setSelected(next);
  };

  const list = (
    <>
      <div class="side-head">
        <div class="toolbar">
          <input
            ref={search}
            type="search"
            placeholder="Search prompts"
            aria-label="Search prompts"
            title="Searches name, title and description. Type #tag to search by tag. Press / to focus."
            value={query}
            onInput={(event) => setQuery(event.currentTarget.value)}
            onKeyDown={move}
          />
          <ChangeLink href={pathTo('prompts', '+new')}>New prompt</ChangeLink>
        </div>
        <FilterFields prompts={prompts} filter={filter} change={setFilter} />
      </div>
      {selected ? (
        <BulkActions
          prompts={prompts.filter((one) => selected.has(one.name))}
          all={shown.length}
          selectAll={() => setSelected(new Set(shown.map((one) => one.name)))}
          done={() => setSelected(undefined)}
        />
      ) : (
        <p class="quiet count">
          <span role="status">
            {error
              ? error.message
              : `${shown.length}${complete ? '' : '+'} prompt${shown.length === 1 ? '' : 's'}`}
          </span>
          <button type="button" class="link" onClick={() => setSelected(new Set())}>
            Select
          </button>
          <a href={pathTo('prompts', '+exchange')}>Import or export</a>
          <a href={pathTo('prompts', '+trash')}>Trash</a>
          {problems.length > 0 && (
            <a href={pathTo('prompts', '+problems')}>
              {problems.length} problem{problems.length === 1 ? '' : 's'}
            </a>
          )}
        </p>
      )}
      <WindowedList
        items={shown}
        rowHeight={58}
        label="Prompts"
        selected={chosen}
        keyOf={(one) => one.name}
        choose={(one) => (location.hash = pathTo('prompts', one.name))}
        render={(one) => (
          <PromptRow
            prompt={one}
            current={one.name === name}
            favourite={favourites.has(one.name)}
            problems={byPrompt.get(one.name)}
            search={setQuery}
            {...(selected && { selected: selected.has(one.name), select: () => toggle(one.name) })}
          />
        )}
      />
    </>
  );

  return (
    <Split
      id="prompts"
      listLabel="Prompts"
      detailLabel="Prompt"
      showsDetail={name !== undefined || empty}
      list={list}
    >
      {name !== undefined && (
        <a class="back" href={pathTo('prompts')}>
          ‹ All prompts
        </a>
      )}
      {name === '+new' && <PromptEditor key={part} copyOf={part} />}
      {name === '+problems' && (
        <>
          <h1>Library problems</h1>
          {problems.length > 0 ? <ProblemList problems={problems} /> : <p>No problems found.</p>}
        </>
      )}
      {lastShown.current && (
        <PromptDetail
          key={name}
          prompt={lastShown.current}
          includedBy={prompts.filter((one) => usesOf(one).includes(name!)).map((one) => one.name)}
          {...{ deleted: !prompt, part }}
        />
      )}
      {!lastShown.current && complete && name !== undefined && !name.startsWith('+') && (
        <MissingPrompt key={name} name={name} />
      )}
      {name === '+exchange' && <PromptExchange />}
      {name === '+trash' && <PromptTrash />}
      {name === '+start' && <GetStarted />}
      {name === undefined && <Welcome isNew={isNew} />}
    </Split>
  );
}

/** Shown while no prompt is selected: the first steps until there is a prompt of the user's own. */
function Welcome({ isNew }: { isNew: boolean }) {
  const [hidden] = useStartHidden();
  if (isNew && !hidden) return <GetStarted />;
  return (
    <div class="empty">
      <h1>Prompts</h1>
      <p>Select a prompt to view it, fill in its arguments and copy or try the result.</p>
      <p>
        Press <kbd>/</kbd> to search, <kbd>↑</kbd> <kbd>↓</kbd> to move through the results. Type <kbd>#</kbd>{' '}
        to search by tag. <a href={pathTo('prompts', '+start')}>Get started</a>
      </p>
    </div>
  );
}

/** Unsaved edits of a prompt that was deleted can still be saved. */
function MissingPrompt({ name }: { name: string }) {
  if (!useHasDraft(name))
    return (
      <div class="empty late">
        <h1>Prompt not found</h1>
        <p>Prompt “{name}” not found.</p>
        <p>
          It may be in the <a href={pathTo('prompts', '+trash')}>trash</a>.
        </p>
      </div>
    );
  return <PromptEditor prompt={{ name }} done={() => {}} />;
}
