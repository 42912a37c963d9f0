import type { AllHTMLAttributes, ComponentChildren, ComponentProps, RefObject } from 'preact';

/** A button that does not submit the form around it, unless its type says so. */
export const Button = (props: ComponentProps<'button'>) => <button type="button" {...props} />;

interface Labelled {
  readonly label: ComponentChildren;
  readonly hint?: ComponentChildren;
  change(value: string): void;
}

/** One line of text with its label. Accepts every attribute of an input. */
export const TextField = ({
  label,
  hint,
  change,
  children,
  ...input
}: Labelled & Omit<AllHTMLAttributes<HTMLInputElement>, 'label'>) => (
  <label>
    {label}
    <input {...(input as object)} onInput={({ currentTarget }) => change(currentTarget.value)} />
    {children}
    {hint && <small>{hint}</small>}
  </label>
);

/** Several lines of text with their label. Accepts every attribute of a textarea. */
export const TextArea = ({
  label,
  hint,
  change,
  ...area
}: Labelled & Omit<ComponentProps<'textarea'>, 'label'>) => (
  <label>
    {label}
    <textarea {...area} onInput={({ currentTarget }) => change(currentTarget.value)} />
    {hint && <small>{hint}</small>}
  </label>
);

/** A date with its label. Clearing the field changes nothing. */
export const DateField = ({
  label,
  change,
  ...input
}: Labelled & Omit<AllHTMLAttributes<HTMLInputElement>, 'label'>) => (
  <label>
    {label}
    <input
      type="date"
      required
      {...(input as object)}
      onChange={({ currentTarget }) => currentTarget.value !== '' && change(currentTarget.value)}
    />
  </label>
);

interface ChoiceProps<Value extends string> {
  /** The name for screen readers. */
  readonly name?: string | undefined;
  readonly value: Value;
  /** Titles by value. A list of pairs keeps the order of numbers. */
  readonly options:
    | Readonly<Partial<Record<NoInfer<Value>, string>>>
    | readonly (readonly [string, string])[];
  change(value: NoInfer<Value>): void;
}

export const Choice = <Value extends string>({ name, value, options, change }: ChoiceProps<Value>) => (
  <select
    value={value}
    aria-label={name}
    onChange={({ currentTarget }) => change(currentTarget.value as Value)}
  >
    {(Array.isArray(options) ? options : Object.entries(options)).map(([one, title]) => (
      <option key={one} value={one}>
        {title}
      </option>
    ))}
  </select>
);

interface SelectProps<Value extends string> extends ChoiceProps<Value> {
  readonly label: ComponentChildren;
  readonly class?: string;
}

export const SelectField = <Value extends string>({ label, class: look, ...choice }: SelectProps<Value>) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: a choice is a select
  <label class={look}>
    {label}
    {Choice(choice)}
  </label>
);

interface CheckProps {
  readonly label: ComponentChildren;
  readonly title?: string;
  readonly checked: boolean;
  change(checked: boolean): void;
}

export const CheckField = ({ label, title, checked, change }: CheckProps) => (
  <label class="inline" title={title}>
    <input
      type="checkbox"
      checked={checked}
      onChange={({ currentTarget }) => change(currentTarget.checked)}
    />
    {label}
  </label>
);

interface SearchProps {
  readonly label: string;
  readonly value: string;
  readonly field?: RefObject<HTMLInputElement | null>;
  readonly title?: string;
  readonly class?: string;
  change(query: string): void;
  onKeyDown?(event: KeyboardEvent): void;
}

export const SearchField = ({ label, field, change, ...input }: SearchProps) => (
  <input
    {...(field && { ref: field })}
    type="search"
    aria-label={label}
    placeholder={label}
    {...input}
    onInput={({ currentTarget }) => change(currentTarget.value)}
  />
);

interface FolderProps extends Pick<Labelled, 'hint' | 'change'> {
  readonly value: string;
  /** Folders to choose from. */
  readonly known?: readonly string[];
}

/** The folder in which a sub-agent works. */
export const FolderField = ({ known = [], ...field }: FolderProps) => (
  <TextField
    {...field}
    label="Working folder"
    required
    placeholder="/path/to/project"
    spellcheck={false}
    list="known-folders"
  >
    <datalist id="known-folders">
      {known.map((folder) => (
        <option key={folder} value={folder} />
      ))}
    </datalist>
  </TextField>
);

/** Why the last change failed, announced to screen readers. */
export const Problem = ({ text }: { readonly text: string | undefined }) =>
  text ? (
    <p class="problem" role="alert">
      {text}
    </p>
  ) : null;

/** Returns the chosen files and clears the field, so that a corrected file with the same name triggers another change event. */
export function chosenFiles(field: HTMLInputElement): readonly File[] {
  const files = [...(field.files ?? [])];
  field.value = '';
  return files;
}

/** Focuses a field when it appears. */
export const focusFirst = (element: HTMLElement | null) => element?.focus();
