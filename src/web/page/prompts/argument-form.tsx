import { useState } from 'preact/hooks';
import type { Prompt } from '../prompt-editing/prompt.ts';
import { MoreButton } from '../shared/more-button.tsx';
import { useConnection } from '../shared/server-connection.tsx';

interface Props {
  readonly prompt: Prompt;
  readonly values: Readonly<Record<string, string>>;
  change(values: Readonly<Record<string, string>>): void;
}

/** A prompt may declare thousands of arguments, so only this many fields are rendered at a time. */
const pageSize = 100;

/** A field for each argument, with the values the server suggests. */
export function ArgumentForm({ prompt, values, change }: Props) {
  const { client } = useConnection();
  const [suggestions, setSuggestions] = useState<Readonly<Record<string, readonly string[]>>>({});
  const [visible, setVisible] = useState(pageSize);
  const all = prompt.arguments ?? [];
  const suggest = async (name: string, value: string) => {
    const { completion } = await client.request<{ completion: { values: string[] } }>('completion/complete', {
      ref: { type: 'ref/prompt', name: prompt.name },
      argument: { name, value },
      context: { arguments: values },
    });
    setSuggestions((old) => ({ ...old, [name]: completion.values }));
  };
  const set = (name: string, value: string) => {
    const { [name]: _, ...others } = values;
    change(value === '' ? others : { ...values, [name]: value });
    // Suggestions are optional, so their errors are not shown.
    suggest(name, value).catch(() => {});
  };
  return (
    <form class="arguments" onSubmit={(event) => event.preventDefault()}>
      {all.slice(0, visible).map(({ name, description, required }) => (
        <label key={name}>
          <span class="argument-name">
            {name}
            {required && <span class="required"> required</span>}
          </span>
          <textarea
            rows={name === 'input' ? 4 : 2}
            value={values[name] ?? ''}
            aria-describedby={`about-${name}`}
            onFocus={() => suggest(name, values[name] ?? '').catch(() => {})}
            onInput={(event) => set(name, event.currentTarget.value)}
          />
          <small id={`about-${name}`}>{description}</small>
          {(suggestions[name]?.length ?? 0) > 0 && (
            <span class="suggestions">
              {suggestions[name]!.slice(0, 8).map((value) => (
                <button key={value} type="button" class="chip" onClick={() => set(name, value)}>
                  {value}
                </button>
              ))}
            </span>
          )}
        </label>
      ))}
      <MoreButton shown={visible} all={all.length} step={pageSize} what="arguments" show={setVisible} />
    </form>
  );
}
