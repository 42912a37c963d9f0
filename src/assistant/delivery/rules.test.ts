import { describe, expect, it } from 'vitest';
import { channels, urgencies } from '../store/schema.ts';
import { escalationTime, nextChannel, nextEscalation, type Reachability } from './escalation.ts';
import { type Attempted, pauseMs, planNext } from './retry.ts';

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

describe('what follows an attempt', () => {
  it('is nothing once the other side has accepted', () => {
    expect(planNext({ ...attempted, outcome: 'accepted' })).toEqual({ kind: 'done' });
  });

  it('is the next channel after a refusal for good', () => {
    expect(planNext({ ...attempted, outcome: 'permanent' }).kind).toBe('give-up');
  });

  it('is a longer pause after every failure, never shorter than the other side asks', () => {
    const pauses = [1, 2, 3, 4, 5, 6, 7].map((attempts) => pauseMs('n1', attempts));
    expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
    expect(pauses.every((pause, index) => pause <= 12_000 * 2 ** index && pause >= 8000)).toBe(true);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(12 * minute);
    expect(planNext({ ...attempted, retryAfterMs: 5 * minute })).toEqual({ kind: 'retry', atMs: 5 * minute });
  });

  it('is spread over time for what failed together, and the same wherever it is computed', () => {
    const pauses = Array.from({ length: 100 }, (_, index) => pauseMs(`n${index}`, 3));
    expect(new Set(pauses).size).toBeGreaterThan(90);
    expect(pauses).toEqual(Array.from({ length: 100 }, (_, index) => pauseMs(`n${index}`, 3)));
  });

  it('is never a second ringing of a phone that may have rung', () => {
    expect(planNext({ ...attempted, channel: 'call', outcome: 'unknown' }).kind).toBe('give-up');
    expect(planNext({ ...attempted, channel: 'email', outcome: 'unknown' }).kind).toBe('retry');
    expect(planNext({ ...attempted, channel: 'call', outcome: 'temporary' }).kind).toBe('retry');
  });

  it('ends with the attempts and with the use of it', () => {
    expect(planNext({ ...attempted, attempts: 8 }).kind).toBe('give-up');
    expect(planNext({ ...attempted, expiresMs: 5000 }).kind).toBe('give-up');
  });
});

describe('the ladder of channels', () => {
  const reach: Reachability = { available: channels, preferred: ['email'], urgency: 'normal' };

  it('begins with what the person asked for and rings nobody who did not ask', () => {
    expect(nextChannel(reach, [])).toBe('email');
    expect(nextChannel(reach, ['email', 'webhook', 'ntfy'])).toBeUndefined();
    expect(nextChannel({ ...reach, preferred: ['email', 'call'] }, ['email'])).toBe('call');
    expect(nextChannel({ ...reach, urgency: 'urgent' }, ['email', 'webhook', 'ntfy'])).toBe('call');
  });

  it('has only steps that reach the person', () => {
    expect(nextChannel({ ...reach, available: ['webhook'] }, [])).toBe('webhook');
    expect(nextChannel({ ...reach, available: [] }, [])).toBeUndefined();
  });

  it('rings again as often as the person allows, then ends', () => {
    const pressing = {
      ...reach,
      available: ['email', 'call'] as const,
      urgency: 'urgent' as const,
    };
    const used: (typeof channels)[number][] = ['email'];
    for (let step = 0; step < 10; step++) {
      const calls = used.filter((channel) => channel === 'call').length;
      const next = nextEscalation({ ...pressing, used, callsLeft: 3 - calls });
      if (next === undefined) break;
      used.push(next);
    }
    expect(used).toEqual(['email', 'call', 'call', 'call']);
    expect(nextEscalation({ ...pressing, used: ['email'], callsLeft: 0 })).toBeUndefined();
  });
});

describe('the time to go on without an answer', () => {
  const start = 600 * minute;

  it('leaves time to answer and waits for the threshold before the event', () => {
    expect(escalationTime('high', start - 180 * minute, start, 60)).toBe(start - 60 * minute);
    expect(escalationTime('urgent', start - 30 * minute, start, 60)).toBe(start - 25 * minute);
  });

  it('never comes for what is not pressing, for those who do not want it, or after the start', () => {
    expect(escalationTime('normal', start - 30 * minute, start, 60)).toBeUndefined();
    expect(escalationTime('urgent', start - 30 * minute, start, 0)).toBeUndefined();
    for (const urgency of urgencies)
      expect(escalationTime(urgency, start - minute, start, 60)).toBeUndefined();
  });
});
