import { expect, it, onTestFinished } from 'vitest';
import { until } from '../../../test/tree.ts';
import { EventBurst } from './folder-watch.ts';

it('reports a burst that never pauses, and later events as well', { timeout: 60_000 }, async () => {
  let reports = 0;
  const burst = new EventBurst(() => void reports++);
  onTestFinished(() => burst.close());
  // One event per turn of the event loop, so a new event always arrives while the burst waits for silence.
  let isActive = true;
  const sendEvents = () => {
    burst.recordEvent();
    if (isActive) setImmediate(sendEvents);
  };
  sendEvents();
  await until(() => reports > 0, 15_000);
  isActive = false;
  await until(() => reports > 1);
  const before = reports;
  burst.recordEvent();
  await until(() => reports > before);
  expect(reports).toBe(before + 1);
});
