import type { ComponentChildren } from 'preact';

interface Props {
  readonly value: string;
  readonly hint: string;
  /** The id of a list with folders to choose from. */
  readonly list?: string;
  readonly children?: ComponentChildren;
  change(folder: string): void;
}

/** The folder in which a sub-agent works. */
export const FolderField = ({ value, hint, list, children, change }: Props) => (
  <label>
    Working folder
    <input
      required
      value={value}
      placeholder="/path/to/project"
      spellcheck={false}
      list={list}
      onInput={(event) => change(event.currentTarget.value)}
    />
    {children}
    <small>{hint}</small>
  </label>
);
