/** A person with events, described so that brute force can evaluate it without the code under test. */
export interface World {
  /** The first day, `2026-03-28`. */
  readonly day: string;
  readonly days: number;
  readonly zone: string;
  readonly durationMinutes: number;
  readonly bufferMinutes: number;
  readonly stepMinutes: number;
  readonly hours: readonly [startMinute: number, endMinute: number];
  readonly weekdays: readonly number[];
  readonly count: number;
  /** Number of weekly dates; 1 for a single meeting. */
  readonly weeks: number;
  readonly people: readonly { readonly zone: string; readonly events: readonly PlainEvent[] }[];
}

export interface PlainEvent {
  readonly zone: string;
  /** Days after the first day of the world. */
  readonly day: number;
  /** Minute of the local day; absent for an event of whole days. */
  readonly minute?: number;
  readonly minutes: number;
  readonly everyDays: number;
  readonly times: number;
  readonly kind: 'busy' | 'tentative' | 'unanswered' | 'free' | 'declined' | 'cancelled';
}

/** Days around clock changes and ordinary ones. */
const days = ['2026-03-27', '2026-10-23', '2026-04-03', '2026-10-31', '2026-06-09', '2027-01-04'];
const zones = [
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'UTC',
];

/** Creates a random world from a seed. */
export function createWorld(seed: number): World {
  const random = mulberry(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
  const upTo = (limit: number) => Math.floor(random() * limit);
  const close = pick([zones.slice(0, 1), zones.slice(0, 2), zones]);
  const event = (zone: string): PlainEvent => {
    const allDay = random() < 0.1;
    return {
      zone: random() < 0.3 ? pick(zones) : zone,
      day: upTo(6) - 1,
      // Outside the hours in which clocks change, where a local time can be skipped.
      ...(!allDay && { minute: 5 * 60 + 5 * upTo(216) }),
      minutes: allDay ? 1440 * (1 + upTo(2)) : 5 * (1 + upTo(random() < 0.1 ? 400 : 48)),
      everyDays: pick([1, 1, 7]),
      times: pick([1, 1, 2, 5]),
      kind: pick(['busy', 'busy', 'busy', 'tentative', 'unanswered', 'free', 'declined', 'cancelled']),
    };
  };
  const hours: readonly [number, number] = pick([
    [540, 1020],
    [540, 1020],
    [450, 1200],
    [0, 1440],
    [1320, 360],
  ] as const);
  return {
    day: pick(days),
    days: 1 + upTo(4),
    zone: pick(zones),
    durationMinutes: 15 * (1 + upTo(8)),
    bufferMinutes: pick([0, 0, 10, 15]),
    stepMinutes: pick([15, 30, 60, 20]),
    hours,
    weekdays: pick([
      [1, 2, 3, 4, 5],
      [0, 1, 2, 3, 4, 5, 6],
      [0, 6, 1],
    ]),
    count: 1 + upTo(6),
    weeks: pick([1, 1, 1, 3]),
    people: Array.from({ length: 1 + upTo(4) }, () => {
      const zone = pick(close);
      return { zone, events: Array.from({ length: 1 + upTo(10) }, () => event(zone)) };
    }),
  };
}

/** The events of a person as an iCalendar text; the address answers the invitations. */
export function calendarText({ day }: World, events: readonly PlainEvent[], address: string): string {
  const lines = events.flatMap((event, index) => {
    const first = new Date(Date.parse(day) + event.day * 86_400_000 + (event.minute ?? 0) * 60_000);
    const stamp = first.toISOString().replaceAll(/[-:]|\.\d+Z/g, '');
    const answer = { unanswered: 'NEEDS-ACTION', declined: 'DECLINED' }[event.kind as string];
    return [
      'BEGIN:VEVENT',
      `UID:${index}`,
      'SUMMARY:x',
      event.minute === undefined
        ? `DTSTART;VALUE=DATE:${stamp.slice(0, 8)}`
        : `DTSTART;TZID=${event.zone}:${stamp}`,
      event.minute === undefined ? `DURATION:P${event.minutes / 1440}D` : `DURATION:PT${event.minutes}M`,
      ...(event.times > 1 ? [`RRULE:FREQ=DAILY;INTERVAL=${event.everyDays};COUNT=${event.times}`] : []),
      // Whole days are free unless they say otherwise.
      event.kind === 'free' ? 'TRANSP:TRANSPARENT' : 'TRANSP:OPAQUE',
      ...(event.kind === 'tentative' ? ['STATUS:TENTATIVE'] : []),
      ...(event.kind === 'cancelled' ? ['STATUS:CANCELLED'] : []),
      ...(answer ? [`ATTENDEE;PARTSTAT=${answer}:mailto:${address}`] : []),
      'END:VEVENT',
    ];
  });
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VCALENDAR', ''].join('\r\n');
}

/** A small deterministic generator of random numbers. */
function mulberry(seed: number): () => number {
  let state = seed * 0x9e3779b9;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
