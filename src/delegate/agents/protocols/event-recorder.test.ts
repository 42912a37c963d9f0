import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createHoldBack, createRedaction } from '../../process/redaction.ts';
import { EventRecorder } from './event-recorder.ts';

const env = { API_TOKEN: 'correct-horse-battery' };
let folder: string;
let recorder: EventRecorder;
let writes: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'recorder-'));
  writes = 0;
  recorder = new EventRecorder(
    join(folder, 'events'),
    createRedaction(env),
    createHoldBack(env),
    {
      onWrite: () => {
        writes += 1;
      },
      onError: () => {},
    },
    { bytes: 320_000, deltaBytes: 80_000 },
  );
});
afterEach(() => {
  recorder.close();
  rmSync(folder, { recursive: true });
});

const recorded = () =>
  readFileSync(join(folder, 'events'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
const say = (text: string, id = 'm') => recorder.record({ kind: 'delta', id, of: 'message', text });

it('writes the first delta of an item at once, and joins the next ones', () => {
  for (const word of ['one ', 'two ', 'three ', 'four ']) say(word);
  expect(recorded().map(({ text }) => text)).toEqual(['one ']);
  recorder.record({ kind: 'turn' });
  expect(recorded().map(({ kind, text }) => text ?? kind)).toEqual(['one ', 'two three four ', 'turn']);
  expect(writes).toBe(3);
});

it.each([
  ['a known value', ['it is correct-', 'horse-', 'battery, ', 'all right']],
  ['a key in a common format', ['it is sk-', 'abcdefgh', 'ijklmnopqrstuvwxyz0123', ' all right']],
])('redacts a secret that arrives in pieces: %s', async (_, pieces) => {
  for (const piece of pieces) {
    say(piece);
    // The next piece arrives after the previous one was written.
    await new Promise((resolve) => setTimeout(resolve, 120));
  }
  recorder.close();
  const text = recorded()
    .map((event) => event.text)
    .join('');
  expect(text).toMatch(/^it is \[redacted\],? all right$/);
});

it('limits the deltas, but records how the run ends', () => {
  const long = 'x'.repeat(10_000);
  for (let at = 0; at < 40; at += 1) {
    say(long, `m${at}`);
    recorder.record({
      kind: 'item',
      id: `m${at}`,
      phase: 'completed',
      item: { type: 'message', text: long },
    });
  }
  recorder.record({ kind: 'failed', message: 'no more room' });
  recorder.close();
  const events = recorded();
  expect(events.filter(({ kind }) => kind === 'delta')).toHaveLength(7);
  expect(events.filter(({ kind }) => kind === 'item')).toHaveLength(24);
  expect(events.at(-1)).toMatchObject({ kind: 'failed', message: 'no more room' });
});
