const times = 'UID RECURRENCE-ID SEQUENCE LAST-MODIFIED DTSTAMP DTSTART DURATION RRULE EXRULE RDATE EXDATE';
const details =
  'SUMMARY DESCRIPTION LOCATION URL CONFERENCE X-GOOGLE-CONFERENCE X-MICROSOFT-SKYPETEAMSMEETINGURL ' +
  'ORGANIZER ATTENDEE STATUS TRANSP X-MICROSOFT-CDO-BUSYSTATUS X-MOZ-LASTACK X-MOZ-SNOOZE-TIME';

/** The properties that are read from each component. All others are skipped without being parsed. */
const readProperties: Readonly<Record<string, ReadonlySet<string>>> = {
  VCALENDAR: setOf('METHOD X-WR-CALNAME NAME X-WR-TIMEZONE'),
  VTIMEZONE: setOf('TZID X-LIC-LOCATION'),
  STANDARD: setOf('DTSTART TZOFFSETFROM TZOFFSETTO RRULE RDATE'),
  DAYLIGHT: setOf('DTSTART TZOFFSETFROM TZOFFSETTO RRULE RDATE'),
  VEVENT: setOf(`${times} DTEND ${details}`),
  VTODO: setOf(`${times} DUE ${details} COMPLETED PERCENT-COMPLETE`),
  VALARM: setOf('ACTION TRIGGER REPEAT DURATION ACKNOWLEDGED'),
};

function setOf(names: string): ReadonlySet<string> {
  return new Set(names.split(' '));
}

export function isRead(component: string, property: string): boolean {
  // Thunderbird adds the occurrence to the name: X-MOZ-SNOOZE-TIME-1773648000000000.
  const name = property.startsWith('X-MOZ-SNOOZE-TIME-') ? 'X-MOZ-SNOOZE-TIME' : property;
  return readProperties[component]?.has(name) ?? false;
}
