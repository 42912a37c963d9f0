import { useState } from 'preact/hooks';
import type { ToolArguments } from '../../../api.ts';
import { ChangeButton } from '../shared/change-button.tsx';
import { useConnection } from '../shared/server-connection.tsx';
import { useToast } from '../shared/toast.tsx';
import { type CalendarEvent, localeOf, type User } from './calendar-data.ts';
import { ChangeOutcome, serverNote, undoToast, useConfirmedChange } from './confirmed-change.tsx';
import { type EventTimes, movedLike, timesOf, writtenTimes } from './event-times.ts';
import { NoticePreview } from './notice-preview.tsx';
import { RepeatField } from './repeat-field.tsx';
import { type Scope, ScopeChoice, scopeArguments } from './scope-choice.tsx';
import { TextField } from './text-field.tsx';
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
  done(): void;
}

const textFields = [
  ['location', 'Place', 'text', 'Room 4 or an address'],
  ['conf_link', 'Link to join', 'url', 'https://'],
] as const;

/** Creates an event, or changes one, one date of a series, or all of it. */
export function EventForm({ user, times: first, event, occurrence, calendars = [], attendees, done }: Props) {
  const { client } = useConnection();
  const toast = useToast();
  const change = useConfirmedChange();
  const zone = user.timezone ?? 'UTC';
  const locale = localeOf(user);
  const [times, setTimes] = useState(first);
  const [scope, setScope] = useState<Scope>('one');
  const [calendarId, setCalendarId] = useState('');
  const [fields, setFields] = useState(() => fieldsOf({ ...(attendees && { attendees }), ...event }));
  const set = (name: keyof typeof fields, value: string) => setFields({ ...fields, [name]: value });
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
            ...(calendarId !== '' && { calendar_id: calendarId }),
          })
        : client.undoable('update_event', {
            ...{ event_id: event.id, ...scoped, ...changed(event, fields, single), ...confirm },
            ...(timed && written),
          }),
    );
    if (made === undefined) return;
    const { answer, undo: joinAgain } = made.result;
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
    const { conflicts = [], no_reminders_because } = answer;
    const also = [
      conflicts.length > 0 ? ` At the same time: ${conflicts.map((one) => one.title).join(', ')}.` : '',
      no_reminders_because === undefined ? '' : ` No reminders: ${no_reminders_because}`,
    ].join('');
    const text = `${event === undefined ? 'Added' : 'Saved'} “${fields.title}”.${also}${serverNote(answer)}`;
    toast(undoToast(text, made, split ? joinAgain : undo));
    done();
  };
  return (
    <form class="editor event-form" onSubmit={save}>
      <TextField label="Title" required value={fields.title} change={(value) => set('title', value)} />
      {occurrence !== undefined && <ScopeChoice label="Change" chosen={scope} choose={setScope} />}
      <TimeFields {...{ times, locale }} change={setTimes} />
      {!single && (
        <RepeatField rule={fields.rrule} day={times.startDay} change={(rule) => set('rrule', rule)} />
      )}
      {textFields.map(([name, label, type, placeholder]) => (
        <TextField
          key={name}
          {...{ label, type, placeholder }}
          value={fields[name]}
          change={(value) => set(name, value)}
        />
      ))}
      {!single && (
        <TextField
          label="People"
          placeholder="bob@example.com, cleo@example.com"
          value={fields.attendees}
          change={(value) => set('attendees', value)}
        />
      )}
      <label>
        Notes
        <textarea
          rows={3}
          value={fields.description}
          onInput={({ currentTarget }) => set('description', currentTarget.value)}
        />
      </label>
      <TextField
        label="Reminders"
        placeholder="as in the settings"
        hint="For this event, e.g. 30m, 1d 17:00. Write “none” for no reminder."
        value={fields.reminders}
        change={(value) => set('reminders', value)}
      />
      {event === undefined && calendars.length > 0 && (
        <label>
          Calendar
          <select value={calendarId} onChange={({ currentTarget }) => setCalendarId(currentTarget.value)}>
            <option value="">Only here</option>
            {calendars.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      {event !== undefined && timed && (
        <NoticePreview
          name={user.name}
          {...{ zone, locale }}
          change={{ event_id: event.id, ...scoped, start_ts: written.start_ts }}
        />
      )}
      <ChangeOutcome change={change} />
      <p class="buttons">
        <ChangeButton type="submit" class="primary" disabled={change.busy}>
          {change.question ? 'Send and save' : event === undefined ? 'Add event' : 'Save'}
        </ChangeButton>
        <button type="button" onClick={done}>
          Cancel
        </button>
      </p>
    </form>
  );
}

type Fields = Record<'location' | 'conf_link' | 'attendees' | 'description' | 'rrule' | 'reminders', string>;

const lists = (text: string) =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');

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
  const cleared = { location: undefined, conf_link: undefined, attendees: undefined };
  const more = { description: undefined, rrule: undefined, reminders: undefined };
  return { ...event, ...cleared, ...more, title: fields.title, ...given(fields) } as CalendarEvent;
}

/** The filled fields as arguments. */
function given(fields: Fields): Omit<ToolArguments<'create_event'>, 'user_id' | 'title' | 'start_ts'> {
  const { location, conf_link, attendees, description, rrule, reminders } = fields;
  return {
    ...(location !== '' && { location }),
    ...(conf_link !== '' && { conf_link }),
    ...(attendees !== '' && { attendees: lists(attendees) }),
    ...(description !== '' && { description }),
    ...(rrule !== '' && { rrule }),
    ...(reminders !== '' && { reminders: reminders.trim() === 'none' ? [] : lists(reminders) }),
  };
}

/** Only what differs from the event, and the names of the fields that were cleared. */
function changed(event: CalendarEvent, fields: Fields & { title: string }, single: boolean) {
  const { title: _, ...before } = fieldsOf(event);
  const names = (Object.keys(before) as (keyof Fields)[]).filter(
    (name) => fields[name] !== before[name] && !(single && (name === 'rrule' || name === 'attendees')),
  );
  const differing = given(
    Object.fromEntries(
      Object.keys(before).map((name) => [
        name,
        names.includes(name as keyof Fields) ? fields[name as keyof Fields] : '',
      ]),
    ) as Fields,
  );
  const unset = names.filter((name) => fields[name] === '');
  return {
    ...(fields.title !== event.title && { title: fields.title }),
    ...differing,
    ...(unset.length > 0 && { unset }),
  };
}
