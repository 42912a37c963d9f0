import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runWorker } from '../../../test/assistant-worker.ts';
import { openAssistant, type TestAssistant } from '../../../test/open-assistant.ts';

let assistant: TestAssistant;

beforeEach(async () => {
  assistant = openAssistant({ me: { id: 'ada', file: '' } });
  const zone = { timezone: 'Europe/Berlin' };
  await assistant.call('create_user', { id: 'ada', name: 'Ada', email: 'ada@example.com', ...zone });
  await assistant.call('create_user', { id: 'ben', name: 'Ben', email: 'ben@example.com', ...zone });
  await assistant.call('create_user', { id: 'eva', name: 'Eva', email: 'eva@example.com', locale: 'fr' });
});
afterEach(() => assistant[Symbol.asyncDispose]());

const mails = (atMs: number) => runWorker(assistant, atMs);
const send = (text: string, more: Record<string, string> = {}) =>
  assistant.call('send_message', { text, ...more });

describe('send_message', () => {
  it('says who sends the message, in the language of the recipient', async () => {
    expect(await send('I will be five minutes late', { who: 'Ben' })).toMatchObject({
      text: 'Ada: I will be five minutes late',
    });
    await send('Bonjour\n\nÀ demain', { who: 'eva' });
    await send('Buy milk');
    const sent = await mails(assistant.now + 1);
    expect(sent).toHaveLength(3);
    expect(sent).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^Ada: I will be five minutes late\n/),
        expect.stringMatching(/^Ada : Bonjour\nAda : Bonjour\n\nÀ demain/),
        expect.stringMatching(/^Buy milk\n/),
      ]),
    );
  });

  it('names nobody if it is not known who asks', async () => {
    await using shared = openAssistant({ me: { id: 'none', file: '' } });
    await shared.call('create_user', { id: 'ben', name: 'Ben', email: 'ben@example.com' });
    expect(await shared.call('send_message', { text: 'Lunch', who: 'ben' })).toMatchObject({ text: 'Lunch' });
  });

  it('goes out at the time that is named, and waits for the end of quiet hours', async () => {
    const answer = await send('Running late', { who: 'Ben', when: 'friday 12:15' });
    expect(answer).toMatchObject({
      channel: 'email',
      send_time: '2026-11-20T11:15:00Z',
      when: expect.stringContaining('Fri 20 Nov 2026 12:15 Europe/Berlin'),
    });
    expect(await send('Late', { who: 'Ben', when: 'tomorrow 23:00' })).toMatchObject({
      send_time: '2026-11-18T06:00:00Z',
    });
    expect(await mails(Date.parse('2026-11-17T11:15:00Z'))).toEqual([]);
    expect(await mails(Date.parse('2026-11-18T06:00:01Z'))).toHaveLength(1);
    expect(await mails(Date.parse('2026-11-20T11:14:00Z'))).toEqual([]);
    expect(await mails(Date.parse('2026-11-20T11:15:01Z'))).toEqual([
      expect.stringMatching(/^Ada: Running late\n/),
    ]);
  });

  it.each([
    ['yesterday 10:00', /past/],
    ['tomorrow', /no time of day/],
    ['whenever', /not a time/],
  ])('refuses the time "%s" and sends nothing', async (when, problem) => {
    await expect(send('x', { who: 'Ben', when })).rejects.toThrow(problem);
    expect(await mails(assistant.now + 1)).toEqual([]);
  });
});
