import { join } from 'node:path';
import { defineSettings } from '../../setting.ts';

export const calendarSettings = defineSettings({
  'calendars.passwords_file': {
    type: 'path',
    default: (places) =>
      places.home
        ? join(places.home, 'calendar-passwords')
        : join(places.settings, 'adjutant', 'calendar-passwords'),
    description:
      'File with passwords for calendars, one line each: machine HOST login USER password "PASSWORD".',
  },
  'calendars.private_hosts': {
    type: 'list',
    default: [],
    description:
      'Hosts in a private network that calendars may be fetched from, by name or address; * for all of them.',
  },
  'calendars.max_bytes': {
    type: 'integer',
    minimum: 1024,
    default: 100_000_000,
    description: 'Maximum size of a calendar.',
  },
  'calendars.interval_minutes': {
    type: 'integer',
    minimum: 1,
    maximum: 10_080,
    default: 15,
    description: 'How often calendars that are kept up to date are synced.',
  },
});
