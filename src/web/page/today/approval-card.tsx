import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useShortcuts } from '../controls/commands.ts';
import { TextField } from '../controls/fields.tsx';
import { Icon } from '../controls/icon.tsx';
import { useActions } from '../shared/actions.tsx';
import { ChangeButton } from '../shared/buttons.tsx';
import { DraftMark, useDraft } from '../shared/drafts.tsx';
import type { InboxItem } from '../shared/inbox.tsx';
import { useTicks } from '../shared/server-connection.tsx';
import { visibleText } from '../shared/visible-text.ts';
import { shortTime } from '../shared/zone-time.ts';
import { perform } from './perform.ts';

/** Keys answer only after this time, so that a second press does not answer a card that just moved up. */
const keysMs = 700;

interface Props {
  readonly item: InboxItem;
  /** True for the one card that keys answer. */
  readonly hasKeys: boolean;
  /** True if the address names this card, as from a notification. */
  readonly isWanted: boolean;
  done(): void;
}

/** What an agent asks permission for: the whole request, what it gains, the answers and the time that is left. */
export function ApprovalCard({ item, hasKeys, isWanted, done }: Props) {
  const { title, detail = '', since, expires_at, page = '#', actions } = item;
  const request = item.request!;
  const { busy, act, client, invalidate } = useActions();
  const draft = useDraft('refusal', `${request.run_id} ${request.approval_id}`, () => ({ reason: '' }));
  const [refusing, setRefusing] = useState(draft.edited);
  const card = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isWanted) card.current?.focus();
  }, [isWanted]);
  const answer = (label: string, more: object = {}) => {
    const action = actions.find((one) => one.label === label);
    if (busy || action === undefined) return;
    void act(async () => {
      await perform(client, action, more);
      draft.clear();
      done();
      invalidate('resources');
      return { text: label === 'Refuse' ? 'Refused.' : 'Allowed.' };
    });
  };
  const keys = useReady(hasKeys);
  const refuse = () => setRefusing(true);
  useShortcuts(keys && !refusing ? { a: () => answer('Allow once'), r: refuse } : {});
  const titleId = useId();
  const subject = request.command ?? request.diff ?? request.host ?? request.tool;
  return (
    <article class="approval" aria-labelledby={titleId} tabIndex={-1} ref={card}>
      <header>
        <Icon name="shield" />
        <h3 id={titleId}>{title}</h3>
        {expires_at && <TimeLeft since={since} until={expires_at} />}
      </header>
      <p class="small soft">
        <a href={page}>{detail}</a> · asked {shortTime(since)}
      </p>
      {request.reason && <p class="small">{visibleText(request.reason)}</p>}
      {subject !== undefined && <pre class="code">{visibleText(subject)}</pre>}
      {request.cwd && (
        <p class="small soft">
          In <code>{request.cwd}</code>
        </p>
      )}
      <p class="gains">
        <Icon name="expand" />
        <span>{request.gains}</span>
      </p>
      {!refusing ? (
        <footer>
          {actions.map(({ label }, index) =>
            label === 'Refuse' ? (
              <ChangeButton key={label} disabled={busy} onClick={refuse}>
                Refuse… {keys && <kbd>R</kbd>}
              </ChangeButton>
            ) : (
              <ChangeButton
                key={label}
                class={index === 0 && hasKeys ? 'primary' : ''}
                disabled={busy}
                onClick={() => answer(label)}
              >
                {label} {label === 'Allow once' && keys && <kbd>A</kbd>}
              </ChangeButton>
            ),
          )}
          {actions.length === 0 && <span>Only the owner of the server can answer.</span>}
          {expires_at && <span>Refused at {shortTime(expires_at)} without an answer</span>}
        </footer>
      ) : (
        <form
          class="answer"
          data-form={draft.form}
          onSubmit={(event) => {
            event.preventDefault();
            const reason = draft.fields.reason.trim();
            answer('Refuse', reason === '' ? {} : { reason });
          }}
        >
          <TextField
            label="Reason for the agent (optional)"
            {...draft.field('reason')}
            ref={focusFirst}
            onKeyDown={(event: KeyboardEvent) => event.key === 'Escape' && setRefusing(false)}
          />
          <footer class="buttons">
            <ChangeButton type="submit" disabled={busy}>
              Refuse
            </ChangeButton>
            <ChangeButton class="plain" onClick={() => setRefusing(false)}>
              Back
            </ChangeButton>
            <DraftMark draft={draft} />
          </footer>
        </form>
      )}
    </article>
  );
}

/** Focuses a field when it appears. */
export const focusFirst = (element: HTMLElement | null) => element?.focus();

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
