import { useEffect, useState } from 'preact/hooks';
import type { ToolAnswer, ToolArguments } from '../../../api.ts';
import { CheckField, DateField, Problem, SelectField, TextField } from '../controls/fields.tsx';
import { localeOf, type User } from '../events/calendar-data.ts';
import { formatTimes, timesOf } from '../events/event-times.ts';
import { ActionForm, useActions } from '../shared/actions.tsx';
import { ChangeButton } from '../shared/buttons.tsx';
import { useDraft } from '../shared/drafts.tsx';
import { wallTime } from '../shared/zone-time.ts';

type Proposals = ToolAnswer<'find_time'>;
type Slot = Proposals['slots'][number];

/** A search that was made elsewhere, and its result once it is known. */
export interface EarlierSearch {
  readonly asked: ToolArguments<'find_time'>;
  readonly proposals: Proposals | undefined;
}

interface Props {
  readonly user: User;
  readonly users: readonly User[];
  /** The people whose busy times the week shows. */
  readonly people: readonly string[];
  choosePeople(people: readonly string[]): void;
  readonly today: string;
  /** The days that the calendar shows. */
  readonly days: readonly string[];
  readonly earlier?: EarlierSearch | undefined;
}

const lengths = [15, 30, 45, 60, 90, 120, 180];

/** Finds a time when several people are free, books it and invites the others. */
export function FindTime({ user, users, people, choosePeople, earlier, today, days }: Props) {
  const { client, busy, problem, attempt } = useActions();
  const asked = earlier?.asked;
  const draft = useDraft('find a time', user.id, () => ({
    title: '',
    minutes: String(asked?.duration_minutes ?? 60),
    from: asked?.from?.slice(0, 10) ?? (days[0]! < today ? today : days[0]!),
    to: asked?.to?.slice(0, 10) ?? days.at(-1)!,
    hours: asked?.hours ?? '09:00-17:00',
  }));
  const { fields, field } = draft;
  const [found, setFound] = useState<Proposals | undefined>();
  useEffect(() => setFound(earlier?.proposals), [earlier?.proposals]);
  const zone = user.timezone ?? 'UTC';
  const everyone = [user.id, ...people];
  const nameOf = (id: string) => users.find((one) => one.id === id)?.name ?? id;
  const search = async () => {
    const { minutes, from, to, hours } = fields;
    setFound(
      await client.tool('find_time', {
        ...{ people: everyone, duration_minutes: Number(minutes), zone, hours, count: 8 },
        ...{ from: isToday(from, zone) ? new Date().toISOString() : from, to: `${to}T23:59` },
      }),
    );
  };
  const book = ({ start_ts, end_ts }: Slot) =>
    attempt(async () => {
      const event = { user_id: user.id, title: fields.title || 'Meeting', start_ts, end_ts };
      // The server invites the people among the attendees.
      const attendees = everyone.map((id) => attendeeOf(id, users));
      const { id: event_id } = await client.tool('create_event', {
        ...event,
        ...(people.length > 0 && { organizer: user.email ?? user.name, attendees }),
      });
      setFound(undefined);
      draft.clear();
      const invited = people.length === 0 ? '' : ` Invited: ${people.map(nameOf).join(', ')}.`;
      return { text: `Booked.${invited}`, undo: client.undoBy('delete_event', { event_id }) };
    });
  return (
    <>
      <ActionForm tool="find_time" action="Find a time" reads draft={draft} submit={search}>
        <TextField label="Title" placeholder="Meeting" {...field('title')} />
        <fieldset>
          <legend>With</legend>
          {users.length === 1 && (
            <p class="quiet">There is nobody else. Add a person to find a common time.</p>
          )}
          {users
            .filter(({ id }) => id !== user.id)
            .map(({ id, name }) => (
              <CheckField
                key={id}
                label={name}
                checked={people.includes(id)}
                change={(checked) =>
                  choosePeople(checked ? [...people, id] : people.filter((one) => one !== id))
                }
              />
            ))}
          <small>The week shows when they are busy.</small>
        </fieldset>
        <div class="time-row">
          <DateField label="From" {...field('from')} />
          <DateField label="To" min={fields.from} {...field('to')} />
        </div>
        <div class="time-row">
          <SelectField
            label="Length"
            options={[...new Set([...lengths, Number(fields.minutes)])].map(
              (length) => [String(length), `${length} minutes`] as const,
            )}
            {...field('minutes')}
          />
          <TextField label="Working hours" required pattern="\d\d:\d\d-\d\d:\d\d" {...field('hours')} />
        </div>
      </ActionForm>
      {found && (
        <>
          <Problem text={problem} />
          {found.unknown?.map(({ user_id, reason }) => (
            <p key={user_id} class="warning">
              {nameOf(user_id)}: {reason} Ask before you book.
            </p>
          ))}
          {found.slots.length === 0 && <p>{found.none_because ?? 'No common time was found.'}</p>}
          <ul class="plain-list task-list slots">
            {found.slots.map((slot) => (
              <li key={slot.start_ts}>
                <span>
                  <strong>{formatTimes(timesOf(slot, zone), localeOf(user))}</strong>
                  {slot.people
                    .filter(({ state }) => state !== 'free')
                    .map(({ user_id, state }) => (
                      <span key={user_id} class="quiet">
                        {' '}
                        {nameOf(user_id)}: {state}
                      </span>
                    ))}
                </span>
                <ChangeButton class="small" tool="create_event" disabled={busy} onClick={() => book(slot)}>
                  Book
                </ChangeButton>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

/** How an event names an attendee: by name only if the name is not that of two people. */
function attendeeOf(id: string, users: readonly User[]): string {
  const { email, name } = users.find((one) => one.id === id) ?? {};
  if (email) return email;
  return name !== undefined && users.filter((one) => one.name === name).length === 1 ? name : id;
}

function isToday(day: string, zone: string): boolean {
  return wallTime(new Date().toISOString(), zone).day === day;
}
