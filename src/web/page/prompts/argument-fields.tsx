import type { PromptArgument } from './prompt.ts';

interface Props {
  readonly args: readonly PromptArgument[];
  change(args: readonly PromptArgument[]): void;
}

/** Edits the description of each argument and whether it is required. */
export function ArgumentFields({ args, change }: Props) {
  if (args.length === 0) return null;
  const set = (name: string, fields: Partial<PromptArgument>) =>
    change(args.map((one) => (one.name === name ? { ...one, ...fields } : one)));
  return (
    <fieldset>
      <legend>Arguments</legend>
      {args.map(({ name, description = '', required = false }) => (
        <div key={name} class="argument-field">
          <code>{name}</code>
          <input
            aria-label={`Description of ${name}`}
            placeholder="Description"
            value={description}
            onInput={(event) => set(name, { description: event.currentTarget.value })}
          />
          <label class="inline">
            <input
              type="checkbox"
              checked={required}
              onChange={(event) => set(name, { required: event.currentTarget.checked })}
            />
            Required
          </label>
        </div>
      ))}
    </fieldset>
  );
}
