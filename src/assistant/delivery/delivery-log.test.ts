import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { meeting, noon, reminder } from '../../../test/assistant-rows.ts';
import type { Notification } from '../../store/schema.ts';
import type { OutcomeRecord } from './record-outcome.ts';
import { DeliveryLog } from './worker.ts';

let lines: string[];
let now: number;
let log: DeliveryLog;
beforeEach(() => {
  lines = [];
  now = noon;
  log = new DeliveryLog(() => now);
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    lines.push(String(text));
    return true;
  });
});
afterEach(() => vi.restoreAllMocks());

const event = meeting('e1', 'ada', noon);
const outcome = (id: string, more: Partial<OutcomeRecord>): OutcomeRecord => ({
  notification: reminder(event, noon, { id }) as Notification,
  status: 'planned',
  action: 'x',
  ...more,
});

it('logs one line for each notification that is given up', () => {
  const followUp = reminder(event, noon, { channel: 'ntfy' });
  log.report(outcome('a', { status: 'failed', error: '550-no\r\n550 never', followUp }));
  log.report(outcome('b', { status: 'failed', error: 'gone' }));
  expect(lines).toEqual([
    'adjutant: warning: notification a for ada by email failed: 550-no 550 never; trying ntfy next\n',
    'adjutant: warning: notification b for ada by email failed: gone; no other channel is left\n',
  ]);
});

it('logs retries of an unreachable server once a minute', () => {
  for (const id of ['a', 'b', 'c']) log.report(outcome(id, { error: 'nobody answers' }));
  now += 60_000;
  log.report(outcome('d', { error: 'still nobody' }));
  expect(lines).toEqual([
    'adjutant: warning: delivery by email failed and will be retried: nobody answers\n',
    'adjutant: warning: delivery by email failed and will be retried: still nobody (2 more failures since the last message)\n',
  ]);
});

it('logs nothing for notifications that are sent or deferred', () => {
  log.report(outcome('a', { status: 'sent' }));
  log.report(outcome('b', { nextMs: noon + 1 }));
  expect(lines).toEqual([]);
});
