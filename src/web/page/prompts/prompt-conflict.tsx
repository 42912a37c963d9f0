import { useEffect, useRef } from 'preact/hooks';
import { lineDifference } from '../shared/line-difference.ts';
import type { PromptSource } from './prompt-draft.ts';
import { type PromptVersion, promptText } from './prompt-text.ts';

/** The server has another version than the one that was edited. */
export interface Conflict {
  /** Absent when the prompt was deleted. */
  readonly theirs: PromptSource | undefined;
}

interface Props extends Conflict {
  readonly mine: PromptVersion;
  keepMine(): void;
  takeTheirs(): void;
}

/** Shows both versions of a prompt that was changed in two places. Nothing is saved until one is chosen. */
export function PromptConflict({ mine, theirs, keepMine, takeTheirs }: Props) {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.focus(), []);
  const lines = lineDifference(promptText(theirs), promptText(mine));
  return (
    <section ref={panel} class="conflict" aria-labelledby="conflict-heading" tabIndex={-1}>
      <h2 id="conflict-heading">
        {theirs ? 'This prompt was changed elsewhere' : 'This prompt was deleted elsewhere'}
      </h2>
      <p role="alert">
        {theirs
          ? 'Somebody saved another version while you were editing. Yours is not saved yet: choose which one to keep.'
          : 'Somebody deleted it while you were editing. Your version is not saved: keep it or let it go.'}
      </p>
      <div class="columns">
        <section>
          <h3>Your version</h3>
          <Lines lines={lines} kind="added" mark="+" label="Your version" />
          <button type="button" class="primary" onClick={keepMine}>
            Keep mine
          </button>
          {theirs && (
            <small>
              Saves what you edited over the version on the server, which stays in the history. Fields you did
              not edit stay as they are there.
            </small>
          )}
        </section>
        <section>
          <h3>On the server</h3>
          {theirs ? (
            <Lines lines={lines} kind="removed" mark="−" label="Version on the server" />
          ) : (
            <p class="quiet">Deleted</p>
          )}
          <button type="button" onClick={takeTheirs}>
            {theirs ? 'Take theirs' : 'Discard mine'}
          </button>
          {theirs && <small>Puts the version on the server into the form.</small>}
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

/** One side: the lines both have, and its own. */
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
