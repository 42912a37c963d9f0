const times = 'uid recurrence-id sequence last-modified dtstamp dtstart duration rrule exrule rdate exdate';
const details =
  'summary description location url conference x-google-conference x-microsoft-skypeteamsmeetingurl ' +
  'organizer attendee status transp x-microsoft-cdo-busystatus x-moz-lastack x-moz-snooze-time';

/** The properties that are read from each component. All others are skipped without being parsed. */
const readProperties: Readonly<Record<string, ReadonlySet<string>>> = {
  VCALENDAR: setOf('method x-wr-calname name x-wr-timezone'),
  VTIMEZONE: setOf('tzid x-lic-location'),
  STANDARD: setOf('dtstart tzoffsetfrom tzoffsetto rrule rdate'),
  DAYLIGHT: setOf('dtstart tzoffsetfrom tzoffsetto rrule rdate'),
  VEVENT: setOf(`${times} dtend ${details}`),
  VTODO: setOf(`${times} due ${details} completed percent-complete`),
  VALARM: setOf('action trigger repeat duration acknowledged'),
};

function setOf(names: string): ReadonlySet<string> {
  return new Set(names.split(' '));
}

export function isRead(component: string, property: string): boolean {
  // Thunderbird adds the occurrence to the name: X-MOZ-SNOOZE-TIME-1773648000000000.
  const name = property.startsWith('x-moz-snooze-time-') ? 'x-moz-snooze-time' : property;
  return readProperties[component]?.has(name) ?? false;
}
