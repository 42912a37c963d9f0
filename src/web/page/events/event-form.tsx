import { useState } from 'preact/hooks';
import type { ToolArguments } from '../../../api.ts';
import { focusFirst, SelectField, TextArea, TextField } from '../controls/fields.tsx';
import { splitList } from '../controls/words.ts';
import { DraftMark, useDraft } from '../shared/drafts.tsx';
import { useConnection, useTool } from '../shared/server-connection.tsx';
import { useToast } from '../shared/toast.tsx';
import { dayTitle } from '../shared/zone-time.ts';
import { type CalendarEvent, localeOf, type User } from './calendar-data.ts';
import {
  Confirmation,
  type Scope,
  ScopeChoice,
  scopeArguments,
  serverNote,
  undoToast,
  useConfirmedChange,
} from './event-change.tsx';
import { type EventTimes, formatTimes, movedLike, timesOf, writtenTimes } from './event-times.ts';
import { TimeFields } from './time-fields.tsx';

/** A calendar in which the event can be stored, besides here. */
export interface Writable {
  readonly id: string;
  readonly name: string;
}

interface Props {
  readonly user: User;
  readonly times: EventTimes;
  /** The event to change, with all its fields. A new one without it. */
  readonly event?: CalendarEvent | undefined;
  /** The chosen date of a series. */
  readonly occurrence?: string | undefined;
  readonly calendars?: readonly Writable[];
  readonly attendees?: readonly string[];
  /** True if the reminders are what the person came for. */
  readonly focusReminders?: boolean;
  done(): void;
}

const textFields = [
  ['location', 'Place', 'text', 'Room 4 or an address'],
  ['conf_link', 'Link to join', 'url', 'https://'],
] as const;

/** Creates an event, or changes one, one date of a series, or all of it. */
export function EventForm({
  user,
  times: first,
  event,
  occurrence,
  calendars = [],
  attendees,
  focusReminders,
  done,
}: Props) {
  const { client } = useConnection();
  const toast = useToast();
  const change = useConfirmedChange();
  const zone = user.timezone ?? 'UTC';
  const begun = () => ({
    ...fieldsOf({ ...(attendees && { attendees }), ...event }),
    ...{ times: first, scope: 'one' as Scope, calendarId: user.home_calendar ?? '' },
  });
  const about = event === undefined ? user.id : `${event.id}@${occurrence ?? ''}`;
  const draft = useDraft(event === undefined ? 'event' : 'event changes', about, begun, {
    chosen: ['times'],
  });
  const { fields, field } = draft;
  const { times, scope, calendarId } = fields;
  const single = occurrence !== undefined && scope === 'one';
  const timed = JSON.stringify(times) !== JSON.stringify(first);
  const isSeries = event !== undefined && occurrence !== undefined && scope === 'all';
  const target = timed && isSeries ? movedLike(timesOf(event, zone), first, times) : times;
  const written = writtenTimes(target, zone);
  const scoped = scopeArguments(occurrence, scope);

  const save = async (submitted: Event) => {
    submitted.preventDefault();
    const made = await change.run((confirm) =>
      event === undefined
        ? client.undoable('create_event', {
            ...{ user_id: user.id, title: fields.title, ...written, ...given(fields), ...confirm },
            calendar_id: calendarId === '' ? 'local' : calendarId,
          })
        : client.undoable('update_event', {
            ...{ event_id: event.id, ...scoped, ...changed(event, fields, single), ...confirm },
            ...(timed && written),
          }),
    );
    if (made === undefined) return;
    const { answer, undo: undoOnServer } = made.result;
    const undo =
      event === undefined
        ? () => client.tool('delete_event', { event_id: answer.id })
        : () =>
            client.tool('update_event', {
              ...{ event_id: event.id, ...scoped },
              ...changed(applied(event, fields), fieldsOf(event), single),
              ...(timed && writtenTimes(isSeries ? timesOf(event, zone) : first, zone)),
            });
    const split = event !== undefined && occurrence !== undefined && scope === 'following';
    const { conflicts = [], no_reminders_because, warnings = [] } = answer;
    const also = [
      conflicts.length > 0 ? ` At the same time: ${conflicts.map((one) => one.title).join(', ')}.` : '',
      no_reminders_because === undefined ? '' : ` No reminders: ${no_reminders_because}`,
      ...warnings.map((warning) => ` ${warning}`),
    ].join('');
    const text = `${event === undefined ? 'Added' : 'Saved'} “${fields.title}”.${also}${serverNote(answer)}`;
    toast(undoToast(text, made, undoOnServer ?? (split ? undefined : undo)));
    draft.clear();
    done();
  };
  return (
    <form class="editor event-form" onSubmit={save} data-form={draft.form}>
      <div class="buttons">
        <DraftMark draft={draft} />
      </div>
      <TextField label="Title" required {...field('title')} />
      {occurrence !== undefined && (
        <ScopeChoice label="Change" chosen={scope} choose={field('scope').change} />
      )}
      <TimeFields times={times} locale={localeOf(user)} change={field('times').change} />
      {!single && <RepeatField {...field('rrule')} day={times.startDay} />}
      {textFields.map(([name, label, type, placeholder]) => (
        <TextField key={name} {...{ label, type, placeholder }} {...field(name)} />
      ))}
      {!single && (
        <TextField label="People" placeholder="bob@example.com, cleo@example.com" {...field('attendees')} />
      )}
      <TextArea label="Notes" rows={3} {...field('description')} />
      <TextField
        label="Reminders"
        placeholder="as in the settings"
        hint="For this event, e.g. 30m, 1d 17:00. Write “none” for no reminder."
        {...field('reminders')}
        {...(focusReminders && { ref: focusFirst })}
      />
      {event === undefined && calendars.length > 0 && (
        <SelectField
          label="Calendar"
          {...field('calendarId')}
          options={{ '': 'Only here', ...Object.fromEntries(calendars.map(({ id, name }) => [id, name])) }}
        />
      )}
      <Confirmation
        {...{ change, user }}
        notice={
          event !== undefined && timed
            ? { event_id: event.id, ...scoped, start_ts: written.start_ts }
            : undefined
        }
        tool={event === undefined ? 'create_event' : 'update_event'}
        action={event === undefined ? 'Add event' : 'Save'}
        verb="save"
        cancel={done}
      />
    </form>
  );
}

const names = ['location', 'conf_link', 'attendees', 'description', 'rrule', 'reminders'] as const;
type Fields = Record<(typeof names)[number], string>;

/** The event as the text of its form. */
function fieldsOf(event: Partial<CalendarEvent>): Fields & { title: string } {
  return {
    ...{ title: event.title ?? '', location: event.location ?? '', conf_link: event.conf_link ?? '' },
    ...{ attendees: (event.attendees ?? []).join(', '), description: event.description ?? '' },
    ...{ rrule: event.rrule ?? '', reminders: event.reminders?.join(', ') ?? '' },
  };
}

/** The event with the values of its form. */
function applied(event: CalendarEvent, fields: Fields & { title: string }): CalendarEvent {
  const cleared = Object.fromEntries(names.map((name) => [name, undefined]));
  return { ...event, ...cleared, title: fields.title, ...given(fields) } as CalendarEvent;
}

/** The filled fields as arguments. */
function given(fields: Fields): Omit<ToolArguments<'create_event'>, 'user_id' | 'title' | 'start_ts'> {
  const filled = names.filter((name) => fields[name] !== '');
  return Object.fromEntries(
    filled.map((name) => {
      const text = fields[name];
      if (name !== 'attendees' && name !== 'reminders') return [name, text];
      return [name, name === 'reminders' && text.trim() === 'none' ? [] : splitList(text)];
    }),
  );
}

/** Only what differs from the event, and the names of the fields that were cleared. */
function changed(event: CalendarEvent, fields: Fields & { title: string }, single: boolean) {
  const before = fieldsOf(event);
  const differing = names.filter(
    (name) => fields[name] !== before[name] && !(single && (name === 'rrule' || name === 'attendees')),
  );
  const unset = differing.filter((name) => fields[name] === '');
  const same = Object.fromEntries(
    names.filter((name) => !differing.includes(name)).map((name) => [name, '']),
  );
  return {
    ...(fields.title !== event.title && { title: fields.title }),
    ...given({ ...fields, ...same }),
    ...(unset.length > 0 && { unset }),
  };
}

interface RepeatFieldProps {
  readonly value: string;
  /** The first day, for the names of the choices. */
  readonly day: string;
  change(rule: string): void;
}

/** The usual rules of a series that begins on a day, in words. */
const repeats = (day: string): Readonly<Record<string, string>> => ({
  '': 'Once',
  'FREQ=DAILY': 'Every day',
  'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR': 'Monday to Friday',
  'FREQ=WEEKLY': `Every week on ${dayTitle(day, 'weekdayName')}`,
  'FREQ=WEEKLY;INTERVAL=2': `Every second week on ${dayTitle(day, 'weekdayName')}`,
  'FREQ=MONTHLY': 'Every month on this date',
  'FREQ=YEARLY': `Every year on ${dayTitle(day, 'day')}`,
});

export const repeatTitle = (rule: string, day: string) => repeats(day)[rule] ?? rule;

/** How often an event takes place. Other rules can be written as in iCalendar. */
function RepeatField({ value: rule, day, change }: RepeatFieldProps) {
  const choices = repeats(day);
  const [own, setOwn] = useState(!(rule in choices));
  return (
    <>
      <SelectField
        label="Repeats"
        value={own ? 'own' : rule}
        options={{ ...choices, own: 'Another rule…' }}
        change={(chosen) => {
          setOwn(chosen === 'own');
          change(chosen === 'own' ? rule : chosen);
        }}
      />
      {own && (
        <TextField
          label="Rule"
          value={rule}
          spellcheck={false}
          placeholder="FREQ=WEEKLY;BYDAY=MO;COUNT=10"
          hint="An iCalendar recurrence rule."
          change={change}
        />
      )}
    </>
  );
}

interface EventMoveProps {
  readonly user: User;
  readonly event: CalendarEvent;
  readonly times: EventTimes;
  change(times: EventTimes): void;
  done(): void;
}

/** Moves an event to times that were dragged or are chosen here, and shows who is notified. */
export function EventMove({ user, event, times, change: setTimes, done }: EventMoveProps) {
  const { client } = useConnection();
  const toast = useToast();
  const change = useConfirmedChange();
  const [scope, setScope] = useState<Scope>('one');
  const zone = user.timezone ?? 'UTC';
  const locale = localeOf(user);
  const { value: whole, error } = useTool('get_event', { event_id: event.id });
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
        made.result.undo ?? (scope === 'following' ? undefined : () => client.tool('update_event', back)),
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
      <TimeFields times={times} locale={locale} change={setTimes} />
      {event.occurrence !== undefined && <ScopeChoice label="Move" chosen={scope} choose={setScope} />}
      {error && <p class="problem">{error.message}</p>}
      <Confirmation
        {...{ change, user }}
        notice={{ event_id: event.id, ...scoped, start_ts: written.start_ts }}
        tool="update_event"
        action="Move event"
        verb="move"
        disabled={!whole || JSON.stringify(times) === JSON.stringify(before)}
        cancel={done}
        run={move}
      />
    </div>
  );
}
