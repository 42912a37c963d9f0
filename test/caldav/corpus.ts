/** Calendar objects in the shapes that real programs write: 14 programs, each with 8 kinds of events. */
export interface CorpusObject {
  readonly name: string;
  readonly text: string;
}

/** What each program adds to an event. The lines are raw: with folding, quoting and escapes of its own. */
const programs: Readonly<
  Record<string, { readonly calendar: string[]; readonly event: string[]; readonly alarm: string[] }>
> = {
  apple: {
    calendar: ['PRODID:-//Apple Inc.//macOS 15.1//EN', 'CALSCALE:GREGORIAN'],
    event: [
      'TRANSP:OPAQUE',
      'X-APPLE-TRAVEL-ADVISORY-BEHAVIOR:AUTOMATIC',
      'X-APPLE-STRUCTURED-LOCATION;VALUE=URI;X-ADDRESS="1 Infinite Loop\\nCuperti\r\n no";X-APPLE-RADIUS=70;X-TITLE="Main; Office":geo:37.3317,-122.0301',
      'CREATED:20260101T080000Z',
    ],
    alarm: [
      'X-WR-ALARMUID:7E2F',
      'UID:7E2F',
      'TRIGGER;VALUE=DATE-TIME:19760401T005545Z',
      'ACTION:NONE',
      'X-APPLE-DEFAULT-ALARM:TRUE',
    ],
  },
  google: {
    calendar: [
      'PRODID:-//Google Inc//Google Calendar 70.9054//EN',
      'METHOD:PUBLISH',
      'X-WR-TIMEZONE:Europe/Berlin',
    ],
    event: [
      'X-GOOGLE-CONFERENCE:https://meet.google.com/abc-defg-hij',
      'DESCRIPTION:-::~:~::~:~\\nJoin with Google Meet: https://meet.google.com/ab\r\n c-defg-hij\\n\\nPlease do not edit this section\\, thanks.',
      'CREATED:20260101T080000Z',
      'TRANSP:OPAQUE',
    ],
    alarm: ['ACTION:DISPLAY', 'DESCRIPTION:This is an event reminder', 'TRIGGER:-P0DT0H30M0S'],
  },
  outlook: {
    calendar: [
      'PRODID:-//Microsoft Corporation//Outlook 16.0 MIMEDIR//EN',
      'X-MS-OLK-FORCEINSPECTOROPEN:TRUE',
    ],
    event: [
      'CLASS:PUBLIC',
      'PRIORITY:5',
      'X-ALT-DESC;FMTTYPE=text/html:<html><body>\\n<p class="x">Agenda: 1\\, 2\\; 3</p\r\n >\\n</body></html>',
      'X-MICROSOFT-CDO-BUSYSTATUS:BUSY',
      'X-MICROSOFT-CDO-IMPORTANCE:1',
      'X-MS-OLK-CONFTYPE:0',
    ],
    alarm: ['TRIGGER:-PT15M', 'ACTION:DISPLAY', 'DESCRIPTION:Reminder'],
  },
  exchange: {
    calendar: ['PRODID:Microsoft Exchange Server 2019', 'METHOD:REQUEST'],
    event: [
      'X-MICROSOFT-CDO-APPT-SEQUENCE:3',
      'X-MICROSOFT-CDO-OWNERAPPTID:2117771234',
      'X-MICROSOFT-SKYPETEAMSMEETINGURL:https://teams.microsoft.com/l/meetup-join/19%3ameet\r\n ing_x%40thread.v2/0?context=%7b%22Tid%22%3a%22a%22%7d',
      'X-MICROSOFT-LOCATIONS:[{"DisplayName":"Room 1"\\,"LocationUri":""}]',
    ],
    alarm: ['DESCRIPTION:REMINDER', 'TRIGGER;RELATED=START:-PT15M', 'ACTION:DISPLAY'],
  },
  thunderbird: {
    calendar: ['PRODID:-//Mozilla.org/NONSGML Mozilla Calendar V1.1//EN'],
    event: [
      'CREATED:20260101T080000Z',
      'X-MOZ-LASTACK:20260301T080000Z',
      'X-MOZ-SNOOZE-TIME-1773648000000000:20260316T081500Z',
      'CATEGORIES:Work,Ünïcode,日本語',
      'X-MOZ-SEND-INVITATIONS:FALSE',
    ],
    alarm: ['ACTION:DISPLAY', 'TRIGGER;VALUE=DURATION:-PT1H', 'DESCRIPTION:Mozilla Standardbeschreibung'],
  },
  nextcloud: {
    calendar: ['PRODID:-//IDN nextcloud.com//Calendar app 5.0.0//EN', 'CALSCALE:GREGORIAN'],
    event: [
      'COLOR:crimson',
      'X-NC-GROUP-ID:12',
      'IMAGE;VALUE=URI;DISPLAY=BADGE:https://cloud.example.com/i.png',
      'CLASS:CONFIDENTIAL',
    ],
    alarm: ['ACTION:EMAIL', 'ATTENDEE:mailto:x@example.com', 'SUMMARY:Mail', 'TRIGGER;RELATED=START:-P1D'],
  },
  evolution: {
    calendar: ['PRODID:-//Ximian//NONSGML Evolution Calendar//EN'],
    event: [
      'X-EVOLUTION-CALDAV-HREF:https://dav.example.com/cal/x.ics',
      'X-LIC-ERROR;X-LIC-ERRORTYPE=VALUE-PARSE-ERROR:No value for DESCRIPTION property. Removing entire property:',
      'CLASS:PRIVATE',
    ],
    alarm: [
      'X-EVOLUTION-ALARM-UID:4f1c',
      'ACTION:AUDIO',
      'TRIGGER;VALUE=DURATION;RELATED=END:PT0S',
      'ACKNOWLEDGED:20260301T090000Z',
    ],
  },
  davx5: {
    calendar: ['PRODID:DAVx5/4.4.2-ose ical4j/3.2.19 (at.techbee.jtx)'],
    event: [
      'STATUS:CONFIRMED',
      'X-EXTENDED-PROPERTY;X-K="a:b;c":{"name":"k"\\,"value":"v"}',
      'COLOR:darkblue',
      'URL:https://example.com/a?b=c;d',
    ],
    alarm: ['TRIGGER:-PT10M', 'ACTION:DISPLAY', 'DESCRIPTION:x'],
  },
  fastmail: {
    calendar: ['PRODID:-//CyrusIMAP.org/Cyrus 3.11//EN', 'CALSCALE:GREGORIAN'],
    event: [
      'X-JMAP-ID:abc',
      'X-JMAP-SENT-BY;VALUE=TEXT:ann@example.com',
      'CONFERENCE;VALUE=URI;FEATURE=VIDEO,AUDIO;LABEL="Join, now":https://meet.example.com/x',
      'SHOW-WITHOUT-TIME;VALUE=BOOLEAN:FALSE',
    ],
    alarm: ['UID:9f', 'TRIGGER:-PT5M', 'ACTION:DISPLAY', 'DESCRIPTION:Alarm', 'RELATED-TO;RELTYPE=SNOOZE:9e'],
  },
  korganizer: {
    calendar: [
      'PRODID:-//K Desktop Environment//NONSGML libkcal 4.3//EN',
      'X-KDE-ICAL-IMPLEMENTATION-VERSION:1.0',
    ],
    event: [
      'X-KDE-KCALCORE-ENABLED:TRUE',
      'GEO:52.520008;13.404954',
      'RESOURCES:Beamer,Room 1',
      'CONTACT:Ann\\, +49 30 1',
    ],
    alarm: [
      'ACTION:DISPLAY',
      'TRIGGER;VALUE=DURATION:-PT15M',
      'X-KDE-KCALCORE-ENABLED:TRUE',
      'REPEAT:2',
      'DURATION:PT5M',
    ],
  },
  zoom: {
    calendar: ['PRODID:-//zoom.us//iCalendar Event//EN', 'CLASS:PUBLIC'],
    event: [
      'DESCRIPTION:Join:\\nhttps://zoom.us/j/1?pwd=a\\n\\nOne tap mobile\\n+1\\,\\,123#',
      'X-ZOOM-MEETING-ID:123 4567',
      'TRANSP:OPAQUE',
    ],
    alarm: ['TRIGGER:-PT10M', 'ACTION:DISPLAY', 'DESCRIPTION:Reminder'],
  },
  airline: {
    calendar: ['PRODID:-//Airline//Booking 1.0//EN'],
    event: [
      'GEO:40.64;-73.78',
      'ATTACH;FMTTYPE=application/pdf;FILENAME="pass, 1.pdf":https://air.example.com/p.pdf',
      'COMMENT;LANGUAGE=de:Sitz 12A',
      'X-FLIGHT;X-FROM=BER;X-TO=JFK:AB123',
    ],
    alarm: ['TRIGGER:-P1D', 'ACTION:DISPLAY', 'DESCRIPTION:Check-in'],
  },
  caldavsynchronizer: {
    calendar: ['PRODID:-//CalDavSynchronizer 4.4//NONSGML'],
    event: [
      'X-CALDAVSYNC-ID:{00-1}',
      'X-COLOR:#ff0000',
      'X-EMPTY:',
      'X-TABS:a\tb',
      'x-lower-case:kept;as,is',
    ],
    alarm: ['ACTION:DISPLAY', 'DESCRIPTION:', 'TRIGGER:PT0S'],
  },
  script: {
    calendar: ['PRODID:hand-written'],
    event: [
      'X-QUOTES;A="x:y";B="p,q","r;s":v:a;l,u"e',
      `X-LONG:${'abcdefghij'.repeat(7)}\r\n  two spaces and\r\n \ttabs`,
      'REQUEST-STATUS:2.0;Success',
    ],
    alarm: ['ACTION:DISPLAY', 'TRIGGER;VALUE=DATE-TIME:20260609T080000Z', 'DESCRIPTION:fixed'],
  },
};

const berlin = [
  'BEGIN:VTIMEZONE',
  'TZID:Europe/Berlin',
  'X-LIC-LOCATION:Europe/Berlin',
  'BEGIN:DAYLIGHT',
  'TZOFFSETFROM:+0100',
  'TZOFFSETTO:+0200',
  'TZNAME:CEST',
  'DTSTART:19700329T020000',
  'RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3',
  'END:DAYLIGHT',
  'BEGIN:STANDARD',
  'TZOFFSETFROM:+0200',
  'TZOFFSETTO:+0100',
  'TZNAME:CET',
  'DTSTART:19701025T030000',
  'RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10',
  'END:STANDARD',
  'END:VTIMEZONE',
];

/** Times and structure of each kind of event. `alarm`: with the alarm of the program. */
const kinds: Readonly<
  Record<
    string,
    { readonly zone?: true; readonly alarm?: true; readonly lines: string[]; readonly override?: string[] }
  >
> = {
  single: {
    zone: true,
    lines: ['DTSTART;TZID=Europe/Berlin:20260610T090000', 'DTEND;TZID=Europe/Berlin:20260610T100000'],
  },
  utc: { alarm: true, lines: ['DTSTART:20260610T070000Z', 'DURATION:PT45M'] },
  allDay: { lines: ['DTSTART;VALUE=DATE:20260610', 'DTEND;VALUE=DATE:20260612'] },
  floating: { alarm: true, lines: ['DTSTART:20260610T090000', 'DTEND:20260610T093000'] },
  weekly: {
    zone: true,
    alarm: true,
    lines: [
      'DTSTART;TZID=Europe/Berlin:20260610T090000',
      'DTEND;TZID=Europe/Berlin:20260610T100000',
      'RRULE:FREQ=WEEKLY;COUNT=6;WKST=SU',
      'EXDATE;TZID=Europe/Berlin:20260617T090000',
    ],
  },
  changed: {
    zone: true,
    lines: [
      'DTSTART;TZID=Europe/Berlin:20260610T090000',
      'DTEND;TZID=Europe/Berlin:20260610T100000',
      'RRULE:FREQ=DAILY;UNTIL=20260620T070000Z',
    ],
    override: [
      'RECURRENCE-ID;TZID=Europe/Berlin:20260612T090000',
      'DTSTART;TZID=Europe/Berlin:20260612T140000',
      'DTEND;TZID=Europe/Berlin:20260612T150000',
    ],
  },
  yearly: {
    lines: ['DTSTART;VALUE=DATE:20260610', 'RRULE:FREQ=YEARLY', 'RDATE;VALUE=DATE:20260801,20260901'],
  },
  meeting: {
    zone: true,
    alarm: true,
    lines: [
      'DTSTART;TZID=Europe/Berlin:20260610T110000',
      'DTEND;TZID=Europe/Berlin:20260610T120000',
      'ORGANIZER;CN="Ann; Smith":mailto:ann@example.com',
      'ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=ACCEPTED;CN=ann@exam\r\n ple.com:mailto:ann@example.com',
      'ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE;X-NUM-GUESTS=0:MAILTO:Bob@Example.com',
    ],
  },
};

export const corpus: readonly CorpusObject[] = Object.entries(programs).flatMap(
  ([program, { calendar, event, alarm }]) =>
    Object.entries(kinds).map(([kind, { zone, alarm: withAlarm, lines, override }]) => {
      const uid = `${program}-${kind}@example.com`;
      const vevent = (times: readonly string[]) => [
        'BEGIN:VEVENT',
        `UID:${uid}`,
        'DTSTAMP:20260102T030405Z',
        ...times,
        `SUMMARY;LANGUAGE=en:Old ${kind}`,
        ...event,
        'SEQUENCE:2',
        'LOCATION:Old place',
        ...(withAlarm ? ['BEGIN:VALARM', ...alarm, 'END:VALARM'] : []),
        'END:VEVENT',
      ];
      // A stored object has no METHOD; servers reject it.
      const head = [
        'BEGIN:VCALENDAR',
        'VERSION:2.0',
        ...calendar.filter((line) => !line.startsWith('METHOD')),
      ];
      const all = [
        ...head,
        ...(zone ? berlin : []),
        ...vevent(lines),
        ...(override ? vevent(override) : []),
        'END:VCALENDAR',
      ];
      return { name: `${program}-${kind}`, text: `${all.join('\r\n')}\r\n` };
    }),
);
