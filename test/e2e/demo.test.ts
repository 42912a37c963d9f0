import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { user } from '../../src/demo/samples.ts';
import type { JsonObject } from '../../src/json.ts';
import { openSampleData } from '../sample-data.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'adjutant-demo-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const at = (...path: readonly string[]) => join(home, ...path);
const allFiles = () =>
  readdirSync(home, { recursive: true })
    .map(String)
    .filter((path) => !path.startsWith('adjutant.db'))
    .toSorted();

const open = (broken?: string) => openSampleData(home, broken);

describe('the sample person', () => {
  it('is removed completely if nothing was added to it', async () => {
    await using demo = open();
    expect(await demo.load()).toMatchObject({ events: 6 });
    expect(await demo.users()).toMatchObject([{ id: user.id, email: user.email }]);
    expect(await demo.load()).toMatchObject({ events: 6 });
    expect(await demo.remove()).toMatchObject({ events: 6 });
    expect(await demo.users()).toEqual([]);
    expect(allFiles()).toEqual([]);
  });

  it('is created with other ids if a person or events with the same ids exist', async () => {
    await using demo = open();
    await demo.call('create_user', { id: 'ada', name: 'Ada', email: user.email });
    const mine = { user_id: 'ada', id: 'demo-standup', title: 'Mine', start_ts: '2030-01-01T10:00' };
    await demo.call('create_event', mine);
    expect(await demo.load()).toMatchObject({ events: 6 });
    expect(await demo.users()).toHaveLength(2);
    expect(await demo.remove()).toMatchObject({ events: 6 });
    expect(await demo.users()).toMatchObject([{ id: 'ada' }]);
    expect(await demo.call('get_event', { event_id: 'demo-standup' })).toMatchObject({ title: 'Mine' });
  });

  it('does not replace a person with the same id', async () => {
    await using demo = open();
    await demo.call('create_user', { id: user.id, name: 'Mine' });
    await demo.remove();
    await demo.load();
    await demo.remove();
    expect(await demo.users()).toMatchObject([{ id: user.id, name: 'Mine' }]);
  });

  it('is kept with the calendars and events that the user added to it', async () => {
    await using demo = open();
    await demo.load();
    const far = { user_id: user.id, id: 'mine', title: 'Mine', start_ts: '2044-01-01T10:00' };
    await demo.call('create_event', far);
    writeFileSync(
      at('mine.ics'),
      'BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nSUMMARY:Party\nDTSTART:20440102T100000Z\nEND:VEVENT\nEND:VCALENDAR\n',
    );
    await demo.call('add_calendar', { user_id: user.id, source: at('mine.ics') });
    expect(await demo.remove()).toEqual({
      prompts: expect.any(Number),
      events: 6,
      runs: 2,
      kept: `The sample person ${user.id} was kept because of 1 calendar, 2 events.`,
    });
    expect(await demo.events(user.id)).toEqual([]);
    expect(await demo.call('get_event', { event_id: 'mine' })).toMatchObject({ title: 'Mine' });
    expect(await demo.calendars(user.id)).toMatchObject([{ events: 1 }]);
    // Loading again reuses the person, and removing keeps it again.
    expect(await demo.load()).toMatchObject({ events: 6 });
    expect(await demo.users()).toHaveLength(1);
    expect(await demo.remove()).toMatchObject({ events: 6, kept: expect.stringContaining('was kept') });
    // When the user's data is gone, the person is removed too.
    await demo.call('delete_event', { event_id: 'mine' });
    const [calendar] = await demo.calendars(user.id);
    await demo.call('remove_calendar', { calendar_id: calendar!['id'] });
    await demo.remove();
    expect(await demo.users()).toEqual([]);
    expect(allFiles()).toEqual(['mine.ics']);
  });

  it.each<[string, string, object]>([
    ['preferences', 'update_user', { user_id: user.id, quiet_start: '22:00' }],
    ['a rule', 'set_rule', { user_id: user.id, rule_type: 'travel_buffer', rule_json: { minutes: 20 } }],
  ])('is kept with %s that the user set', async (_, tool, args) => {
    await using demo = open();
    await demo.load();
    await demo.call(tool, args);
    expect(await demo.remove()).toMatchObject({ events: 6, kept: expect.stringContaining(user.id) });
    expect(await demo.users()).toHaveLength(1);
    expect(await demo.call('list_notifications', { user_id: user.id, status: 'planned' })).toMatchObject({
      count: 0,
    });
  });

  it('removes its own messages from the outbox, but not those about events of the user', async () => {
    await using demo = open();
    await demo.load();
    const start_ts = new Date(Date.now() + 2 * 86_400_000).toISOString();
    await demo.call('create_event', { user_id: user.id, id: 'mine', title: 'Mine', start_ts });
    await demo.call('plan_notifications', { user_id: user.id });
    const { notifications } = (await demo.call('list_notifications', {
      user_id: user.id,
      days_forward: 30,
    })) as unknown as { notifications: { id: string; event_id: string }[] };
    mkdirSync(at('outbox'));
    for (const { id } of notifications) writeFileSync(at('outbox', `${id}.eml`), 'to Ada');
    writeFileSync(at('outbox', 'another.eml'), 'to another');
    await demo.remove();
    const mine = notifications.filter(({ event_id }) => event_id === 'mine').map(({ id }) => `${id}.eml`);
    expect(mine.length).toBeGreaterThan(0);
    expect(readdirSync(at('outbox')).toSorted()).toEqual([...mine, 'another.eml'].toSorted());
  });

  it.each(['create_user', 'create_event', 'plan_notifications', 'delegate_autopilot'])(
    'is removed again if %s fails',
    async (tool) => {
      await using demo = open(tool);
      await expect(demo.load()).rejects.toThrow(`${tool} does not work`);
      expect(await demo.users()).toEqual([]);
      expect(allFiles()).toEqual([]);
    },
  );

  it('of an older version is removed too, although only its files were recorded', async () => {
    await using demo = open();
    await demo.load();
    const { person: _, ...older } = JSON.parse(readFileSync(at('state', 'demo.json'), 'utf8')) as JsonObject;
    writeFileSync(at('state', 'demo.json'), JSON.stringify(older));
    expect(await demo.remove()).toMatchObject({ events: 6 });
    expect(await demo.users()).toEqual([]);
  });
});
