const dayMs = 86_400_000;

/** Returns the UTC offset in milliseconds at an instant. */
export type OffsetAt = (instantMs: number) => number;

/** Returns the IANA name of a time zone in a calendar, or undefined if it is unknown. */
export function resolveZone(written: string): string | undefined {
  const name = written.trim().replace(/^"(.*)"$/, '$1');
  if (/^(z|utc|gmt|tzone:\/\/microsoft\/utc)$/i.test(name)) return 'UTC';
  const windows = windowsZones[name.toLowerCase()] ?? displayedZone(name);
  if (windows !== undefined) return windows;
  // Some programs prefix the name: /mozilla.org/20050126_1/Europe/Berlin.
  // A zone has at most three parts, and a hostile name can have thousands.
  const parts = name.split('/').slice(-3);
  for (let first = 0; first < parts.length; first++) {
    const candidate = parts.slice(first).join('/');
    if (isZone(candidate)) return candidate;
  }
  return undefined;
}

/**
 * The zone of a name that Outlook shows, such as "(UTC-05:00) Eastern Time (US & Canada)" or "(UTC+01:00) Amsterdam, Berlin".
 * Its offset decides between zones with the same city, and may be that of either half of the year.
 */
function displayedZone(name: string): string | undefined {
  const [, offset, places = ''] = /^\((?:UTC|GMT)([+-]\d\d:\d\d)?\) ?(.{1,100})$/i.exec(name) ?? [];
  const [, region] = /^(.+) Time \(/.exec(places) ?? [];
  const cities = places.toLowerCase().split(/, ?/);
  const candidates = [
    windowsZones[`${region?.toLowerCase()} standard time`],
    displayNames[places.toLowerCase()],
    ...cities.flatMap((city) => zonesByCity().get(city.replaceAll(' ', '_')) ?? []),
  ];
  const [hours = 0, minutes = 0] = offset?.split(':').map(Number) ?? [];
  const wanted = (hours * 60 + (offset?.startsWith('-') ? -minutes : minutes)) * 60_000;
  // Countries change their offset, and names in old calendars still have the former one.
  for (const tolerance of [0, 3_600_000])
    for (const zone of candidates)
      for (const month of zone === undefined ? [] : [0, 6])
        if (Math.abs(offsetsIn(zone!)(Date.UTC(2026, month, 15)) - wanted) <= tolerance) return zone;
  return undefined;
}

let cities: Map<string, string[]> | undefined;

/** Zones by the last part of their names, in lower case. */
function zonesByCity(): ReadonlyMap<string, readonly string[]> {
  if (cities === undefined) {
    const names = [...Intl.supportedValuesOf('timeZone'), ...Object.values(windowsZones)];
    cities = Map.groupBy(names, (zone) => zone.split('/').at(-1)!.toLowerCase());
  }
  return cities;
}

/** What Windows shows for zones that are not named after a city that is a zone as well. */
const displayNames: Readonly<Record<string, string>> = {
  'abu dhabi, muscat': 'Asia/Dubai',
  'aleutian islands': 'America/Adak',
  alaska: 'America/Anchorage',
  'anadyr, petropavlovsk-kamchatsky': 'Asia/Kamchatka',
  arizona: 'America/Phoenix',
  'ashgabat, tashkent': 'Asia/Tashkent',
  astana: 'Asia/Almaty',
  'astrakhan, ulyanovsk': 'Europe/Astrakhan',
  'auckland, wellington': 'Pacific/Auckland',
  'baja california': 'America/Tijuana',
  'beijing, chongqing, hong kong, urumqi': 'Asia/Shanghai',
  'bougainville island': 'Pacific/Bougainville',
  brasilia: 'America/Sao_Paulo',
  'cabo verde is.': 'Atlantic/Cape_Verde',
  'canberra, melbourne, sydney': 'Australia/Sydney',
  'cape verde is.': 'Atlantic/Cape_Verde',
  'central america': 'America/Guatemala',
  'chatham islands': 'Pacific/Chatham',
  'chennai, kolkata, mumbai, new delhi': 'Asia/Kolkata',
  chetumal: 'America/Cancun',
  chokurdakh: 'Asia/Srednekolymsk',
  'city of buenos aires': 'America/Argentina/Buenos_Aires',
  'coordinated universal time': 'UTC',
  'coordinated universal time+12': 'Etc/GMT-12',
  'coordinated universal time+13': 'Etc/GMT-13',
  'coordinated universal time-02': 'Etc/GMT+2',
  'coordinated universal time-08': 'Etc/GMT+8',
  'coordinated universal time-09': 'Etc/GMT+9',
  'coordinated universal time-11': 'Etc/GMT+11',
  'easter island': 'Pacific/Easter',
  ekaterinburg: 'Asia/Yekaterinburg',
  'georgetown, la paz, manaus, san juan': 'America/La_Paz',
  greenland: 'America/Nuuk',
  haiti: 'America/Port-au-Prince',
  hawaii: 'Pacific/Honolulu',
  'indiana (east)': 'America/Indiana/Indianapolis',
  'international date line west': 'Etc/GMT+12',
  'islamabad, karachi': 'Asia/Karachi',
  'izhevsk, samara': 'Europe/Samara',
  'kiritimati island': 'Pacific/Kiritimati',
  'lord howe island': 'Australia/Lord_Howe',
  'marquesas islands': 'Pacific/Marquesas',
  newfoundland: 'America/St_Johns',
  'norfolk island': 'Pacific/Norfolk',
  "nuku'alofa": 'Pacific/Tongatapu',
  'osaka, sapporo, tokyo': 'Asia/Tokyo',
  'port louis': 'Indian/Mauritius',
  'saint pierre and miquelon': 'America/Miquelon',
  salvador: 'America/Bahia',
  samoa: 'Pacific/Apia',
  saskatchewan: 'America/Regina',
  'solomon is., new caledonia': 'Pacific/Guadalcanal',
  'sri jayawardenepura': 'Asia/Colombo',
  'turks and caicos': 'America/Grand_Turk',
  'west central africa': 'Africa/Lagos',
  'yangon (rangoon)': 'Asia/Yangon',
  yukon: 'America/Whitehorse',
};

export function isZone(name: string): boolean {
  return offsetsOf(name) !== undefined;
}

const known = new Map<string, OffsetAt | undefined>();

/** Returns the UTC offsets of an IANA time zone. */
export function offsetsOf(zone: string): OffsetAt | undefined {
  if (known.has(zone)) return known.get(zone);
  const offsets = createOffsets(zone);
  // Names come from untrusted calendars, so the cache must be bounded.
  if (known.size >= 1000) known.clear();
  known.set(zone, offsets);
  return offsets;
}

function createOffsets(zone: string): OffsetAt | undefined {
  if (zone === 'UTC') return () => 0;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    return undefined;
  }
  const exact = (instantMs: number) => {
    const whole = Math.floor(instantMs / 1000) * 1000;
    const [month, day, year, era, hour, minute, second] = format.format(whole).split(/[^0-9A-Z]+/);
    const wall = new Date(0);
    wall.setUTCFullYear(era === 'B' ? 1 - Number(year) : Number(year), Number(month) - 1, Number(day));
    wall.setUTCHours(Number(hour), Number(minute), Number(second));
    return wall.getTime() - whole;
  };
  // If both ends of a day have the same offset, so does the whole day; only other days need an exact lookup.
  const days = new Map<number, number>();
  const edge = (day: number) => {
    let offset = days.get(day);
    if (offset === undefined) {
      offset = exact(day * dayMs);
      if (days.size >= 50_000) days.clear();
      days.set(day, offset);
    }
    return offset;
  };
  return (instantMs) => {
    const day = Math.floor(instantMs / dayMs);
    const offset = edge(day);
    return offset === edge(day + 1) ? offset : exact(instantMs);
  };
}

/**
 * Converts local time to an instant. If the local time occurs twice, the first one counts. If it is skipped, the offset
 * before the change applies: a meeting at 02:30 then takes place at 03:30.
 */
export function instantOf(wallMs: number, offsets: OffsetAt): number {
  const before = wallMs - offsets(wallMs - dayMs);
  if (before + offsets(before) === wallMs) return before;
  const after = wallMs - offsets(wallMs + dayMs);
  return after + offsets(after) === wallMs ? after : before;
}

/** The UTC offsets of a time zone, or those of UTC if its name is unknown. */
export function offsetsIn(zone: string): OffsetAt {
  return offsetsOf(zone) ?? (() => 0);
}

/** The local time of an instant as `2026-03-29T02:30:00`. */
export function localText(instantMs: number, zone: string): string {
  return new Date(wallOf(instantMs, offsetsIn(zone))).toISOString().slice(0, 19);
}

export function wallOf(instantMs: number, offsets: OffsetAt): number {
  return instantMs + offsets(instantMs);
}

/** Windows and Exchange time zone names in lower case, with their IANA names (from Unicode CLDR). */
const windowsZones: Readonly<Record<string, string>> = {
  'afghanistan standard time': 'Asia/Kabul',
  'alaskan standard time': 'America/Anchorage',
  'aleutian standard time': 'America/Adak',
  'altai standard time': 'Asia/Barnaul',
  'arab standard time': 'Asia/Riyadh',
  'arabian standard time': 'Asia/Dubai',
  'arabic standard time': 'Asia/Baghdad',
  'argentina standard time': 'America/Argentina/Buenos_Aires',
  'armenian standard time': 'Asia/Yerevan',
  'astrakhan standard time': 'Europe/Astrakhan',
  'atlantic standard time': 'America/Halifax',
  'aus central standard time': 'Australia/Darwin',
  'aus central w. standard time': 'Australia/Eucla',
  'aus eastern standard time': 'Australia/Sydney',
  'azerbaijan standard time': 'Asia/Baku',
  'azores standard time': 'Atlantic/Azores',
  'bahia standard time': 'America/Bahia',
  'bangladesh standard time': 'Asia/Dhaka',
  'belarus standard time': 'Europe/Minsk',
  'bougainville standard time': 'Pacific/Bougainville',
  'canada central standard time': 'America/Regina',
  'cape verde standard time': 'Atlantic/Cape_Verde',
  'caucasus standard time': 'Asia/Yerevan',
  'cen. australia standard time': 'Australia/Adelaide',
  'central america standard time': 'America/Guatemala',
  'central asia standard time': 'Asia/Bishkek',
  'central brazilian standard time': 'America/Cuiaba',
  'central europe standard time': 'Europe/Budapest',
  'central european standard time': 'Europe/Warsaw',
  'central pacific standard time': 'Pacific/Guadalcanal',
  'central standard time': 'America/Chicago',
  'central standard time (mexico)': 'America/Mexico_City',
  'chatham islands standard time': 'Pacific/Chatham',
  'china standard time': 'Asia/Shanghai',
  'cuba standard time': 'America/Havana',
  'dateline standard time': 'Etc/GMT+12',
  'e. africa standard time': 'Africa/Nairobi',
  'e. australia standard time': 'Australia/Brisbane',
  'e. europe standard time': 'Europe/Chisinau',
  'e. south america standard time': 'America/Sao_Paulo',
  'easter island standard time': 'Pacific/Easter',
  'eastern standard time': 'America/New_York',
  'eastern standard time (mexico)': 'America/Cancun',
  'egypt standard time': 'Africa/Cairo',
  'ekaterinburg standard time': 'Asia/Yekaterinburg',
  'fiji standard time': 'Pacific/Fiji',
  'fle standard time': 'Europe/Kyiv',
  'georgian standard time': 'Asia/Tbilisi',
  'gmt standard time': 'Europe/London',
  'greenland standard time': 'America/Nuuk',
  'greenwich standard time': 'Atlantic/Reykjavik',
  'gtb standard time': 'Europe/Bucharest',
  'haiti standard time': 'America/Port-au-Prince',
  'hawaiian standard time': 'Pacific/Honolulu',
  'india standard time': 'Asia/Kolkata',
  'iran standard time': 'Asia/Tehran',
  'israel standard time': 'Asia/Jerusalem',
  'jordan standard time': 'Asia/Amman',
  'kaliningrad standard time': 'Europe/Kaliningrad',
  'kamchatka standard time': 'Asia/Kamchatka',
  'korea standard time': 'Asia/Seoul',
  'libya standard time': 'Africa/Tripoli',
  'line islands standard time': 'Pacific/Kiritimati',
  'lord howe standard time': 'Australia/Lord_Howe',
  'magadan standard time': 'Asia/Magadan',
  'magallanes standard time': 'America/Punta_Arenas',
  'marquesas standard time': 'Pacific/Marquesas',
  'mauritius standard time': 'Indian/Mauritius',
  'mid-atlantic standard time': 'Etc/GMT+2',
  'middle east standard time': 'Asia/Beirut',
  'montevideo standard time': 'America/Montevideo',
  'morocco standard time': 'Africa/Casablanca',
  'mountain standard time': 'America/Denver',
  'mountain standard time (mexico)': 'America/Mazatlan',
  'myanmar standard time': 'Asia/Yangon',
  'n. central asia standard time': 'Asia/Novosibirsk',
  'namibia standard time': 'Africa/Windhoek',
  'nepal standard time': 'Asia/Kathmandu',
  'new zealand standard time': 'Pacific/Auckland',
  'newfoundland standard time': 'America/St_Johns',
  'norfolk standard time': 'Pacific/Norfolk',
  'north asia east standard time': 'Asia/Irkutsk',
  'north asia standard time': 'Asia/Krasnoyarsk',
  'north korea standard time': 'Asia/Pyongyang',
  'omsk standard time': 'Asia/Omsk',
  'pacific sa standard time': 'America/Santiago',
  'pacific standard time': 'America/Los_Angeles',
  'pacific standard time (mexico)': 'America/Tijuana',
  'pakistan standard time': 'Asia/Karachi',
  'paraguay standard time': 'America/Asuncion',
  'qyzylorda standard time': 'Asia/Qyzylorda',
  'romance standard time': 'Europe/Paris',
  'russia time zone 10': 'Asia/Srednekolymsk',
  'russia time zone 11': 'Asia/Kamchatka',
  'russia time zone 3': 'Europe/Samara',
  'russian standard time': 'Europe/Moscow',
  'sa eastern standard time': 'America/Cayenne',
  'sa pacific standard time': 'America/Bogota',
  'sa western standard time': 'America/La_Paz',
  'saint pierre standard time': 'America/Miquelon',
  'sakhalin standard time': 'Asia/Sakhalin',
  'samoa standard time': 'Pacific/Apia',
  'sao tome standard time': 'Africa/Sao_Tome',
  'saratov standard time': 'Europe/Saratov',
  'se asia standard time': 'Asia/Bangkok',
  'singapore standard time': 'Asia/Singapore',
  'south africa standard time': 'Africa/Johannesburg',
  'south sudan standard time': 'Africa/Juba',
  'sri lanka standard time': 'Asia/Colombo',
  'sudan standard time': 'Africa/Khartoum',
  'syria standard time': 'Asia/Damascus',
  'taipei standard time': 'Asia/Taipei',
  'tasmania standard time': 'Australia/Hobart',
  'tocantins standard time': 'America/Araguaina',
  'tokyo standard time': 'Asia/Tokyo',
  'tomsk standard time': 'Asia/Tomsk',
  'tonga standard time': 'Pacific/Tongatapu',
  'transbaikal standard time': 'Asia/Chita',
  'turkey standard time': 'Europe/Istanbul',
  'turks and caicos standard time': 'America/Grand_Turk',
  'ulaanbaatar standard time': 'Asia/Ulaanbaatar',
  'us eastern standard time': 'America/Indiana/Indianapolis',
  'us mountain standard time': 'America/Phoenix',
  utc: 'UTC',
  'utc+12': 'Etc/GMT-12',
  'utc+13': 'Etc/GMT-13',
  'utc-02': 'Etc/GMT+2',
  'utc-08': 'Etc/GMT+8',
  'utc-09': 'Etc/GMT+9',
  'utc-11': 'Etc/GMT+11',
  'venezuela standard time': 'America/Caracas',
  'vladivostok standard time': 'Asia/Vladivostok',
  'volgograd standard time': 'Europe/Volgograd',
  'w. australia standard time': 'Australia/Perth',
  'w. central africa standard time': 'Africa/Lagos',
  'w. europe standard time': 'Europe/Berlin',
  'w. mongolia standard time': 'Asia/Hovd',
  'west asia standard time': 'Asia/Tashkent',
  'west bank standard time': 'Asia/Hebron',
  'west pacific standard time': 'Pacific/Port_Moresby',
  'yakutsk standard time': 'Asia/Yakutsk',
  'yukon standard time': 'America/Whitehorse',
};

/** The midnight after a midnight. A day can have 23 or 25 hours. */
export function nextMidnight(midnightMs: number, zone: string): number {
  const offsets = offsetsIn(zone);
  return instantOf(wallOf(midnightMs, offsets) + dayMs, offsets);
}
