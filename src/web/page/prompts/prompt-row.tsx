import { Icon } from '../controls/icon.tsx';
import { useHasDraft } from '../prompt-editing/draft-storage.ts';
import { type Prompt, sourceOf, tagsOf } from '../prompt-editing/prompt.ts';
import { pathTo } from '../shared/route.ts';
import { type Problem, ProblemMark } from './prompt-problems.tsx';

interface Props {
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
export function PromptRow({ prompt, current, favourite, problems, search, selected, select }: Props) {
  const draft = useHasDraft(prompt.name);
  return (
    <div class={`row ${current ? 'current' : ''}`}>
      <span class="row-line">
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
          class="row-title row-link"
          href={pathTo('prompts', prompt.name)}
          aria-current={current ? 'true' : undefined}
        >
          {prompt.title ?? prompt.name}
        </a>
        {favourite && (
          <span class="star on" role="img" aria-label="Favourite">
            <Icon name="star" filled />
          </span>
        )}
        {draft && <span class="badge warning">Unsaved draft</span>}
        {problems && <ProblemMark problems={problems} />}
        <span class={`badge source-${sourceOf(prompt)}`}>{sourceOf(prompt)}</span>
      </span>
      <span class="row-line row-text">
        <span class="row-title">{prompt.description || prompt.name}</span>
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
