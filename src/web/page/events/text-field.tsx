interface Props {
  readonly label: string;
  readonly value: string;
  readonly type?: string;
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly hint?: string;
  change(value: string): void;
}

/** One line of text with its label. */
export function TextField({
  label,
  value,
  type = 'text',
  placeholder,
  required = false,
  hint,
  change,
}: Props) {
  return (
    <label>
      {label}
      <input
        type={type as 'text'}
        {...{ value, placeholder, required }}
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
      {hint && <small>{hint}</small>}
    </label>
  );
}
