import { useEffect, useRef } from 'preact/hooks';
import { wholeList } from '../../../paging.ts';
import { Button } from '../controls/fields.tsx';
import { authorOf } from '../shared/author.ts';
import { ChangeButton } from '../shared/buttons.tsx';
import { DiffTable } from '../shared/diff-table.tsx';
import { lineDifference } from '../shared/line-difference.ts';
import { useConnection, useTool } from '../shared/server-connection.tsx';
import type { PromptSource } from './prompt-draft.ts';
import { type PromptVersion, promptText } from './prompt-text.ts';

/** The version on the server is not the version the edit started from. */
export interface Conflict {
  /** Absent when the prompt was deleted. */
  readonly theirs: PromptSource | undefined;
  /** The conflict was found while saving. Otherwise the user may still be typing and keeps the focus. */
  readonly whileSaving?: boolean;
}

interface PromptConflictProps extends Conflict {
  readonly name: string;
  readonly comparing: boolean;
  compare(): void;
  keepMine(): void;
  loadTheirs(): void;
}

/** Says that a prompt was changed in two places, and by whom. Nothing is saved until one version is chosen. */
export function PromptConflict({
  name,
  theirs,
  whileSaving,
  comparing,
  compare,
  ...props
}: PromptConflictProps) {
  const banner = useRef<HTMLElement>(null);
  useEffect(() => {
    if (whileSaving) banner.current?.focus();
  }, [whileSaving]);
  const author = useLastAuthor(name);
  const what = theirs ? 'saved another version' : 'deleted this prompt';
  return (
    <section ref={banner} class="conflict" aria-labelledby="conflict-heading" tabIndex={-1}>
      <h2 id="conflict-heading">
        {theirs ? 'This prompt was changed elsewhere' : 'This prompt was deleted elsewhere'}
      </h2>
      <p role="alert">
        {author} {what} while you were editing. Your version is not saved yet.
      </p>
      <p class="buttons">
        {theirs && (
          <Button aria-expanded={comparing} onClick={compare}>
            Compare
          </Button>
        )}
        <ChangeButton
          class="primary"
          tool={theirs ? 'update_prompt' : 'create_prompt'}
          title={
            theirs && 'Their version stays in the history. Fields that you did not edit keep their values.'
          }
          onClick={props.keepMine}
        >
          Keep mine
        </ChangeButton>
        <Button
          title={theirs && 'Loads their version into the form. Your edits are discarded.'}
          onClick={props.loadTheirs}
        >
          {theirs ? 'Take theirs' : 'Discard mine'}
        </Button>
      </p>
    </section>
  );
}

/** Who made the last change of a prompt, at the start of a sentence. */
function useLastAuthor(name: string): string {
  const { changes } = useConnection();
  const { value } = useTool('prompt_history', { name, ...wholeList }, changes.prompts);
  const last = value?.revisions.at(-1);
  if (last === undefined) return 'Somebody';
  const author = last.action === 'outside' ? 'another program' : authorOf(last.client.name);
  return author.replace(/^./u, (letter) => letter.toUpperCase());
}

interface ComparisonProps {
  readonly mine: PromptVersion;
  readonly theirs: PromptSource;
}

/** The two versions of a conflict side by side: the common lines, and those that only one of them has. */
export function ConflictComparison({ mine, theirs }: ComparisonProps) {
  const lines = lineDifference(promptText(theirs), promptText(mine));
  return (
    <div class="columns conflict-versions">
      {(
        [
          ['Your version', 'added'],
          ['Version on the server', 'removed'],
        ] as const
      ).map(([label, own]) => (
        <section key={own}>
          <h3>{label}</h3>
          <DiffTable label={label} rows={lines.filter(({ kind }) => kind === 'same' || kind === own)} />
        </section>
      ))}
    </div>
  );
}
