import { useMemo, useRef, useState } from 'preact/hooks';
import { PromptDetail } from './prompt-detail.tsx';
import { PromptEditor } from './prompt-editor.tsx';
import { PromptExchange } from './prompt-exchange.tsx';
import { type Prompt, rankPrompts, sourceOf, tagsOf, usePrompts } from './prompt-list.ts';
import { pathTo } from './route.ts';
import { WindowedList } from './windowed-list.tsx';

/** All prompts of all sources on the left, the chosen one on the right. */
export function PromptsView({ name }: { name: string | undefined }) {
  const { prompts, complete, error } = usePrompts();
  const [query, setQuery] = useState('');
  const search = useRef<HTMLInputElement>(null);
  const shown = useMemo(() => rankPrompts(prompts, query), [prompts, query]);
  const chosen = shown.findIndex((prompt) => prompt.name === name);
  const prompt = prompts.find((one) => one.name === name);

  const move = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const next = shown[Math.max(0, Math.min(shown.length - 1, chosen + step))];
    if (step === 0 || next === undefined) return;
    event.preventDefault();
    location.hash = pathTo('prompts', next.name);
  };

  return (
    <div class={`split ${name === undefined ? '' : 'has-detail'}`}>
      <section class="side" aria-label="Prompts">
        <div class="toolbar">
          <input
            ref={search}
            type="search"
            placeholder="Search prompts"
            aria-label="Search prompts"
            value={query}
            onInput={(event) => setQuery(event.currentTarget.value)}
            onKeyDown={move}
          />
          <a class="button" href={pathTo('prompts', '+new')}>
            New
          </a>
        </div>
        <p class="quiet count" role="status">
          {error
            ? error.message
            : `${shown.length}${complete ? '' : '+'} prompt${shown.length === 1 ? '' : 's'}`}
        </p>
        <WindowedList
          items={shown}
          rowHeight={58}
          label="Prompts"
          selected={chosen}
          keyOf={(one) => one.name}
          render={(one) => <PromptRow prompt={one} current={one.name === name} choose={setQuery} />}
        />
      </section>
      <section class="detail" aria-label="Prompt">
        {name !== undefined && (
          <a class="back" href={pathTo('prompts')}>
            ‹ All prompts
          </a>
        )}
        {name === '+new' && <PromptEditor />}
        {name !== undefined && name !== '+new' && prompt && <PromptDetail key={name} prompt={prompt} />}
        {name !== undefined && name !== '+new' && !prompt && complete && (
          <p class="empty">There is no prompt {name} (any more).</p>
        )}
        {name === undefined && <PromptExchange />}
        {name === undefined && <Welcome empty={complete && prompts.length === 0} />}
      </section>
    </div>
  );
}

function PromptRow({
  prompt,
  current,
  choose,
}: {
  prompt: Prompt;
  current: boolean;
  choose(query: string): void;
}) {
  return (
    <a class="row" href={pathTo('prompts', prompt.name)} aria-current={current ? 'true' : undefined}>
      <span class="row-title">
        {prompt.title ?? prompt.name}
        <span class={`badge source-${sourceOf(prompt)}`}>{sourceOf(prompt)}</span>
        {tagsOf(prompt).map((tag) => (
          <button
            key={tag}
            type="button"
            class="tag"
            onClick={(event) => {
              event.preventDefault();
              choose(`#${tag}`);
            }}
          >
            #{tag}
          </button>
        ))}
      </span>
      <span class="row-text">{prompt.description || prompt.name}</span>
    </a>
  );
}

function Welcome({ empty }: { empty: boolean }) {
  return (
    <div class="empty">
      {empty ? (
        <p>
          There are no prompts yet. Make the first one with “New”, or put files where the server looks for
          them (see Server).
        </p>
      ) : (
        <p>
          Choose a prompt to see it, fill it in and copy the result. ↑ and ↓ move through the list while you
          type.
        </p>
      )}
    </div>
  );
}
