import { type Prompt, sourceOf } from '../prompt-editing/prompt.ts';

/** Which prompts the list shows, besides the search. */
export interface Filter {
  /** Empty for all sources. */
  readonly source: string;
  readonly only: '' | 'favourites' | 'problems';
}

export const noFilter: Filter = { source: '', only: '' };

export function filterPrompts(
  prompts: readonly Prompt[],
  { source, only }: Filter,
  marks: Readonly<Record<'favourites' | 'problems', { has(name: string): boolean }>>,
): readonly Prompt[] {
  if (source === '' && only === '') return prompts;
  return prompts.filter(
    (prompt) =>
      (source === '' || sourceOf(prompt) === source) && (only === '' || marks[only].has(prompt.name)),
  );
}

interface Props {
  readonly prompts: readonly Prompt[];
  readonly filter: Filter;
  change(filter: Filter): void;
}

export function FilterFields({ prompts, filter, change }: Props) {
  const sources = [...new Set(prompts.map(sourceOf))].sort();
  return (
    <div class="filters">
      <select
        aria-label="Source"
        value={filter.source}
        onChange={(event) => change({ ...filter, source: event.currentTarget.value })}
      >
        <option value="">All sources</option>
        {sources.map((source) => (
          <option key={source}>{source}</option>
        ))}
      </select>
      <select
        aria-label="Show"
        value={filter.only}
        onChange={(event) => change({ ...filter, only: event.currentTarget.value as Filter['only'] })}
      >
        <option value="">All prompts</option>
        <option value="favourites">Favourites</option>
        <option value="problems">With problems</option>
      </select>
    </div>
  );
}
