import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ChangeLink } from '../shared/change-button.tsx';
import { pathTo } from '../shared/route.ts';
import { SampleData } from '../shared/sample-data.tsx';
import { nextIndex, WindowedList } from '../shared/windowed-list.tsx';
import { useHasDraft } from './draft-storage.ts';
import type { Prompt } from './prompt.ts';
import { PromptDetail } from './prompt-detail.tsx';
import { PromptEditor } from './prompt-editor.tsx';
import { PromptExchange } from './prompt-exchange.tsx';
import { usePrompts } from './prompt-list.ts';
import { ProblemList, problemsByPrompt, useLibraryProblems } from './prompt-problems.tsx';
import { PromptRow } from './prompt-row.tsx';
import { PromptSearch } from './prompt-search.ts';

/** The prompts of all sources on the left, the selected prompt on the right. */
export function PromptsView({ name }: { name: string | undefined }) {
  const { prompts, complete, error } = usePrompts();
  const problems = useLibraryProblems(complete);
  const byPrompt = useMemo(() => problemsByPrompt(problems), [problems]);
  const [query, setQuery] = useState('');
  const search = useRef<HTMLInputElement>(null);
  const index = useMemo(() => new PromptSearch(prompts), [prompts]);
  useEffect(() => {
    if (complete) index.prepare();
  }, [index, complete]);
  const shown = useMemo(() => index.find(query), [index, query]);
  const chosen = shown.findIndex((prompt) => prompt.name === name);
  const prompt = prompts.find((one) => one.name === name);
  const lastShown = useRef<Prompt | undefined>(undefined);
  if (prompt || lastShown.current?.name !== name) lastShown.current = prompt;
  const empty = complete && prompts.length === 0;
  useSlash(search);

  const move = (event: KeyboardEvent) => {
    if (!event.key.startsWith('Arrow')) return;
    const next = nextIndex(event.key, chosen, shown.length);
    if (next === undefined) return;
    event.preventDefault();
    location.hash = pathTo('prompts', shown[next]!.name);
  };

  return (
    <div class={`split ${name === undefined && !empty ? '' : 'has-detail'}`}>
      <section class="side" aria-label="Prompts">
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
        <p class="quiet count">
          <span role="status">
            {error
              ? error.message
              : `${shown.length}${complete ? '' : '+'} prompt${shown.length === 1 ? '' : 's'}`}
          </span>
          <a class="grow" href={pathTo('prompts', '+exchange')}>
            Import or export
          </a>
          {problems.length > 0 && (
            <a href={pathTo('prompts', '+problems')}>
              {problems.length} problem{problems.length === 1 ? '' : 's'}
            </a>
          )}
        </p>
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
              problems={byPrompt.get(one.name)}
              search={setQuery}
            />
          )}
        />
      </section>
      <section class="detail" aria-label="Prompt" tabIndex={0}>
        {name !== undefined && (
          <a class="back" href={pathTo('prompts')}>
            ‹ All prompts
          </a>
        )}
        {name === '+new' && <PromptEditor />}
        {name === '+problems' && (
          <>
            <h1>Library problems</h1>
            {problems.length > 0 ? <ProblemList problems={problems} /> : <p>No problems found.</p>}
          </>
        )}
        {lastShown.current && <PromptDetail key={name} prompt={lastShown.current} deleted={!prompt} />}
        {!lastShown.current && complete && name !== undefined && !name.startsWith('+') && (
          <MissingPrompt key={name} name={name} />
        )}
        {name === '+exchange' && <PromptExchange />}
        {name === undefined && <h1 class="hidden">Prompts</h1>}
        {name === undefined && <Welcome empty={empty} />}
      </section>
    </div>
  );
}

/** Unsaved edits of a prompt that was deleted can still be saved. */
function MissingPrompt({ name }: { name: string }) {
  if (!useHasDraft(name)) return <p class="empty late">Prompt “{name}” not found.</p>;
  return <PromptEditor prompt={{ name }} done={() => {}} />;
}

/** Focuses the search field when `/` is pressed outside a text field. */
function useSlash(search: { readonly current: HTMLInputElement | null }): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const inField = (event.target as Element).closest?.('input, textarea, select');
      if (event.key !== '/' || inField || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      search.current?.focus();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}

function Welcome({ empty }: { empty: boolean }) {
  return (
    <div class="empty">
      {empty ? (
        <p>
          No prompts yet. <a href={pathTo('prompts', '+new')}>Create a prompt</a>,{' '}
          <a href={pathTo('prompts', '+exchange')}>import prompts from other programs</a>, or add files to the
          prompt folders (see the settings under Server).
        </p>
      ) : (
        <>
          <p>Select a prompt to view it, fill in its arguments and copy the result.</p>
          <p>
            Press <kbd>/</kbd> to search, <kbd>↑</kbd> <kbd>↓</kbd> to move through the results. Type{' '}
            <kbd>#</kbd> to search by tag.
          </p>
        </>
      )}
      <p>
        New here? <SampleData action="load" /> adds a few prompts, a calendar and two runs. You can remove
        them under Server.
      </p>
    </div>
  );
}
