import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useShortcuts } from '../controls/commands.ts';
import { Button, Choice, SearchField } from '../controls/fields.tsx';
import { Icon } from '../controls/icon.tsx';
import { Split } from '../controls/split.tsx';
import { useStartHidden } from '../controls/stored-names.ts';
import { counted } from '../controls/words.ts';
import { type Problem, ProblemList } from '../prompt-editing/problem-list.tsx';
import { folderOf, isFavourite, type Prompt, sourceOf, tagsOf, usesOf } from '../prompt-editing/prompt.ts';
import { ChangeLink } from '../shared/buttons.tsx';
import { useHasDraft } from '../shared/draft-storage.ts';
import { lazy } from '../shared/lazy.tsx';
import type { McpError } from '../shared/mcp-client.ts';
import { goTo, pathBeside, pathTo, useAddressed } from '../shared/route.ts';
import { asError, useConnection } from '../shared/server-connection.tsx';
import { nextIndex, WindowedList } from '../shared/windowed-list.tsx';
import { PromptDetail } from './prompt-detail.tsx';
import { ProblemMark, problemsByPrompt, useLibraryProblems } from './prompt-problems.tsx';
import { PromptSearch } from './prompt-search.ts';

const GetStarted = lazy(() => import('../start/get-started.tsx'), 'GetStarted');
const PromptEditor = lazy(() => import('../prompt-editing/prompt-editor.tsx'), 'PromptEditor');
const PromptExchange = lazy(() => import('./prompt-exchange.tsx'), 'PromptExchange');
const PromptTrash = lazy(() => import('./prompt-history.tsx'), 'PromptTrash');
const BulkActions = lazy(() => import('./bulk-actions.tsx'), 'BulkActions');

/** The prompts of all sources on the left, the selected prompt on the right. */
export function PromptsView({ name, part }: { name: string | undefined; part?: string | undefined }) {
  const { prompts, complete, error } = usePrompts();
  const problems = useLibraryProblems(complete);
  const byPrompt = useMemo(() => problemsByPrompt(problems), [problems]);
  const folders = useMemo(() => foldersOf(prompts), [prompts]);
  const [query, setQuery] = useAddressed('find', '', { typed: true });
  const [source, setSource] = useAddressed('source', '');
  const [folder, setFolder] = useAddressed('folder', '');
  const [only, setOnly] = useAddressed<Filter['only']>('only', '');
  const [selected, setSelected] = useState<ReadonlySet<string> | undefined>();
  const search = useRef<HTMLInputElement>(null);
  const index = useMemo(() => new PromptSearch(prompts), [prompts]);
  useEffect(() => {
    if (complete) index.prepare();
  }, [index, complete]);
  const shown = useMemo(
    () => filterPrompts(index.find(query), { source, folder, only }, byPrompt),
    [index, query, source, folder, only, byPrompt],
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
    n: () => goTo(pathTo('prompts', '+new')),
  });
  const move = (event: KeyboardEvent) => {
    if (!event.key.startsWith('Arrow')) return;
    const next = nextIndex(event.key, chosen, shown.length);
    if (next === undefined) return;
    event.preventDefault();
    goTo(pathBeside('prompts', shown[next]!.name));
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
          <SearchField
            field={search}
            label="Search prompts"
            title="Searches name, title and description. Type #tag to search by tag. Press / to focus."
            value={query}
            change={setQuery}
            onKeyDown={move}
          />
        </div>
        <FilterFields {...{ prompts, source, setSource, folders, folder, setFolder, only, setOnly }} />
      </div>
      {selected ? (
        <BulkActions
          prompts={prompts.filter((one) => selected.has(one.name))}
          all={shown.length}
          selectAll={() => setSelected(new Set(shown.map((one) => one.name)))}
          done={() => setSelected(undefined)}
        />
      ) : (
        <p class="quiet list-count">
          <span role="status">
            {error
              ? error.message
              : `${shown.length}${complete ? '' : '+'} prompt${shown.length === 1 ? '' : 's'}`}
          </span>
          <Button class="link" onClick={() => setSelected(new Set())}>
            Select
          </Button>
          <a href={pathTo('prompts', '+exchange')}>Import or export</a>
          <a href={pathTo('prompts', '+trash')}>Trash</a>
          {problems.length > 0 && (
            <a href={pathTo('prompts', '+problems')}>{counted(problems.length, 'problem')}</a>
          )}
        </p>
      )}
      <WindowedList
        items={shown}
        rowHeight={58}
        label="Prompts"
        selected={chosen}
        keyOf={(one) => one.name}
        choose={(one) => goTo(pathBeside('prompts', one.name))}
        render={(one) => (
          <PromptRow
            prompt={one}
            current={one.name === name}
            favourite={isFavourite(one)}
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
      action={
        <ChangeLink class="primary" tool="create_prompt" href={pathTo('prompts', '+new')}>
          <Icon name="plus" />
          New prompt
        </ChangeLink>
      }
      showsDetail={name !== undefined || empty}
      list={list}
    >
      {name !== undefined && !prompt && (
        <a class="back" href={pathBeside('prompts')}>
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
          {...{ folders, deleted: !prompt, part }}
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
      <Icon name="prompts" />
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
  if (!useHasDraft(`prompt/${name}`))
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

/** Which prompts the list shows, besides the search. */
interface Filter {
  /** Empty for all sources. */
  readonly source: string;
  /** Empty for all folders. Includes the folders in it. */
  readonly folder: string;
  readonly only: '' | 'favourites' | 'problems';
}

function filterPrompts(
  prompts: readonly Prompt[],
  { source, folder, only }: Filter,
  problems: { has(name: string): boolean },
): readonly Prompt[] {
  if (source === '' && folder === '' && only === '') return prompts;
  return prompts.filter(
    (prompt) =>
      (source === '' || sourceOf(prompt) === source) &&
      (folder === '' || `${folderOf(prompt)}/`.startsWith(`${folder}/`)) &&
      (only !== 'favourites' || isFavourite(prompt)) &&
      (only !== 'problems' || problems.has(prompt.name)),
  );
}

/** All folders, with those around them. */
function foldersOf(prompts: readonly Prompt[]): readonly string[] {
  const folders = new Set<string>();
  for (const prompt of prompts)
    for (let path = folderOf(prompt); path !== ''; path = path.slice(0, Math.max(0, path.lastIndexOf('/'))))
      folders.add(path);
  return [...folders].sort();
}

interface FilterFieldsProps {
  readonly prompts: readonly Prompt[];
  readonly folders: readonly string[];
  setSource(source: string): void;
  setFolder(folder: string): void;
  setOnly(only: Filter['only']): void;
}

function FilterFields(props: FilterFieldsProps & Filter) {
  const { prompts, source, setSource, folders, folder, setFolder, only, setOnly } = props;
  const sources = useMemo(() => [...new Set(prompts.map(sourceOf))].sort(), [prompts]);
  return (
    <div class="filters">
      <Choice
        name="Source"
        value={source}
        options={[['', 'All sources'], ...sources.map((one) => [one, one] as const)]}
        change={setSource}
      />
      {(folders.length > 0 || folder !== '') && (
        <Choice
          name="Folder"
          value={folder}
          options={[['', 'All folders'], ...folders.map((one) => [one, one] as const)]}
          change={setFolder}
        />
      )}
      <Choice
        name="Show"
        value={only}
        options={{ '': 'All prompts', favourites: 'Favourites', problems: 'With problems' }}
        change={setOnly}
      />
    </div>
  );
}

interface PromptRowProps {
  readonly prompt: Prompt;
  readonly current: boolean;
  readonly favourite: boolean;
  /** Lint problems of this prompt. */
  readonly problems: readonly Problem[] | undefined;
  search(query: string): void;
  /** Absent unless prompts are being selected. */
  readonly selected?: boolean;
  select?(): void;
}

/** One prompt in the list. The link covers the whole row; the tag buttons are placed outside the link. */
function PromptRow({ prompt, current, favourite, problems, search, selected, select }: PromptRowProps) {
  const draft = useHasDraft(`prompt/${prompt.name}`);
  return (
    <div class={`list-row ${current ? 'current' : ''}`}>
      <span class="row">
        {select && (
          <input
            type="checkbox"
            class="row-check"
            aria-label={`Select ${prompt.name}`}
            checked={selected === true}
            onChange={select}
          />
        )}
        <a
          class="grow cut row-link"
          href={pathBeside('prompts', prompt.name)}
          aria-current={current ? 'true' : undefined}
        >
          {prompt.title ?? prompt.name}
        </a>
        {favourite && (
          <span class="star on" role="img" aria-label="Favourite">
            <Icon name="star" filled />
          </span>
        )}
        {draft && <span class="draft">Draft</span>}
        {problems && <ProblemMark problems={problems} />}
        <span class={`badge source-${sourceOf(prompt)}`}>{sourceOf(prompt)}</span>
      </span>
      <span class="row row-text">
        <span class="grow cut">{prompt.description || prompt.name}</span>
        {tagsOf(prompt).length > 0 && (
          <span class="row-tags">
            {tagsOf(prompt).map((tag) => (
              <button key={tag} type="button" class="tag" tabIndex={-1} onClick={() => search(`#${tag}`)}>
                #{tag}
              </button>
            ))}
          </span>
        )}
      </span>
    </div>
  );
}

interface PromptList {
  readonly prompts: readonly Prompt[];
  /** Whether every page has arrived. */
  readonly complete: boolean;
  readonly error: McpError | undefined;
}

/** All prompts. The first page is available early, and the list reloads when the server reports a change. */
function usePrompts(): PromptList {
  const { client, changes } = useConnection();
  const [list, setList] = useState<PromptList>({ prompts: [], complete: false, error: undefined });
  useEffect(() => {
    const ended = new AbortController();
    let latest: readonly Prompt[] = [];
    const onPage = (prompts: readonly Prompt[]) => {
      latest = prompts;
      // During a reload, keep the old list until the new one is complete.
      setList((old) => (old.complete ? old : { ...old, prompts }));
    };
    client.all<Prompt>('prompts/list', 'prompts', onPage, ended.signal).then(
      () => !ended.signal.aborted && setList({ prompts: latest, complete: true, error: undefined }),
      (error) => !ended.signal.aborted && setList((old) => ({ ...old, error: asError(error) })),
    );
    return () => ended.abort();
  }, [client, changes.prompts]);
  return list;
}
