import type { PromptArgument } from './prompt.ts';

interface Props {
  readonly args: readonly PromptArgument[];
  /** Arguments that no message inserts. Only they can be removed here. */
  readonly unused: ReadonlySet<string>;
  change(args: readonly PromptArgument[]): void;
  remove(name: string): void;
}

/** Edits all fields of each argument except its name, which the messages define. */
export function ArgumentFields({ args, unused, change, remove }: Props) {
  if (args.length === 0) return null;
  const set = (name: string, fields: Partial<PromptArgument>) =>
    change(args.map((one) => (one.name === name ? withFields(one, fields) : one)));
  return (
    <fieldset>
      <legend>Arguments</legend>
      {args.map(({ name, description = '', required = false, default: preset = '', values = [], files }) => (
        <div key={name} class="argument-field">
          <code>{name}</code>
          <input
            aria-label={`Description of ${name}`}
            placeholder="Description"
            value={description}
            onInput={(event) => set(name, { description: event.currentTarget.value })}
          />
          <input
            aria-label={`Default of ${name}`}
            placeholder="Default value"
            value={preset}
            onInput={(event) => set(name, { default: event.currentTarget.value })}
          />
          <input
            aria-label={`Suggested values of ${name}`}
            placeholder="Suggested values, separated by commas"
            defaultValue={values.join(', ')}
            onChange={(event) => set(name, { values: parseValues(event.currentTarget.value) })}
          />
          <label class="inline">
            <input
              type="checkbox"
              checked={required}
              onChange={(event) => set(name, { required: event.currentTarget.checked })}
            />
            Required
          </label>
          <label class="inline" title="The value is the path of a file, whose content is inserted.">
            <input
              type="checkbox"
              checked={files === true}
              onChange={(event) => set(name, { files: event.currentTarget.checked })}
            />
            File path
          </label>
          {unused.has(name) && (
            <button
              type="button"
              class="small danger"
              aria-label={`Remove argument ${name}`}
              onClick={() => remove(name)}
            >
              Remove
            </button>
          )}
        </div>
      ))}
    </fieldset>
  );
}

/** Leaves out optional fields that were cleared, so that the prompt does not contain empty ones. */
function withFields(argument: PromptArgument, fields: Partial<PromptArgument>): PromptArgument {
  const merged = { ...argument, ...fields };
  const { default: preset, values, files, ...others } = merged;
  return {
    ...others,
    ...(preset !== undefined && preset !== '' && { default: preset }),
    ...(values !== undefined && values.length > 0 && { values }),
    ...(files && { files }),
  };
}

function parseValues(text: string): readonly string[] {
  return text
    .split(',')
    .map((value) => value.trim())
    .filter((value) => value !== '');
}
