import { expect, it } from 'vitest';
import { wallTime } from '../../src/web/page/shared/zone-time.ts';

/** What the browser itself says, which is too slow for a full calendar. */
function formatted(ms: number, timeZone: string): string {
  return new Date(ms).toLocaleString('sv-SE', { timeZone }).slice(0, 16);
}

it.each([
  'UTC',
  'Europe/Berlin',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Pacific/Apia',
])('gives the local time in %s for every quarter of an hour around changes of the clocks', (zone) => {
  for (const day of ['2026-03-08', '2026-03-29', '2026-04-04', '2026-10-03', '2026-10-25', '2026-11-01']) {
    for (let quarter = -96; quarter < 192; quarter++) {
      const ms = Date.parse(`${day}T00:07:00Z`) + quarter * 900_000;
      const wall = wallTime(new Date(ms).toISOString(), zone);
      const [hours, minutes] = [Math.floor(wall.minutes / 60), wall.minutes % 60];
      const text = `${wall.day} ${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
      expect(text).toBe(formatted(ms, zone));
    }
  }
});
