import type { AllHTMLAttributes, ComponentChildren, ComponentProps } from 'preact';
import { useState } from 'preact/hooks';

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

interface SelectProps<Value extends string> {
  readonly label: ComponentChildren;
  /** The name for screen readers, if it says more than the label. */
  readonly name?: string;
  readonly class?: string;
  readonly value: Value;
  /** Titles by value. */
  readonly options: Readonly<Partial<Record<NoInfer<Value>, string>>>;
  change(value: NoInfer<Value>): void;
}

export const SelectField = <Value extends string>(props: SelectProps<Value>) => (
  <label class={props.class}>
    {props.label}
    <select
      value={props.value}
      aria-label={props.name}
      onChange={({ currentTarget }) => props.change(currentTarget.value as Value)}
    >
      {Object.entries<string | undefined>(props.options).map(([value, title]) => (
        <option key={value} value={value}>
          {title}
        </option>
      ))}
    </select>
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

/** Runs the changes of a form, and tells whether one is in progress and why the last one failed. */
export function useAttempt(): {
  readonly busy: boolean;
  readonly problem: string;
  attempt(work: () => Promise<void>): Promise<void>;
} {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const attempt = async (work: () => Promise<void>) => {
    setBusy(true);
    setProblem('');
    await work().catch((failed: unknown) =>
      setProblem(failed instanceof Error ? failed.message : String(failed)),
    );
    setBusy(false);
  };
  return { busy, problem, attempt };
}

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
