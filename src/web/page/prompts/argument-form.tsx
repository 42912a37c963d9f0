import { useState } from 'preact/hooks';
import { MoreButton } from '../shared/more-button.tsx';
import { useConnection } from '../shared/server-connection.tsx';
import type { Prompt } from './prompt.ts';

interface Props {
  readonly prompt: Prompt;
  readonly values: Readonly<Record<string, string>>;
  change(values: Readonly<Record<string, string>>): void;
}

/** A prompt may have thousands, which nobody fills in and each of which is a field. */
const atOnce = 100;

/** A field for each argument, with the values the server proposes. */
export function ArgumentForm({ prompt, values, change }: Props) {
  const { client } = useConnection();
  const [proposals, setProposals] = useState<Readonly<Record<string, readonly string[]>>>({});
  const [most, setMost] = useState(atOnce);
  const all = prompt.arguments ?? [];
  const propose = async (name: string, value: string) => {
    const { completion } = await client.request<{ completion: { values: string[] } }>('completion/complete', {
      ref: { type: 'ref/prompt', name: prompt.name },
      argument: { name, value },
      context: { arguments: values },
    });
    setProposals((old) => ({ ...old, [name]: completion.values }));
  };
  const set = (name: string, value: string) => {
    const { [name]: _, ...others } = values;
    change(value === '' ? others : { ...values, [name]: value });
    // A proposal that does not come is no reason to trouble anybody.
    propose(name, value).catch(() => {});
  };
  return (
    <form class="arguments" onSubmit={(event) => event.preventDefault()}>
      {all.slice(0, most).map(({ name, description, required }) => (
        <label key={name}>
          <span class="argument-name">
            {name}
            {required && <span class="required"> required</span>}
          </span>
          <textarea
            rows={name === 'input' ? 4 : 2}
            value={values[name] ?? ''}
            aria-describedby={`about-${name}`}
            onFocus={() => propose(name, values[name] ?? '').catch(() => {})}
            onInput={(event) => set(name, event.currentTarget.value)}
          />
          <small id={`about-${name}`}>{description}</small>
          {(proposals[name]?.length ?? 0) > 0 && (
            <span class="proposals">
              {proposals[name]!.slice(0, 8).map((value) => (
                <button key={value} type="button" class="chip" onClick={() => set(name, value)}>
                  {value}
                </button>
              ))}
            </span>
          )}
        </label>
      ))}
      <MoreButton shown={most} all={all.length} step={atOnce} what="arguments" show={setMost} />
    </form>
  );
}
