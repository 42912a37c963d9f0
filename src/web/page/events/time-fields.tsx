import { clock } from '../shared/zone-time.ts';
import { addDays, daysBetween, type EventTimes, shiftTimes } from './event-times.ts';

interface Props {
  readonly times: EventTimes;
  readonly locale: string;
  /** A task has no end. */
  readonly due?: boolean;
  change(times: EventTimes): void;
}

/** Start and end of an event. Moving the start keeps the length. */
export function TimeFields({ times, locale, due = false, change }: Props) {
  const { allDay, startDay, startMinutes, endDay, endMinutes } = times;
  const moveTo = (day: string, minutes: number) =>
    day !== '' && change(shiftTimes(times, daysBetween(startDay, day), minutes - startMinutes));
  return (
    <fieldset class="times">
      <legend>{due ? 'Due' : 'When'}</legend>
      {!due && (
        <label class="inline">
          <input
            type="checkbox"
            checked={allDay}
            onChange={({ currentTarget }) =>
              change({
                ...times,
                allDay: currentTarget.checked,
                endDay: currentTarget.checked ? endDay : startDay,
                ...(!currentTarget.checked && { startMinutes: 9 * 60, endMinutes: 10 * 60 }),
              })
            }
          />
          All day
        </label>
      )}
      <div class="time-row">
        <label>
          {due ? 'Date' : 'Start'}
          <input
            type="date"
            required
            value={startDay}
            onChange={({ currentTarget }) => moveTo(currentTarget.value, startMinutes)}
          />
        </label>
        {!allDay && (
          <ClockSelect
            label={due ? 'Time' : 'Start time'}
            {...{ minutes: startMinutes, locale }}
            change={(minutes) => moveTo(startDay, minutes)}
          />
        )}
      </div>
      {!due && (
        <div class="time-row">
          <label>
            {allDay ? 'Last day' : 'End'}
            <input
              type="date"
              required
              min={startDay}
              value={endDay}
              onChange={({ currentTarget }) =>
                currentTarget.value !== '' && change({ ...times, endDay: currentTarget.value })
              }
            />
          </label>
          {!allDay && (
            <ClockSelect
              label="End time"
              {...{ minutes: endMinutes, locale }}
              change={(minutes) =>
                change({
                  ...times,
                  endMinutes: minutes,
                  // An end before the start is meant to be on the next day.
                  endDay: endDay === startDay && minutes < startMinutes ? addDays(startDay, 1) : endDay,
                })
              }
            />
          )}
        </div>
      )}
    </fieldset>
  );
}

interface ClockProps {
  readonly label: string;
  readonly minutes: number;
  readonly locale: string;
  change(minutes: number): void;
}

/** A time of day. Browsers format their own time fields by their own language, which may not be that of the person. */
export function ClockSelect({ label, minutes, locale, change }: ClockProps) {
  const steps = new Set([...Array.from({ length: 96 }, (_, index) => index * 15), minutes]);
  return (
    <label>
      {label}
      <select value={minutes} onChange={({ currentTarget }) => change(Number(currentTarget.value))}>
        {[...steps]
          .sort((a, b) => a - b)
          .map((step) => (
            <option key={step} value={step}>
              {clock(step, locale)}
            </option>
          ))}
      </select>
    </label>
  );
}
