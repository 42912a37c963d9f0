import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyStory, type Story } from '../../../test/stories/guard-stories.ts';
import { replay } from '../../../test/stories/guards.ts';
import { replayStored } from '../../../test/stories/stored-story.ts';
import type { User } from '../../store/schema.ts';
import { createStore } from '../../store/store.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { channelsAt, guard, nextAllowedTime } from './guards.ts';

const minuteMs = 60_000;
/** Clock changes by an hour, by half an hour, at midnight, by a whole day and for a month, and a zone without one. */
const changes = [
  ['Europe/Berlin', '2026-03-29T01:00:00Z'],
  ['Europe/Berlin', '2026-10-25T01:00:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T15:30:00Z'],
  ['America/Sao_Paulo', '2018-11-04T03:00:00Z'],
  ['Pacific/Apia', '2011-12-30T10:00:00Z'],
  ['Africa/Casablanca', '2026-03-22T02:00:00Z'],
  ['Asia/Kathmandu', '2026-06-01T00:00:00Z'],
] as const;

describe.each(changes)('quiet hours in %s around %s', (timezone, change) => {
  const user = {
    ...{ id: 'ada', name: 'Ada', email: 'ada@example.com', timezone, channels: null, reminders: null },
    ...{ created_ms: 0, updated_ms: 0 },
  };
  it.each([
    ['21:00', '07:00', 'email'],
    ['22:15', '02:30', 'email'],
    ['00:30', '23:45', 'email'],
    ['21:00', '07:00', 'none'],
  ] as const)('from %s to %s end when the clock says so, on weekends with %s', (from, to, weekend) => {
    const row = { ...user, quiet_start: from, quiet_end: to, weekend_policy: weekend } as unknown as User;
    const preferences = preferencesOf(row);
    const isOpen = (ms: number) => channelsAt(ms, preferences, ['email']).length > 0;
    for (let hours = -30; hours <= 3; hours += 1.5) {
      const at = Date.parse(change) + hours * 60 * minuteMs;
      let first = at;
      while (!isOpen(first)) first += minuteMs;
      expect([new Date(nextAllowedTime(at, preferences, ['email'])!), at]).toEqual([new Date(first), at]);
      const startMs = at + 30 * 60 * minuteMs;
      const input = { preferences, reachable: ['email'] as const, startMs, important: false, taken: [] };
      const proposal = { offsetMinutes: -60, channel: 'email', urgency: 'normal' } as const;
      const { kept } = guard([proposal], { ...input, nowMs: at - 90 * 60 * minuteMs });
      let last = startMs - 60 * minuteMs;
      while (!isOpen(last)) last -= minuteMs;
      expect([new Date(kept[0]!.planMs), at]).toEqual([new Date(last), at]);
    }
  });
});

const quiet = { moves: undefined, acknowledges: false, snoozes: undefined, becomes: 'planned' as const };
const turn = { ...quiet, passes: 0, place: undefined, cancels: false, force: false };
const nobody = { email: null, webhook_url: null, ntfy_topic: null, channels: null, reminders: null };
const base = {
  user: {
    ...{ id: 'u', name: 'Ada', phone_e164: '+4930123456', channel_pref: 'call', max_call_attempts: null },
    ...{ ...nobody, timezone: null, quiet_start: null, quiet_end: null, weekend_policy: null },
    ...{ escalation_threshold: null, locale: null, voice: null, created_ms: 0, updated_ms: 0 },
  },
  ...{ title: 'Lunch', organizer: null, confLink: null, allDay: false, vip: false },
  ...{ alarms: null, standing: null, task: null, status: 'confirmed' },
};

it('a change of place shortly before the start makes no second call while a call is due', () => {
  const answer = '{"notify":false,"plan":[]}';
  const story = {
    ...{ ...base, nowMs: Date.parse('2000-06-26T06:03:01.436Z'), leadMs: 3_478_564, own: ['5m'] },
    user: { ...base.user, max_call_attempts: 1 },
    turns: [
      { ...turn, answer },
      { ...turn, answer, passes: 3_418_564, place: 'Room 1' },
    ],
  };
  expect(replay(story as Story)).toEqual([]);
});

it.each([
  ['both', 'ntfy://ada'],
  ['call', 'sms:+4930123456'],
])(
  'a reminder at a named time on a Sunday calls a user who prefers %s and also has %s',
  (channel_pref, address) => {
    const story = {
      ...{ ...base, nowMs: Date.parse('2026-03-29T01:00:00Z'), leadMs: 1, own: ['2026-03-29T02:30'] },
      user: { ...base.user, channel_pref, channels: JSON.stringify([address]) },
      turns: [{ ...turn, moves: 89 * minuteMs, answer: '{"notify":true,"plan":[]}' }],
    };
    expect(replay(story as Story)).toEqual([]);
  },
);

// A retry takes another seed and would hide a counterexample.
describe('the guards', { timeout: 120_000, retry: 0 }, () => {
  it('hold for any user, event, time zone, time and model answer', () => {
    fc.assert(
      fc.property(anyStory, (story) => {
        expect(replay(story)).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  it('hold for stored notifications while events change and notifications are sent, cancelled and replanned', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'adjutant-guards-'));
    const store = createStore(join(folder, 'guards.db'));
    let number = 0;
    try {
      await fc.assert(
        fc.asyncProperty(anyStory, async (story) => {
          expect(await replayStored(store, story, ++number)).toEqual([]);
        }),
        { numRuns: 20, endOnFailure: true },
      );
    } finally {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
