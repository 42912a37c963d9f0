import { expect, it } from 'vitest';
import { describeLog } from '../../run/event-lines.ts';
import type { RecordedEvent } from './agent-event.ts';
import { toEvent } from './app-server-events.ts';

const edit = (changes: readonly object[]) =>
  toEvent('item/completed', { item: { type: 'fileChange', id: 'e', status: 'completed', changes } });

it('keeps the difference of an edit, with marks before each line', () => {
  expect(
    edit([
      { path: '/a', kind: { type: 'update', move_path: null }, diff: '@@ -1 +1 @@\n-low\n+high\n' },
      { path: '/b', kind: { type: 'add' }, diff: 'one\ntwo\n' },
      { path: '/c', kind: { type: 'delete' }, diff: 'old\n' },
      { path: '/d', kind: { type: 'add' } },
    ]),
  ).toMatchObject({
    item: {
      changes: [
        { path: '/a', kind: 'update', diff: '@@ -1 +1 @@\n-low\n+high' },
        { path: '/b', kind: 'add', diff: '+one\n+two' },
        { path: '/c', kind: 'delete', diff: '-old' },
        { path: '/d', kind: 'add' },
      ],
    },
  });
});

it('cuts a long difference', () => {
  const event = edit([{ path: '/a', kind: { type: 'add' }, diff: 'x\n'.repeat(100_000) }]);
  expect(JSON.stringify(event).length).toBeLessThan(5_000);
});

it('an event line of an edit › has its difference, with the path if there are several', async () => {
  const line = async (changes: readonly object[]) => {
    const event = { ...edit(changes), at: '2026-01-01T00:00:00Z' } as RecordedEvent;
    const [described] = await describeLog(['raw'], () => [event], 0, 10);
    return described;
  };
  const change = (path: string) => ({ path, kind: { type: 'add' }, diff: 'x' });
  expect(await line([change('/a')])).toMatchObject({ text: 'add /a', output: '+x' });
  expect(await line([change('/a'), change('/b')])).toMatchObject({ output: '/a\n+x\n/b\n+x' });
});
