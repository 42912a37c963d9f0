import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useShortcuts } from '../controls/commands.ts';
import { Button, focusFirst, TextField } from '../controls/fields.tsx';
import { Icon } from '../controls/icon.tsx';
import { ChangeButton } from '../shared/buttons.tsx';
import { DraftMark, useDraft } from '../shared/drafts.tsx';
import { useTicks } from '../shared/server-connection.tsx';
import { visibleText } from '../shared/visible-text.ts';
import { shortTime } from '../shared/zone-time.ts';

/** Keys answer only after this time, so that a second press does not answer a card that just moved up. */
const keysMs = 700;

/** What an agent asks permission for, as the inbox and the run tell it. */
interface Request {
  readonly run_id?: string;
  readonly command?: string;
  readonly diff?: string;
  readonly host?: string;
  readonly tool?: string;
  readonly arguments?: string;
  readonly cwd?: string;
  readonly reason?: string;
  /** What the agent gets if it is allowed. */
  readonly gains?: string | undefined;
}

interface Props {
  readonly title: string;
  /** Who asks, and where. */
  readonly about: ComponentChildren;
  readonly request: Request;
  /** Names the request among all drafts. */
  readonly id: string;
  readonly since: string;
  readonly until: string | undefined;
  /** The labels of the possible answers. */
  readonly answers: readonly string[];
  /** True for the one card that keys answer. */
  readonly hasKeys: boolean;
  /** True if the address names this card, as from a notification. */
  readonly isWanted?: boolean;
  /** Resolves to whether the server has the answer. */
  answer(label: string, reason: string): Promise<boolean>;
}

export const answerLabels = {
  allow_once: 'Allow once',
  allow_run: 'Allow for this run',
  refuse: 'Refuse',
} as const;

/** What an agent asks permission for: the whole request, what it gains, the answers and the time that is left. */
export function ApprovalCard({ request, answers, hasKeys, isWanted = false, since, until, ...props }: Props) {
  const draft = useDraft('refusal', props.id, () => ({ reason: '' }));
  const [refusing, setRefusing] = useState(draft.edited);
  const [busy, setBusy] = useState(false);
  const card = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isWanted) card.current?.focus();
  }, [isWanted]);
  const answer = async (label: string, reason = '') => {
    if (busy || !answers.includes(label)) return;
    setBusy(true);
    const isDone = await props.answer(label, reason);
    setBusy(false);
    if (isDone) draft.clear();
  };
  const keys = useReady(hasKeys);
  const refuse = () => setRefusing(true);
  useShortcuts(keys && !refusing ? { a: () => void answer(answerLabels.allow_once), r: refuse } : {});
  const titleId = useId();
  const subject = request.command ?? request.diff ?? request.host ?? request.tool;
  return (
    <article class="approval" aria-labelledby={titleId} tabIndex={-1} ref={card}>
      <header class="buttons">
        <Icon name="shield" />
        <h2 id={titleId}>{props.title}</h2>
        {until && <TimeLeft since={since} until={until} />}
      </header>
      <p class="small soft">
        {props.about} · asked {shortTime(since)}
      </p>
      {request.reason && <p class="small">{visibleText(request.reason)}</p>}
      {subject !== undefined && <pre class="code">{breakable(subject)}</pre>}
      {request.arguments && <pre class="code">{breakable(request.arguments)}</pre>}
      {request.cwd && (
        <p class="small soft">
          In <code>{request.cwd}</code>
        </p>
      )}
      {request.gains && (
        <p class="gains">
          <Icon name="expand" />
          <span>{request.gains}</span>
        </p>
      )}
      {!refusing ? (
        <footer class="buttons">
          {answers.map((label, index) =>
            label === answerLabels.refuse ? (
              <ChangeButton key={label} tool="answer_approval" disabled={busy} onClick={refuse}>
                Refuse… {keys && <kbd>R</kbd>}
              </ChangeButton>
            ) : (
              <ChangeButton
                key={label}
                tool="answer_approval"
                class={index === 0 && hasKeys ? 'primary' : ''}
                disabled={busy}
                onClick={() => void answer(label)}
              >
                {label} {label === answerLabels.allow_once && keys && <kbd>A</kbd>}
              </ChangeButton>
            ),
          )}
          {answers.length === 0 && <span>Only the owner of the server can answer.</span>}
          {until && <span>Refused at {shortTime(until)} without an answer</span>}
        </footer>
      ) : (
        <form
          class="answer"
          data-form={draft.form}
          onSubmit={(event) => {
            event.preventDefault();
            void answer(answerLabels.refuse, draft.fields.reason.trim());
          }}
        >
          <TextField
            label="Reason for the agent (optional)"
            {...draft.field('reason')}
            ref={focusFirst}
            onKeyDown={(event: KeyboardEvent) => event.key === 'Escape' && setRefusing(false)}
          />
          <footer class="buttons">
            <ChangeButton type="submit" tool="answer_approval" disabled={busy}>
              Refuse
            </ChangeButton>
            <Button class="plain" onClick={() => setRefusing(false)}>
              Back
            </Button>
            <DraftMark draft={draft} />
          </footer>
        </form>
      )}
    </article>
  );
}

/** The whole text, which may break after the characters that divide addresses and paths. */
function breakable(text: string): ComponentChildren {
  return visibleText(text)
    .split(/(?<=[/?&])/)
    .flatMap((part, index) => (index === 0 ? [part] : [<wbr key={index} />, part]));
}

function useReady(wanted: boolean): boolean {
  const [ready, setReady] = useState(false);
  useEffect(() => {
    setReady(false);
    if (!wanted) return;
    const timer = setTimeout(() => setReady(true), keysMs);
    return () => clearTimeout(timer);
  }, [wanted]);
  return ready;
}

function TimeLeft({ since, until }: { since: string; until: string }) {
  useTicks(1_000);
  const [from, to] = [Date.parse(since), Date.parse(until)];
  const left = Math.max(0, to - Date.now());
  const part = `${Math.round((100 * left) / Math.max(1, to - from))}%`;
  const text = left < 120_000 ? `${Math.ceil(left / 1000)} s left` : `${Math.floor(left / 60_000)} min left`;
  return (
    <span class="time-left" style={{ '--part': part }}>
      {text}
    </span>
  );
}
