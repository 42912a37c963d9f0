import { expect, it, onTestFinished } from 'vitest';
import { until } from '../../../test/tree.ts';
import { EventBurst } from './event-burst.ts';

it('reports a burst that never pauses, and the events after it', { timeout: 60_000 }, async () => {
  let reports = 0;
  const burst = new EventBurst(() => void reports++);
  onTestFinished(() => burst.close());
  // An event in every turn of the loop: there is always a new one while the last quiet moment is being checked.
  let storm = true;
  const blow = () => {
    burst.event();
    if (storm) setImmediate(blow);
  };
  blow();
  await until(() => reports > 0, 15_000);
  storm = false;
  await until(() => reports > 1);
  const before = reports;
  burst.event();
  await until(() => reports > before);
  expect(reports).toBe(before + 1);
});
