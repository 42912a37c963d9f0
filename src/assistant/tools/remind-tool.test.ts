import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openAssistant, type TestAssistant } from '../../../test/open-assistant.ts';

let folder: string;
let assistant: TestAssistant;
/** Monday, 09:00 in Berlin. */
const zone = { timezone: 'Europe/Berlin', email: 'ada@example.com' };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'adjutant-remind-'));
  assistant = openAssistant({ me: { file: join(folder, 'me') }, plansOnWrite: true });
});
afterEach(async () => {
  await assistant[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const remind = (args: Record<string, string>) => assistant.call('remind', args);

describe('remind', () => {
  it('creates me with the desktop as channel on first use, and plans the reminder at once', async () => {
    const answer = await remind({ text: 'stretch', when: 'in 10 minutes' });
    const { users } = await assistant.call('list_users');
    expect(users).toMatchObject([{ id: answer['user_id'], channels: ['desktop:here'] }]);
    expect(answer).toMatchObject({
      text: 'stretch',
      start_ts: '2026-11-16T08:10:00Z',
      planned: [{ plan_time: '2026-11-16T08:10:00Z', channel: 'desktop' }],
    });
    expect(answer['warnings']).toContainEqual(expect.stringContaining('Nothing is running that sends'));
    await remind({ text: 'again', when: 'in 20 minutes' });
    expect((await assistant.call('list_users'))['count']).toBe(1);
    await assistant.call('create_user', { name: 'Ben', ...zone });
    expect((await remind({ text: 'mine', when: 'in 30 minutes' }))['user_id']).toBe(answer['user_id']);
  });

  it('says the time it understood in the zone of the person, and keeps it in quiet hours', async () => {
    await assistant.call('create_user', { id: 'ada', name: 'Ada', ...zone });
    const answer = await remind({ text: 'sleep', when: 'tonight at 23:30' });
    expect(answer).toMatchObject({
      user_id: 'ada',
      when: 'Mon 16 Nov 2026 23:30 Europe/Berlin, in 15 hours',
      quiet_hours: expect.stringContaining('21:00 to 07:00'),
      planned: [{ plan_time: '2026-11-16T22:30:00Z', channel: 'email' }],
    });
  });

  it.each([
    ['tomorrow', 'tomorrow 09:00'],
    ['tomorrow evening', 'tomorrow 20:00'],
    ['this afternoon', 'today 15:00'],
  ])('asks for the time of day of "%s" with the example "%s"', async (when, example) => {
    await expect(remind({ text: 'x', when })).rejects.toThrow(`"${example}"`);
  });

  it.each([
    [{ when: 'every weekday at 7' }, '2026-11-17T06:00:00Z', 'every weekday at 7'],
    [{ when: 'every monday at 18:00' }, '2026-11-16T17:00:00Z', 'every monday at 18:00'],
    [{ when: 'friday 10:00', repeat: 'every week' }, '2026-11-20T09:00:00Z', 'every week'],
    [{ when: '2026-12-01', repeat: 'every month on the 1st at 9:00' }, '2026-12-01T08:00:00Z', undefined],
    [{ when: '2026-12-01T09:00', repeat: 'FREQ=MONTHLY' }, '2026-12-01T08:00:00Z', 'FREQ=MONTHLY'],
  ])('repeats: %j starts at %s', async (args, start, repeats) => {
    await assistant.call('create_user', { id: 'ada', name: 'Ada', ...zone });
    const answer = await remind({ text: 'bins', ...args });
    expect(answer).toMatchObject({ start_ts: start, ...(repeats && { repeats }) });
    const event = await assistant.call('get_event', { event_id: String(answer['event_id']) });
    expect(event).toMatchObject({ recurring: true, start_ts: start });
  });

  it('comes by the channel that is named, if the person has it', async () => {
    await assistant.call('create_user', {
      id: 'ada',
      name: 'Ada',
      ...zone,
      channels: ['tel:+4915112345678', 'sms:+4915112345678'],
    });
    const answer = await remind({ text: 'pills', when: 'every day at 6:15', channel: 'sms' });
    expect(answer['planned']).toMatchObject([
      { plan_time: '2026-11-17T05:15:00Z', channel: 'sms' },
      ...Array.from({ length: 4 }, () => ({ channel: 'sms' })),
    ]);
    await expect(remind({ text: 'x', when: 'in 10 minutes', channel: 'telegram' })).rejects.toThrow(
      'Ada has no address for telegram. Ada has email, call, sms.',
    );
    expect((await assistant.call('list_events', { query: 'x' }))['count']).toBe(0);
  });

  it('plans a reminder that is further ahead than the planning horizon', async () => {
    await assistant.call('create_user', { id: 'ada', name: 'Ada', ...zone });
    const answer = await remind({ text: 'tax', when: '2027-05-31T09:00' });
    expect(answer['planned']).toMatchObject([{ plan_time: '2027-05-31T07:00:00Z', channel: 'email' }]);
  });

  it.each([
    ['tomorrow at 3', /03:00 or 15:00/],
    ['tomorrow', /no time of day/],
    ['yesterday 10:00', /past/],
    ['2026-11-16T08:00', /past/],
    ['every 5 minutes', /every hour at most/],
    ['every day', /no time of day/],
    ['whenever', /not a time/],
  ])('refuses "%s" and stores nothing', async (when, message) => {
    await assistant.call('create_user', { id: 'ada', name: 'Ada', ...zone });
    await expect(remind({ text: 'x', when })).rejects.toThrow(message);
    expect((await assistant.call('list_events'))['count']).toBe(0);
  });
});

describe('me', () => {
  it('is the only person of a local database', async () => {
    await assistant.call('create_user', { id: 'ada', name: 'Ada', ...zone });
    expect(await assistant.call('get_user')).toMatchObject({ id: 'ada' });
  });

  it('must be chosen once if there are several, and is stored outside the database', async () => {
    for (const name of ['Ada', 'Ben']) await assistant.call('create_user', { id: name.toLowerCase(), name });
    await expect(remind({ text: 'x', when: 'in 10 minutes' })).rejects.toThrow(/users me "Ada"/);
    await assistant.call('choose_me', { user_id: 'Ben' });
    expect(readFileSync(join(folder, 'me'), 'utf8')).toBe('ben\n');
    expect(await remind({ text: 'x', when: 'in 10 minutes' })).toMatchObject({ user_id: 'ben' });
  });

  it('is a person with the id me', async () => {
    for (const id of ['me', 'ada']) await assistant.call('create_user', { id, name: id });
    expect(await assistant.call('get_user')).toMatchObject({ id: 'me' });
  });

  it('is nobody with the setting none, and is not created', async () => {
    await using shared = openAssistant({ me: { id: 'none', file: join(folder, 'me') } });
    await expect(shared.call('remind', { text: 'x', when: 'in 10 minutes' })).rejects.toThrow(
      /nobody is known/,
    );
    expect((await shared.call('list_users'))['count']).toBe(0);
  });

  it('is not created by reading', async () => {
    await expect(assistant.call('get_user')).rejects.toThrow(/nobody is known/);
    expect((await assistant.call('list_users'))['count']).toBe(0);
  });
});

describe('names of people', () => {
  beforeEach(async () => {
    await assistant.call('create_user', { id: 'u1', name: 'Ada Lovelace', email: 'ada@example.com' });
    await assistant.call('create_user', { id: 'u2', name: 'Ben Bitdiddle' });
  });

  it.each(['u1', 'Ada Lovelace', 'ada', 'ADA@example.com'])('accepts %s', async (user_id) => {
    expect(await assistant.call('get_user', { user_id })).toMatchObject({ id: 'u1' });
  });

  it('says which name was not found and suggests a close one', async () => {
    await expect(assistant.call('get_user', { user_id: 'Ada Lovelase' })).rejects.toThrow(
      'nobody is called "Ada Lovelase". Did you mean Ada Lovelace?',
    );
  });

  it('refuses a name that two people have', async () => {
    await assistant.call('create_user', { id: 'u3', name: 'Ada Byron' });
    await expect(assistant.call('get_user', { user_id: 'ada' })).rejects.toThrow('u3 and u1');
  });

  it('accepts names in lists of people', async () => {
    const answer = await assistant.call('find_time', { people: ['Ada', 'ben'] });
    expect(answer['people']).toMatchObject([{ user_id: 'u1' }, { user_id: 'u2' }]);
  });
});
