import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import PostalMime from 'postal-mime';
import { describe, expect, it } from 'vitest';
import { outbox, runWorker } from '../../../test/assistant-worker.ts';
import { type Behaviour, startChatModel } from '../../../test/model/chat-model.ts';
import { openAssistant, type TestAssistant } from '../../../test/open-assistant.ts';
import { hostileAnswers, hostileEvents } from '../../../test/stories/guard-stories.ts';
import type { JsonObject } from '../../json.ts';
import type { PolicyOptions } from './policy-model.ts';

const good = JSON.stringify({
  notify: true,
  reasoning: 'Bring the insurance card.',
  plan: [
    {
      offset_minutes: -90,
      channel: 'email',
      urgency: 'normal',
      subject: 'Haircut soon',
      email_text: '',
      tts_script: '',
    },
  ],
});

async function openWithHaircut(policy: PolicyOptions, memory = {}): Promise<TestAssistant> {
  const assistant = openAssistant({ policy, memory });
  await assistant.call('create_user', {
    id: 'ada',
    name: 'Ada',
    email: 'ada@example.com',
    timezone: 'Europe/Berlin',
  });
  await assistant.call('create_event', {
    user_id: 'ada',
    id: 'haircut',
    title: 'Haircut',
    start_ts: '2026-11-17T14:00',
  });
  return assistant;
}

/** Plans with a model server that behaves as given. */
async function planWith(behave: Behaviour, more: Partial<PolicyOptions> = {}) {
  const model = await startChatModel(behave);
  const policy = { name: 'endpoint', url: model.url, model: 'tiny', timeoutMs: 5000, ...more } as const;
  const assistant = await openWithHaircut(policy);
  const result = await assistant.call('plan_notifications', { user_id: 'ada' });
  return {
    model,
    assistant,
    result: result as unknown as { policies: JsonObject[]; changes: JsonObject[]; dropped?: JsonObject[] },
    async [Symbol.asyncDispose]() {
      await assistant[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}

describe('a model endpoint', () => {
  it('decides, and is asked once about an event that does not change', async () => {
    await using session = await planWith(() => good, { key: 'secret-key' });
    const { model, result, assistant } = session;
    expect(result.policies).toEqual([{ policy: 'endpoint', reason: 'Bring the insurance card.', events: 1 }]);
    expect(result.changes).toMatchObject([
      { action: 'add', plan_time: '2026-11-17T11:30:00Z', reason: '90 minutes before' },
    ]);
    await assistant.call('plan_notifications', { user_id: 'ada' });
    expect(model.asked).toHaveLength(1);
    const [{ headers, body }] = model.asked as [(typeof model.asked)[0]];
    expect(headers.authorization).toBe('Bearer secret-key');
    expect(body).toMatchObject({ model: 'tiny', response_format: { type: 'json_schema' } });
  });

  it('gets no addresses of the user, and the event text between random markers', async () => {
    await using session = await planWith(() => good);
    const { messages } = session.model.asked[0]!.body;
    expect(JSON.stringify(messages)).not.toContain('ada@example.com');
    const [, mark] = /data\):\n(untrusted-[0-9a-f-]{36})\n/.exec(messages[1]!.content)!;
    const [, fenced] = messages[1]!.content.split(`\n${mark}\n`);
    expect(JSON.parse(fenced!)).toMatchObject({
      day: '2026-11-17',
      events: [{ event: 1, title: 'Haircut' }],
    });
  });

  it.each([
    ['in a code fence', `Here you are:\n\`\`\`json\n${good}\n\`\`\`\nAnything else?`],
    ['inside other text', `I would say ${good} and that is that.`],
  ])('may give its answer %s', async (_, answer) => {
    await using session = await planWith(() => answer);
    expect(session.result.policies).toMatchObject([{ policy: 'endpoint' }]);
    expect(session.model.asked).toHaveLength(1);
  });

  it('may repair an invalid answer once', async () => {
    await using session = await planWith((_, index) => (index === 0 ? '{"notify": "perhaps"}' : good));
    expect(session.result.policies).toEqual([
      { policy: 'endpoint', reason: 'Bring the insurance card. (repaired)', events: 1 },
    ]);
    expect(session.model.asked[1]!.body.messages[1]!.content).toMatch(/could not be used: .*plan/);
  });

  it('is replaced by the rules after two invalid answers, and asked again next time', async () => {
    await using session = await planWith(() => 'no idea');
    const { model, assistant, result } = session;
    expect(result.policies).toEqual([
      {
        policy: 'rules',
        reason: 'endpoint: its answers were invalid (it is not JSON); built-in rules',
        events: 1,
      },
    ]);
    expect(result.changes).toMatchObject([{ plan_time: '2026-11-17T12:00:00Z' }]);
    expect(model.asked).toHaveLength(2);
    await assistant.call('plan_notifications', { user_id: 'ada' });
    expect(model.asked).toHaveLength(4);
  });

  it.each<[string, Behaviour, RegExp]>([
    ['an error', (_, __, response) => void response.writeHead(500).end('oops'), /status 500/],
    ['an authentication error', (_, __, response) => void response.writeHead(401).end(), /status 401/],
    ['an HTML page', (_, __, response) => void response.end('<html>'), /not JSON/],
    ['an empty object', (_, __, response) => void response.end('{}'), /no message/],
    ['a closed connection', (_, __, response) => void response.socket?.destroy(), /the request failed/],
    [
      'a redirect',
      (_, __, response) => void response.writeHead(302, { location: 'http://evil.example/' }).end(),
      /the request failed/,
    ],
    [
      'an endless reply',
      (_, __, response) => void response.end('x'.repeat(3 << 20)),
      /longer than 1048576 characters/,
    ],
    ['no reply', () => undefined, /no answer within 0.3 s/],
  ])('that answers with %s is replaced by the rules, which give the reason', async (_, behave, reason) => {
    await using session = await planWith(behave, { timeoutMs: 300 });
    expect(session.result.policies).toMatchObject([
      { policy: 'rules', reason: expect.stringMatching(reason) },
    ]);
    expect(session.result.changes).toMatchObject([{ action: 'add' }]);
  });

  it('that hangs delays planning once, not once per event', async () => {
    await using model = await startChatModel(() => undefined);
    await using assistant = await openWithHaircut({
      name: 'endpoint',
      url: model.url,
      model: 'tiny',
      timeoutMs: 300,
    });
    for (let number = 0; number < 20; number++)
      await assistant.call('create_event', {
        user_id: 'ada',
        title: `Event ${number}`,
        start_ts: `2026-11-18T${10 + (number % 10)}:00`,
      });
    const result = await assistant.call('plan_notifications', { user_id: 'ada' });
    expect(result).toMatchObject({ events_processed: 21, policies: [{ policy: 'rules' }] });
    expect(model.asked.length).toBeLessThanOrEqual(4);
  });

  it('that does not support schemas is asked without one', async () => {
    await using session = await planWith(({ body }, _, response) => {
      if (body.response_format === undefined) return good;
      response.writeHead(400).end('unknown field response_format');
      return undefined;
    });
    expect(session.result.policies).toMatchObject([{ policy: 'endpoint' }]);
  });

  it('that is not running or not configured is reported', async () => {
    await using notRunning = await openWithHaircut({
      name: 'endpoint',
      url: 'http://127.0.0.1:9',
      model: 'x',
      timeoutMs: 2000,
    });
    expect(await notRunning.call('plan_notifications', { user_id: 'ada' })).toMatchObject({
      policies: [{ policy: 'rules', reason: expect.stringContaining('the request failed') }],
    });
    await using notConfigured = await openWithHaircut({ name: 'endpoint', timeoutMs: 2000 });
    expect(await notConfigured.call('plan_notifications', { user_id: 'ada' })).toMatchObject({
      policies: [{ policy: 'rules', reason: expect.stringContaining('not configured') }],
    });
  });

  describe('asked about a day with several events', () => {
    const plan = (event: number, offset_minutes: number) => ({
      ...{ event, notify: true, reasoning: `Reason ${event}.` },
      plan: [{ offset_minutes, channel: 'email' }],
    });
    /** The data between the markers of a question. */
    const dataOf = (content: string) => {
      const [, mark] = /data\):\n(untrusted-[0-9a-f-]{36})\n/.exec(content)!;
      return JSON.parse(content.split(`\n${mark}\n`)[1]!) as {
        events: { event: number; title: string }[];
        decided?: { title: string; reminders: { channel: string; time: string }[] }[];
      };
    };
    async function openDay(behave: Behaviour) {
      const model = await startChatModel(behave);
      const policy = { name: 'endpoint', url: model.url, model: 'tiny', timeoutMs: 5000 } as const;
      const assistant = await openWithHaircut(policy);
      for (const [title, start_ts] of [
        ['Lunch', '2026-11-17T12:00'],
        ['Cinema', '2026-11-17T20:00'],
        ['Tomorrow', '2026-11-18T12:00'],
      ])
        await assistant.call('create_event', { user_id: 'ada', title: title!, start_ts: start_ts! });
      return {
        ...{ assistant, model },
        async [Symbol.asyncDispose]() {
          await assistant[Symbol.asyncDispose]();
          await model[Symbol.asyncDispose]();
        },
      };
    }
    const planned = async (assistant: TestAssistant) => {
      const { notifications } = await assistant.call('list_notifications', { status: 'planned' });
      return (notifications as unknown as { subject: string; plan_time: string }[]).map(
        ({ subject, plan_time }) => `${subject.split(',')[0]} ${plan_time.slice(5, 16)}`,
      );
    };

    it('gets all of them in one question, and proposes for the day', async () => {
      await using session = await openDay(({ body }) => {
        const { events } = dataOf(body.messages[1]!.content);
        return JSON.stringify({ plans: events.map(({ event }) => plan(event, -10 * event)).reverse() });
      });
      const result = await session.assistant.call('plan_notifications', { user_id: 'ada' });
      const days = session.model.asked.map(({ body }) =>
        dataOf(body.messages[1]!.content).events.map(({ title }) => title),
      );
      expect(days.sort()).toEqual([['Lunch', 'Haircut', 'Cinema'], ['Tomorrow']]);
      expect(result).toMatchObject({ events_processed: 4 });
      expect(await planned(session.assistant)).toEqual([
        'Lunch 11-17T10:50',
        'Haircut 11-17T12:40',
        'Cinema 11-17T18:30',
        'Tomorrow 11-18T10:50',
      ]);
    });

    it('is asked about a changed event only, and sees the reminders of the others', async () => {
      await using session = await openDay(({ body }) => {
        const { events } = dataOf(body.messages[1]!.content);
        return JSON.stringify({ plans: events.map(({ event }) => plan(event, -30)) });
      });
      await session.assistant.call('plan_notifications', { user_id: 'ada' });
      const before = session.model.asked.length;
      await session.assistant.call('update_event', { event_id: 'haircut', start_ts: '2026-11-17T15:00' });
      await session.assistant.call('plan_notifications', { user_id: 'ada' });
      expect(session.model.asked).toHaveLength(before + 1);
      const { events, decided } = dataOf(session.model.asked.at(-1)!.body.messages[1]!.content);
      expect(events.map(({ title }) => title)).toEqual(['Haircut']);
      expect(decided).toMatchObject([
        { title: 'Lunch', reminders: [{ channel: 'email', time: '2026-11-17T10:30:00Z' }] },
        { title: 'Cinema', reminders: [{ channel: 'email', time: '2026-11-17T18:30:00Z' }] },
      ]);
    });

    it('keeps the valid plans of an answer, and is asked once more about the others', async () => {
      await using session = await openDay(({ body }, index) => {
        const { events } = dataOf(body.messages[1]!.content);
        const answered = events.length === 1 || index > 5 ? events : events.slice(0, 2);
        return JSON.stringify({ plans: answered.map(({ event }) => plan(event, -30)) });
      });
      const result = await session.assistant.call('plan_notifications', { user_id: 'ada' });
      expect(session.model.asked).toHaveLength(3);
      expect(session.model.asked[2]!.body.messages[1]!.content).toContain('event 3: it has no plan');
      const { policies } = result as unknown as { policies: { policy: string; reason: string }[] };
      expect(policies).toEqual(
        expect.arrayContaining([
          { policy: 'endpoint', reason: 'Reason 2.', events: 1 },
          {
            policy: 'rules',
            reason: expect.stringContaining('its answers were invalid (event 3: it has no plan)'),
            events: 1,
          },
        ]),
      );
      expect(await planned(session.assistant)).toContain('Cinema 11-17T18:00');
    });
  });

  it('may decide that nothing is sent', async () => {
    await using session = await planWith(() => '{"notify": false, "reasoning": "Ada never forgets."}');
    expect(session.result).toMatchObject({
      policies: [{ policy: 'endpoint', reason: 'Ada never forgets.' }],
      changes: [],
    });
  });

  describe('asked about an event that starts soon', () => {
    const propose = (...offsets: readonly number[]) =>
      JSON.stringify({
        notify: true,
        plan: offsets.map((offset_minutes) => ({
          offset_minutes,
          channel: 'email',
          email_text: `Only ${-offset_minutes} minutes are left.`,
        })),
      });
    const rows = async (assistant: TestAssistant) => {
      const { notifications } = await assistant.call('list_notifications', { status: 'planned' });
      return notifications as unknown as { id: string; plan_time: string; reason: string }[];
    };

    it.each([
      [45, '2026-11-17T12:45:00Z'],
      [10, '2026-11-17T12:55:00Z'],
      [4, '2026-11-17T12:57:00Z'],
      [0.5, '2026-11-17T13:00:00Z'],
    ])('gets a reminder before the start if its times have passed, %s minutes before', async (left, at) => {
      let answer = '{"notify": false}';
      await using session = await planWith(() => answer);
      const { assistant } = session;
      assistant.now = Date.parse('2026-11-17T13:00:00Z') - left * 60_000;
      answer = propose(-1440, -60);
      await assistant.call('plan_notifications', { user_id: 'ada', force_replan: true });
      const [row, ...more] = await rows(assistant);
      expect(row).toMatchObject({
        plan_time: at,
        reason: expect.stringContaining('the proposed time has passed'),
      });
      expect(more).toEqual([]);
      // The words of the model were written for another time.
      const preview = await assistant.call('preview_messages', { notification_id: row!.id });
      expect(preview).toMatchObject({ messages: [{ text: expect.not.stringContaining('are left') }] });
    });

    it('keeps the planned reminder if no proposed time is left', async () => {
      let answer = propose(-30);
      await using session = await planWith(() => answer);
      const { assistant } = session;
      assistant.now = Date.parse('2026-11-17T12:15:00Z');
      const before = await rows(assistant);
      expect(before).toMatchObject([{ plan_time: '2026-11-17T12:30:00Z' }]);
      for (const worse of [propose(-1440, -60), '{"notify": false, "reasoning": "Nobody forgets it."}']) {
        answer = worse;
        await assistant.call('plan_notifications', { user_id: 'ada', force_replan: true });
        expect(await rows(assistant)).toEqual(before);
      }
      answer = propose(-20);
      await assistant.call('plan_notifications', { user_id: 'ada', force_replan: true });
      expect(await rows(assistant)).toMatchObject([{ plan_time: '2026-11-17T12:40:00Z' }]);
    });
  });

  it('may not ask for reminders without proposing one', async () => {
    await using session = await planWith((_, index) =>
      index === 0 ? '{"notify": true, "reasoning": "Important.", "plan": []}' : good,
    );
    expect(session.result.policies).toMatchObject([{ policy: 'endpoint' }]);
    expect(session.result.changes).toMatchObject([{ action: 'add' }]);
    expect(session.model.asked[1]!.body.messages[1]!.content).toMatch(/could not be used: .*plan/);
  });

  it('cannot plan at night, on another channel, or more than three reminders', async () => {
    const items = [-60, -600, -700, -800, -1200].map((offset_minutes) => ({
      offset_minutes,
      channel: 'call',
      urgency: 'urgent',
      to: '+15550000000',
    }));
    await using session = await planWith(() => JSON.stringify({ notify: true, plan: items }));
    expect(session.result.changes).toMatchObject([
      { channel: 'email', urgency: 'normal', plan_time: '2026-11-17T12:00:00Z' },
      { channel: 'email', urgency: 'low', plan_time: '2026-11-16T19:59:00Z' },
      { channel: 'email', urgency: 'normal', plan_time: '2026-11-16T17:00:00Z' },
    ]);
    expect(session.result.dropped).toMatchObject([
      { reason: 'another notification is planned on this channel at the same time' },
      { reason: 'another notification is planned on this channel at the same time' },
    ]);
  });

  it('cannot put a link or a header line into a mail', async () => {
    const subject = 'Hello\r\nBcc: eve@evil.example';
    const email_text = 'See https://evil.example/login now';
    await using session = await planWith(() =>
      JSON.stringify({
        notify: true,
        plan: [{ offset_minutes: -60, channel: 'email', subject, email_text }],
      }),
    );
    const { notifications } = (await session.assistant.call('list_notifications')) as {
      notifications: JsonObject[];
    };
    expect(notifications).toMatchObject([{ subject: 'Hello Bcc: eve@evil. example' }]);
    expect(JSON.stringify(notifications)).not.toContain('https://evil');
  });

  it('has its text replaced when the event changes', async () => {
    await using session = await planWith(() => good);
    await session.assistant.call('update_user', { user_id: 'ada', name: 'Ada L.' });
    const subject = async () =>
      ((await session.assistant.call('list_notifications')) as { notifications: JsonObject[] })
        .notifications[0]!['subject'];
    expect(await subject()).toBe('Haircut soon');
    await session.assistant.call('update_event', { event_id: 'haircut', title: 'Surgeon' });
    expect(await subject()).toMatch(/^Surgeon/);
  });

  it.each([
    'https://evil.example/a',
    'evil.example',
    'Evil.Example',
    'evil.example?a=1',
    'evil.example:8080/a',
    'eve@evil.example',
    'https:evil.example',
    'sms:+15550199',
    'пример.рф',
    '203.0.113.9/a',
  ])('puts no link into any text that a person reads: %s', async (link) => {
    const words = { subject: `Look, ${link}`, email_text: `Go to ${link} now`, tts_script: `Hear ${link}` };
    const item = { offset_minutes: -90, channel: 'email', ...words };
    const answer = JSON.stringify({ notify: true, reasoning: `You must visit ${link} today`, plan: [item] });
    await using session = await planWith(() => answer);
    const { assistant, result, model } = session;
    const policy = { name: 'endpoint', url: model.url, model: 'tiny', timeoutMs: 5000 } as const;
    const [mail] = await runWorker(assistant, Date.parse('2026-11-17T11:30:01Z'), policy);
    expect(mail).toMatch(/^Why: .*You must visit .* today$/m);
    const listed = await assistant.call('list_notifications', { user_id: 'ada', days_back: 2 });
    const audit = await assistant.call('explain_notifications', { user_id: 'ada' });
    expect(listed).toMatchObject({ count: 1 });
    const [file] = outbox(assistant).filter((name) => name.endsWith('.eml'));
    const { html } = await PostalMime.parse(readFileSync(join(dirname(assistant.file), 'outbox', file!)));
    for (const text of [mail!, html!, JSON.stringify([listed, audit, result])])
      expect(text).not.toContain(link);
  });

  it('keeps sentences whose words only resemble addresses', async () => {
    const reasoning = 'Room 3.14, 1.OG, e.g. at 10.30/11.00, and/or z.B. 16.11.2026: bring A/B';
    await using session = await planWith(() => JSON.stringify({ ...JSON.parse(good), reasoning }));
    expect(session.result.policies).toMatchObject([{ reason: reasoning.replace('1.OG', '1. OG') }]);
  });

  it('cannot break the guards with hostile answers or events', async () => {
    await using model = await startChatModel((_, index) => hostileAnswers[index % hostileAnswers.length]!);
    await using assistant = await openWithHaircut({
      name: 'endpoint',
      url: model.url,
      model: 'tiny',
      timeoutMs: 5000,
    });
    const titles = hostileEvents.map(
      (title) => title.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e]/gu, ' ') || 'x',
    );
    for (const [index, title] of [...titles, ...titles].entries())
      await assistant.call('create_event', {
        user_id: 'ada',
        title,
        start_ts: new Date(assistant.now + (index + 1) * 5_000_000).toISOString(),
      });
    const result = await assistant.call('plan_notifications', { user_id: 'ada' });
    expect(result['events_processed']).toBe(titles.length * 2 + 1);
    const { notifications } = (await assistant.call('list_notifications', { days_forward: 30 })) as {
      notifications: JsonObject[];
    };
    expect(notifications.length).toBeGreaterThan(10);
    for (const { channel, plan_time, urgency } of notifications) {
      const time = new Date(String(plan_time)).toLocaleTimeString('en-GB', { timeZone: 'Europe/Berlin' });
      expect([channel, urgency === 'urgent', time >= '07:00' && time < '21:00']).toEqual([
        'email',
        false,
        true,
      ]);
    }
  });
});

describe('the client model', () => {
  const policy = { name: 'client', timeoutMs: 2000 } as const;
  const legacy = (assistant: TestAssistant) =>
    assistant.client.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: { sampling: {} },
      clientInfo: { name: 't', version: '1' },
    });

  it('is asked if the client supports sampling', async () => {
    const asked: JsonObject[] = [];
    const onRequest = async (method: string, params: JsonObject) => {
      asked.push({ method, ...params });
      return { role: 'assistant', model: 'm', content: { type: 'text', text: good } };
    };
    await using assistant = await openWithHaircut(policy, { onRequest });
    await legacy(assistant);
    expect(await assistant.call('plan_notifications', { user_id: 'ada' })).toMatchObject({
      policies: [{ policy: 'client', reason: 'Bring the insurance card.' }],
      changes: [{ plan_time: '2026-11-17T11:30:00Z' }],
    });
    expect(asked).toMatchObject([{ method: 'sampling/createMessage', maxTokens: 4000 }]);
  });

  it('keeps its decisions when a worker without a client plans', async () => {
    const onRequest = async () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: good } });
    await using assistant = await openWithHaircut(policy, { onRequest });
    await legacy(assistant);
    await assistant.call('plan_notifications', { user_id: 'ada' });
    await using worker = openAssistant({ file: assistant.file, policy });
    expect(await worker.call('plan_notifications', { user_id: 'ada' })).toMatchObject({
      policies: [],
      changes: [{ action: 'keep', plan_time: '2026-11-17T11:30:00Z' }],
    });
  });

  it('that refuses or does not answer is replaced by the rules', async () => {
    await using refusing = await openWithHaircut(policy, {
      onRequest: () => Promise.reject(new Error('not today')),
    });
    await legacy(refusing);
    expect(await refusing.call('plan_notifications', { user_id: 'ada' })).toMatchObject({
      policies: [{ policy: 'rules', reason: expect.stringContaining('not today') }],
    });
    await using silent = await openWithHaircut(
      { ...policy, timeoutMs: 200 },
      { onRequest: () => new Promise(() => {}) },
    );
    await legacy(silent);
    expect(await silent.call('plan_notifications', { user_id: 'ada' })).toMatchObject({
      policies: [{ policy: 'rules', reason: expect.stringContaining('no answer within 0.2 s') }],
    });
  });

  it('of a client without sampling is replaced by the rules', async () => {
    await using assistant = await openWithHaircut(policy);
    expect(await assistant.call('plan_notifications', { user_id: 'ada' })).toMatchObject({
      policies: [{ policy: 'rules', reason: expect.stringContaining('does not support sampling') }],
    });
  });

  it('is asked through an input_required result, and nothing is stored before the answer', async () => {
    await using assistant = await openWithHaircut(policy);
    const client = assistant.connect('standard');
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': { sampling: {} },
    };
    const params = { name: 'plan_notifications', arguments: { user_id: 'ada' }, _meta };
    const first = (await client.request('tools/call', params)) as {
      inputRequests: JsonObject;
      requestState: string;
      resultType: string;
    };
    expect(first.resultType).toBe('input_required');
    expect(await assistant.call('list_notifications')).toMatchObject({ count: 0 });
    const answer = { role: 'assistant', model: 'm', content: { type: 'text', text: good } };
    const inputResponses = Object.fromEntries(Object.keys(first.inputRequests).map((key) => [key, answer]));
    const second = await client.request('tools/call', {
      ...params,
      inputResponses,
      requestState: first.requestState,
    });
    expect(second['structuredContent']).toMatchObject({
      policies: [{ policy: 'client' }],
      notifications_planned: 1,
    });
  });
});

describe('a sub-agent', () => {
  it('gets the task, and its final message is the answer', async () => {
    const tasks: string[] = [];
    const delegate = async (task: string) => {
      tasks.push(task);
      return `Done.\n\`\`\`json\n${good}\n\`\`\``;
    };
    await using assistant = await openWithHaircut({ name: 'delegate', delegate, timeoutMs: 5000 });
    expect(await assistant.call('plan_notifications', { user_id: 'ada' })).toMatchObject({
      policies: [{ policy: 'delegate' }],
    });
    expect(tasks[0]).toContain('Haircut');
  });

  it('that fails or is not available is replaced by the rules', async () => {
    const delegate = () => Promise.reject(new Error('codex is not installed'));
    await using failing = await openWithHaircut({ name: 'delegate', delegate, timeoutMs: 5000 });
    expect(await failing.call('plan_notifications', { user_id: 'ada' })).toMatchObject({
      policies: [{ policy: 'rules', reason: expect.stringContaining('codex is not installed') }],
    });
    await using absent = await openWithHaircut({ name: 'delegate', timeoutMs: 5000 });
    expect(await absent.call('plan_notifications', { user_id: 'ada' })).toMatchObject({
      policies: [{ policy: 'rules', reason: expect.stringContaining('no sub-agents') }],
    });
  });
});
