import { useState } from 'preact/hooks';
import type { ToolName } from '../../../api.ts';
import { Button, focusFirst, TextArea } from '../controls/fields.tsx';
import { Icon, type IconName } from '../controls/icon.tsx';
import { useActions } from '../shared/actions.tsx';
import { ChangeButton } from '../shared/buttons.tsx';
import { DraftMark, useDraft } from '../shared/drafts.tsx';
import type { InboxAction, InboxItem } from '../shared/inbox.tsx';
import { perform } from './perform.ts';

const icons: Readonly<Record<InboxItem['kind'], IconName>> = {
  approval: 'shield',
  question: 'comment',
  changes: 'flow',
  routine: 'routines',
  invitation: 'calendar',
  conflict: 'calendar',
  task: 'check',
  delivery: 'bell',
  calendar: 'calendar',
};
/** True for what failed, and not for a routine that only has to be confirmed. */
const hasFailed = ({ kind, actions: [first] }: InboxItem) =>
  ['delivery', 'calendar'].includes(kind) || (kind === 'routine' && !('as_of' in (first?.arguments ?? {})));
/** Where a kind is looked at, instead of at its title. */
const looks: Partial<Readonly<Record<InboxItem['kind'], string>>> = { changes: 'Review', conflict: 'Show' };

/** What waits besides permission, with the buttons that answer it. */
export function NeedList({ items, wanted }: { items: readonly InboxItem[]; wanted: string | undefined }) {
  return (
    <ul class="card need-list">
      {items.map((item) => (
        <Need key={item.id} item={item} isWanted={item.id === wanted} />
      ))}
    </ul>
  );
}

interface NeedProps {
  readonly item: InboxItem;
  /** True if the address names this thing, as from a notification. */
  readonly isWanted: boolean;
}

function Need({ item, isWanted }: NeedProps) {
  const { id, kind, title, detail, page = '#', questions = [], actions } = item;
  const { busy, act, client, invalidate } = useActions();
  const draft = useDraft('answer', id, () => ({ text: '' }));
  const [asking, setAsking] = useState(
    draft.edited || isWanted ? actions.find(({ asks }) => asks) : undefined,
  );
  const look = looks[kind];
  const run = (action: InboxAction, more = {}) =>
    act(async () => {
      const done = await perform(client, action, more);
      invalidate('resources');
      return { text: `${action.label}: ${title}`, ...done };
    });
  const send = async (event: Event) => {
    event.preventDefault();
    const { text } = draft.fields;
    if (!asking?.asks || !(await run(asking, { [asking.asks]: text }))) return;
    draft.clear();
    setAsking(undefined);
  };
  return (
    <li class="need" aria-label={title}>
      <span class={`need-icon ${hasFailed(item) ? 'bad' : ''}`}>
        <Icon name={icons[kind]} />
      </span>
      <div class="grow">
        <h3>
          <a href={page}>{title}</a>
        </h3>
        {questions.length > 1 && (
          <ul class="need-questions">
            {questions.slice(1).map((question) => (
              <li key={question}>{question}</li>
            ))}
          </ul>
        )}
        <p class="need-meta">{detail}</p>
        {asking && (
          <form class="answer" data-form={draft.form} onSubmit={send}>
            <TextArea label="Your answer" rows={2} required {...draft.field('text')} ref={focusFirst} />
            <p class="buttons">
              <ChangeButton type="submit" tool={asking.tool as ToolName} disabled={busy}>
                Send answer
              </ChangeButton>
              <Button class="plain" onClick={() => setAsking(undefined)}>
                Back
              </Button>
              <DraftMark draft={draft} />
            </p>
          </form>
        )}
      </div>
      {!asking && (
        <div class="need-actions">
          <DismissButton items={[item]} title={title} />
          {actions.map((action) => (
            <ChangeButton
              key={action.label}
              tool={action.tool as ToolName}
              class={action === actions[0] && look === undefined ? '' : 'plain'}
              disabled={busy}
              onClick={() => (action.asks ? setAsking(action) : void run(action))}
            >
              {action.label}
            </ChangeButton>
          ))}
          {look && (
            <a class="button" href={page}>
              {look}
            </a>
          )}
        </div>
      )}
    </li>
  );
}

interface DismissProps {
  readonly items: readonly InboxItem[];
  /** Of a single thing. */
  readonly title?: string;
}

/** Hides things until they change. */
export function DismissButton({ items, title }: DismissProps) {
  const { busy, act, client, invalidate } = useActions();
  const ids = items.map(({ id }) => id);
  const dismiss = () =>
    act(async () => {
      await client.tool('dismiss_inbox', { ids });
      invalidate('resources');
      return {
        text: `Dismissed ${title === undefined ? `${ids.length} things` : `“${title}”`}.`,
        undo: client.undoBy('dismiss_inbox', { ids, restore: true }),
      };
    });
  return (
    <ChangeButton
      class={title === undefined ? 'plain tight' : 'plain only'}
      tool="dismiss_inbox"
      disabled={busy}
      onClick={dismiss}
      {...(title !== undefined && { title: 'Dismiss until it changes', 'aria-label': `Dismiss ${title}` })}
    >
      {title === undefined ? 'Dismiss all' : <Icon name="cross" />}
    </ChangeButton>
  );
}
