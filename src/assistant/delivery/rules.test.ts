import { describe, expect, it } from 'vitest';
import { urgencies } from '../../store/schema.ts';
import { channelNames } from '../entities/channels.ts';
import { escalationTime, nextChannel, nextEscalation, type Reachability } from './pre-send-checks.ts';
import { type Attempted, pauseMs, planNext } from './reachable-channels.ts';

const minute = 60_000;
const attempted: Attempted = {
  id: 'n1',
  channel: 'email',
  attempts: 1,
  maxAttempts: 8,
  outcome: 'temporary',
  nowMs: 0,
  expiresMs: 60 * minute,
};

describe('the next step after an attempt', () => {
  it('is done once the receiver has accepted', () => {
    expect(planNext({ ...attempted, outcome: 'accepted' })).toEqual({ kind: 'done' });
  });

  it('is to give up on the channel after a permanent failure', () => {
    expect(planNext({ ...attempted, outcome: 'permanent' }).kind).toBe('give-up');
  });

  it('is a retry after a growing pause, never shorter than Retry-After', () => {
    const pauses = [1, 2, 3, 4, 5, 6, 7].map((attempts) => pauseMs('n1', attempts));
    expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
    expect(pauses.every((pause, index) => pause <= 12_000 * 2 ** index && pause >= 8000)).toBe(true);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(12 * minute);
    expect(planNext({ ...attempted, retryAfterMs: 5 * minute })).toEqual({ kind: 'retry', atMs: 5 * minute });
  });

  it('has a jitter that depends on the notification and is the same in every process', () => {
    const pauses = Array.from({ length: 100 }, (_, index) => pauseMs(`n${index}`, 3));
    expect(new Set(pauses).size).toBeGreaterThan(90);
    expect(pauses).toEqual(Array.from({ length: 100 }, (_, index) => pauseMs(`n${index}`, 3)));
  });

  it('is never a second call if the phone may have rung', () => {
    expect(planNext({ ...attempted, channel: 'call', outcome: 'unknown' }).kind).toBe('give-up');
    expect(planNext({ ...attempted, channel: 'email', outcome: 'unknown' }).kind).toBe('retry');
    expect(planNext({ ...attempted, channel: 'call', outcome: 'temporary' }).kind).toBe('retry');
  });

  it('is to give up after the last attempt or once a retry would be too late', () => {
    expect(planNext({ ...attempted, attempts: 8 }).kind).toBe('give-up');
    expect(planNext({ ...attempted, expiresMs: 5000 }).kind).toBe('give-up');
  });
});

describe('the order of channels', () => {
  const reach: Reachability = { available: channelNames, preferred: ['email'], urgency: 'normal' };

  it('starts with preferred channels and calls only users who want calls, or for high urgency', () => {
    expect(nextChannel(reach, [])).toBe('email');
    const quiet = channelNames.filter((channel) => channel !== 'call');
    expect(nextChannel(reach, quiet)).toBeUndefined();
    expect(nextChannel({ ...reach, preferred: ['email', 'call'] }, ['email'])).toBe('call');
    expect(nextChannel({ ...reach, urgency: 'urgent' }, quiet)).toBe('call');
  });

  it('contains only channels for which the user has an address', () => {
    expect(nextChannel({ ...reach, available: ['webhook'] }, [])).toBe('webhook');
    expect(nextChannel({ ...reach, available: [] }, [])).toBeUndefined();
  });

  it('repeats calls up to the limit of the user, then ends', () => {
    const urgent = {
      ...reach,
      available: ['email', 'call'] as const,
      urgency: 'urgent' as const,
      planned: [],
    };
    const used: string[] = ['email'];
    for (let step = 0; step < 10; step++) {
      const calls = used.filter((channel) => channel === 'call').length;
      const next = nextEscalation({ ...urgent, used, callsLeft: 3 - calls });
      if (next === undefined) break;
      used.push(next);
    }
    expect(used).toEqual(['email', 'call', 'call', 'call']);
    expect(nextEscalation({ ...urgent, used: ['email'], callsLeft: 0 })).toBeUndefined();
    expect(nextEscalation({ ...urgent, used: ['email'], planned: ['call'], callsLeft: 3 })).toBeUndefined();
  });
});

describe('the escalation time', () => {
  const start = 600 * minute;

  it('leaves time to acknowledge and waits for the threshold before the event', () => {
    expect(escalationTime('high', start - 180 * minute, start, 60)).toBe(start - 60 * minute);
    expect(escalationTime('urgent', start - 30 * minute, start, 60)).toBe(start - 25 * minute);
  });

  it('is undefined for normal urgency, for a threshold of zero, and after the start', () => {
    expect(escalationTime('normal', start - 30 * minute, start, 60)).toBeUndefined();
    expect(escalationTime('urgent', start - 30 * minute, start, 0)).toBeUndefined();
    for (const urgency of urgencies)
      expect(escalationTime(urgency, start - minute, start, 60)).toBeUndefined();
  });
});
