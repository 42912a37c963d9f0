import { CheckField, DateField, SelectField } from '../controls/fields.tsx';
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
    change(shiftTimes(times, daysBetween(startDay, day), minutes - startMinutes));
  return (
    <fieldset class="times">
      <legend>{due ? 'Due' : 'When'}</legend>
      {!due && (
        <CheckField
          label="All day"
          checked={allDay}
          change={(checked) =>
            change({
              ...times,
              allDay: checked,
              endDay: checked ? endDay : startDay,
              ...(!checked && { startMinutes: 9 * 60, endMinutes: 10 * 60 }),
            })
          }
        />
      )}
      <div class="time-row">
        <DateField
          label={due ? 'Date' : 'Start'}
          value={startDay}
          change={(day) => moveTo(day, startMinutes)}
        />
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
          <DateField
            label={allDay ? 'Last day' : 'End'}
            min={startDay}
            value={endDay}
            change={(day) => change({ ...times, endDay: day })}
          />
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
  const steps = [...Array.from({ length: 96 }, (_, index) => index * 15), minutes];
  return (
    <SelectField
      label={label}
      value={String(minutes)}
      options={Object.fromEntries(steps.map((step) => [step, clock(step, locale)]))}
      change={(chosen) => change(Number(chosen))}
    />
  );
}
