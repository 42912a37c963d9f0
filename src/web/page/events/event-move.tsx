import { useState } from 'preact/hooks';
import { ChangeButton } from '../shared/change-button.tsx';
import { useConnection, useLoaded } from '../shared/server-connection.tsx';
import { useToast } from '../shared/toast.tsx';
import { type CalendarEvent, localeOf, type User } from './calendar-data.ts';
import { ChangeOutcome, serverNote, undoToast, useConfirmedChange } from './confirmed-change.tsx';
import { type EventTimes, formatTimes, movedLike, timesOf, writtenTimes } from './event-times.ts';
import { NoticePreview } from './notice-preview.tsx';
import { type Scope, ScopeChoice, scopeArguments } from './scope-choice.tsx';

interface Props {
  readonly user: User;
  readonly event: CalendarEvent;
  readonly times: EventTimes;
  done(): void;
}

/** Asks before an event that was dragged is moved, and shows who is notified. */
export function EventMove({ user, event, times, done }: Props) {
  const { client } = useConnection();
  const toast = useToast();
  const change = useConfirmedChange();
  const [scope, setScope] = useState<Scope>('one');
  const zone = user.timezone ?? 'UTC';
  const locale = localeOf(user);
  const { value: whole, error } = useLoaded(
    (mcp, signal) => mcp.tool('get_event', { event_id: event.id }, { signal }),
    [event.id],
  );
  const before = timesOf(event, zone);
  const scoped = scopeArguments(event.occurrence, scope);
  const isSeries = event.occurrence !== undefined && scope === 'all';
  // All of a series moves as far as the date that was dragged.
  const from = isSeries && whole ? timesOf(whole, zone) : before;
  const target = isSeries ? movedLike(from, before, times) : times;
  const written = writtenTimes(target, zone);
  const move = async () => {
    const made = await change.run((confirm) =>
      client.undoable('update_event', { event_id: event.id, ...scoped, ...written, ...confirm }),
    );
    if (made === undefined) return;
    const back = { event_id: event.id, ...scoped, ...writtenTimes(from, zone) };
    toast(
      undoToast(
        `Moved “${event.title}” to ${formatTimes(times, locale)}.${serverNote(made.result.answer)}`,
        made,
        scope === 'following' ? made.result.undo : () => client.tool('update_event', back),
      ),
    );
    done();
  };
  return (
    <div class="event-move">
      <p>
        <s>{formatTimes(before, locale)}</s>
        <br />
        <strong>{formatTimes(times, locale)}</strong>
      </p>
      {event.occurrence !== undefined && <ScopeChoice label="Move" chosen={scope} choose={setScope} />}
      <NoticePreview
        name={user.name}
        {...{ zone, locale }}
        change={{ event_id: event.id, ...scoped, start_ts: written.start_ts }}
      />
      {error && <p class="problem">{error.message}</p>}
      <ChangeOutcome change={change} />
      <p class="buttons">
        <ChangeButton type="button" class="primary" disabled={change.busy || !whole} onClick={move}>
          {change.question ? 'Send and move' : 'Move event'}
        </ChangeButton>
        <button type="button" onClick={done}>
          Cancel
        </button>
      </p>
    </div>
  );
}
