import { useState } from 'preact/hooks';
import type { User } from '../events/calendar-data.ts';
import { MessageText } from '../events/notice-preview.tsx';
import { useLoaded } from '../shared/server-connection.tsx';

/** The daily agenda as the person would get it. */
export function AgendaPreview({ user, today, updates }: { user: User; today: string; updates: number }) {
  const [day, setDay] = useState(today);
  const { value, error } = useLoaded(
    (client, signal) => client.tool('preview_messages', { user_id: user.id, day }, { signal }),
    [user.id, day, updates],
  );
  const [at] = (user.reminders as Record<string, readonly string[]> | undefined)?.['digest'] ?? [];
  return (
    <>
      <p class="quiet">
        {at === undefined
          ? `${user.name} gets no daily agenda. Set its time in the settings of the person.`
          : `${user.name} gets this message every day at ${at}.`}
      </p>
      <label>
        Day
        <input
          type="date"
          required
          value={day}
          onChange={({ currentTarget }) => currentTarget.value !== '' && setDay(currentTarget.value)}
        />
      </label>
      {error && <p class="problem">{error.message}</p>}
      {value?.messages.map((message) => (
        <MessageText key={message.subject} {...message} />
      ))}
      {value?.none_because && <p>{value.none_because}</p>}
    </>
  );
}
