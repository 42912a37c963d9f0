import { useEffect, useRef } from 'preact/hooks';
import { ChangeButton } from '../shared/change-button.tsx';
import { lineDifference } from '../shared/line-difference.ts';
import type { PromptSource } from './prompt-draft.ts';
import { type PromptVersion, promptText } from './prompt-text.ts';

/** The version on the server is not the version the edit started from. */
export interface Conflict {
  /** Absent when the prompt was deleted. */
  readonly theirs: PromptSource | undefined;
  /** The conflict was found while saving. Otherwise the user may still be typing and keeps the focus. */
  readonly whileSaving?: boolean;
}

interface Props extends Conflict {
  readonly mine: PromptVersion;
  keepMine(): void;
  loadTheirs(): void;
}

/** Shows both versions of a prompt that was changed in two places. Nothing is saved until one is chosen. */
export function PromptConflict({ mine, theirs, whileSaving, keepMine, loadTheirs }: Props) {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    if (whileSaving) panel.current?.focus();
  }, [whileSaving]);
  const lines = lineDifference(promptText(theirs), promptText(mine));
  return (
    <section ref={panel} class="conflict" aria-labelledby="conflict-heading" tabIndex={-1}>
      <h2 id="conflict-heading">
        {theirs ? 'This prompt was changed elsewhere' : 'This prompt was deleted elsewhere'}
      </h2>
      <p role="alert">
        {theirs
          ? 'Someone saved another version while you were editing. Your version is not saved yet. Choose which version to keep.'
          : 'Someone deleted this prompt while you were editing. Your version is not saved yet. Keep it or discard it.'}
      </p>
      <div class="columns">
        <section>
          <h3>Your version</h3>
          <Lines lines={lines} kind="added" mark="+" label="Your version" />
          <ChangeButton type="button" class="primary" onClick={keepMine}>
            Keep mine
          </ChangeButton>
          {theirs && (
            <small>
              Replaces the version on the server with your edits. The replaced version stays in the history.
              Fields you did not edit keep their values from the server.
            </small>
          )}
        </section>
        <section>
          <h3>Version on the server</h3>
          {theirs ? (
            <Lines lines={lines} kind="removed" mark="−" label="Version on the server" />
          ) : (
            <p class="quiet">Deleted</p>
          )}
          <button type="button" onClick={loadTheirs}>
            {theirs ? 'Use theirs' : 'Discard mine'}
          </button>
          {theirs && <small>Loads the version on the server into the form. Your edits are discarded.</small>}
        </section>
      </div>
    </section>
  );
}

interface LinesProps {
  readonly lines: ReturnType<typeof lineDifference>;
  readonly kind: 'added' | 'removed';
  readonly mark: string;
  readonly label: string;
}

/** One side of the comparison: the common lines and the lines only this side has. */
function Lines({ lines, kind, mark, label }: LinesProps) {
  return (
    <pre class="difference" role="region" aria-label={label} tabIndex={0}>
      {lines.map((line, index) =>
        line.kind === 'same' || line.kind === kind ? (
          <span key={index} class={line.kind}>{`${line.kind === kind ? mark : ' '} ${line.text}\n`}</span>
        ) : null,
      )}
    </pre>
  );
}
