import { useState } from 'preact/hooks';
import { dayTitle } from '../shared/zone-time.ts';

interface Props {
  readonly rule: string;
  /** The first day, for the names of the choices. */
  readonly day: string;
  change(rule: string): void;
}

/** How often an event takes place. Other rules can be written as in iCalendar. */
export function RepeatField({ rule, day, change }: Props) {
  const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'long', timeZone: 'UTC' }).format(
    Date.parse(day),
  );
  const choices: Readonly<Record<string, string>> = {
    '': 'Once',
    'FREQ=DAILY': 'Every day',
    'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR': 'Monday to Friday',
    'FREQ=WEEKLY': `Every week on ${weekday}`,
    'FREQ=WEEKLY;INTERVAL=2': `Every second week on ${weekday}`,
    'FREQ=MONTHLY': 'Every month on this date',
    'FREQ=YEARLY': `Every year on ${dayTitle(day, 'day')}`,
  };
  const [own, setOwn] = useState(!(rule in choices));
  return (
    <>
      <label>
        Repeats
        <select
          value={own ? 'own' : rule}
          onChange={({ currentTarget }) => {
            setOwn(currentTarget.value === 'own');
            change(currentTarget.value === 'own' ? rule : currentTarget.value);
          }}
        >
          {Object.entries(choices).map(([value, title]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
          <option value="own">Another rule…</option>
        </select>
      </label>
      {own && (
        <label>
          Rule
          <input
            value={rule}
            spellcheck={false}
            placeholder="FREQ=WEEKLY;BYDAY=MO;COUNT=10"
            onInput={({ currentTarget }) => change(currentTarget.value)}
          />
          <small>An iCalendar recurrence rule.</small>
        </label>
      )}
    </>
  );
}
