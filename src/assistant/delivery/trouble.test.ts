import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { meeting, noon, reminder } from '../../../test/assistant-rows.ts';
import type { Notification } from '../store/schema.ts';
import type { OutcomeRecord } from './record-outcome.ts';
import { Trouble } from './trouble.ts';

let lines: string[];
let now: number;
let trouble: Trouble;
beforeEach(() => {
  lines = [];
  now = noon;
  trouble = new Trouble(() => now);
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    lines.push(String(text));
    return true;
  });
});
afterEach(() => vi.restoreAllMocks());

const event = meeting('e1', 'ada', noon);
const end = (id: string, more: Partial<OutcomeRecord>): OutcomeRecord => ({
  notification: reminder(event, noon, { id }) as Notification,
  status: 'planned',
  action: 'x',
  ...more,
});

it('tells of everything that is given up, in one line each', () => {
  const follow = reminder(event, noon, { channel: 'ntfy' });
  trouble.notice(end('a', { status: 'failed', error: '550-no\r\n550 never', follow }));
  trouble.notice(end('b', { status: 'failed', error: 'gone' }));
  expect(lines).toEqual([
    'adjutant: warning: notification a for ada by email failed: 550-no 550 never; ntfy is next\n',
    'adjutant: warning: notification b for ada by email failed: gone; no channel is left\n',
  ]);
});

it('tells once a minute of what waits for a server that is away', () => {
  for (const id of ['a', 'b', 'c']) trouble.notice(end(id, { error: 'nobody answers' }));
  now += 60_000;
  trouble.notice(end('d', { error: 'still nobody' }));
  expect(lines).toEqual([
    'adjutant: warning: email does not get through and is tried again: nobody answers\n',
    'adjutant: warning: email does not get through and is tried again: still nobody (2 more since the last word)\n',
  ]);
});

it('says nothing about what is sent or put off until quiet hours are over', () => {
  trouble.notice(end('a', { status: 'sent' }));
  trouble.notice(end('b', { nextMs: noon + 1 }));
  expect(lines).toEqual([]);
});
