import { existsSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { startChatModel } from '../../test/model/chat-model.ts';
import { openAssistant, type TestAssistant } from '../../test/open-assistant.ts';
import type { JsonObject } from '../json.ts';

const john = { id: 'user-123', name: 'John Doe', email: 'john@example.com', timezone: 'UTC' };

async function openWithJohn(options = {}): Promise<TestAssistant> {
  const assistant = openAssistant(options);
  await assistant.call('create_user', john);
  return assistant;
}

describe('the assistant contract', () => {
  it('offers five tools, three resources and three prompts', async () => {
    await using assistant = openAssistant({ unpaged: true });
    const client = assistant.connect('assistant');
    const names = async (method: string, key: string) =>
      ((await client.request(method)) as Record<string, { name: string; uri?: string }[]>)[key]!.map(
        ({ name, uri }) => uri ?? name,
      );
    expect(await names('tools/list', 'tools')).toEqual([
      'getUser',
      'getEvent',
      'listEvents',
      'listNotifications',
      'planNotifications',
    ]);
    expect(await names('resources/list', 'resources')).toEqual([
      'resources://users/{user_id}',
      'resources://events/{event_id}',
      'resources://users/{user_id}/events',
    ]);
    expect(await names('prompts/list', 'prompts')).toEqual([
      'notificationPolicy',
      'emailTemplate',
      'ttsScript',
    ]);
  });

  it('prints results as indented JSON without unset fields', async () => {
    await using assistant = await openWithJohn();
    const client = assistant.connect('assistant');
    const call = (name: string, args: JsonObject) => client.request('tools/call', { name, arguments: args });
    expect(await call('getUser', { user_id: 'user-123' })).toEqual({
      content: [{ type: 'text', text: JSON.stringify(john, null, 2) }],
      isError: false,
    });
    expect(await call('getEvent', { event_id: 'none' })).toEqual({
      content: [{ type: 'text', text: '{\n  "error": "Event not found"\n}' }],
      isError: true,
    });
    expect(await call('listEvents', {})).toEqual({
      content: [{ type: 'text', text: '{\n  "events": [],\n  "count": 0\n}' }],
      isError: false,
    });
  });

  it('names the path, the keyword and the expected value of an invalid parameter', async () => {
    await using assistant = openAssistant();
    const client = assistant.connect('assistant');
    const wrong = (name: string, args: JsonObject) => client.request('tools/call', { name, arguments: args });
    await expect(wrong('listEvents', { days_forward: 400 })).rejects.toMatchObject({
      code: -32602,
      message: 'Invalid params',
      data: { path: ['days_forward'], validator: 'maximum', validator_value: 90 },
    });
    await expect(wrong('listNotifications', { status: 'lost' })).rejects.toMatchObject({
      data: { path: ['status'], validator: 'enum' },
    });
    await expect(wrong('planNotifications', { user_id: 7 })).rejects.toMatchObject({
      data: { path: ['user_id'], validator: 'type', validator_value: 'string' },
    });
    await expect(
      client.request('prompts/get', { name: 'emailTemplate', arguments: { event_title: 'x' } }),
    ).rejects.toMatchObject({
      code: -32602,
      data: { path: ['event_time'], validator: 'required', validator_value: null },
    });
  });

  it('answers -32004 when a tool exceeds its time limit, and stores nothing', async () => {
    await using assistant = await openWithJohn();
    await assistant.call('create_event', { user_id: 'user-123', title: 'x', start_ts: '2026-11-17T14:00' });
    await using impatient = openAssistant({ file: assistant.file, toolTimeoutMs: 300 });
    const client = impatient.connect('assistant');
    const other = new DatabaseSync(assistant.file);
    other.exec('begin immediate');
    const params = { name: 'planNotifications', arguments: { user_id: 'user-123' } };
    await expect(client.request('tools/call', params)).rejects.toMatchObject({
      code: -32004,
      message: 'planNotifications took longer than 0.3 s.',
    });
    other.exec('commit');
    other.close();
    // Writers are serialized, so the abandoned planning would have been stored before this update.
    await assistant.call('update_user', { user_id: 'user-123', name: 'J.' });
    expect(await assistant.call('list_notifications')).toMatchObject({ count: 0 });
  });

  it('answers -32005 when the call is cancelled', async () => {
    await using model = await startChatModel(() => undefined);
    await using assistant = await openWithJohn();
    await assistant.call('create_event', { user_id: 'user-123', title: 'x', start_ts: '2026-11-17T14:00' });
    await using asking = openAssistant({
      file: assistant.file,
      policy: { name: 'endpoint', url: model.url, model: 'm', timeoutMs: 20_000 },
    });
    const client = asking.connect('assistant');
    const params = { name: 'planNotifications', arguments: { user_id: 'user-123' } };
    const reply = client.exchange({ jsonrpc: '2.0', id: 'slow', method: 'tools/call', params });
    await expect.poll(() => model.asked.length).toBe(1);
    await client.notify('notifications/cancelled', { requestId: 'slow' });
    expect(await reply).toMatchObject({ id: 'slow', error: { code: -32005 } });
    expect(await assistant.call('list_notifications')).toMatchObject({ count: 0 });
  });

  it('answers -32003 when the database cannot be opened, and -32002 for an unknown resource', async () => {
    await using broken = openAssistant({ file: '/dev/null/adjutant.db' });
    const client = broken.connect('assistant');
    await expect(client.request('tools/call', { name: 'listEvents' })).rejects.toMatchObject({
      code: -32003,
      message: expect.stringContaining('/dev/null/adjutant.db cannot be opened'),
    });
    await using assistant = await openWithJohn();
    const good = assistant.connect('assistant');
    for (const uri of [
      'resources://users/nobody',
      'resources://events/none',
      'resources://users/nobody/events',
      'resources://users/nobody/notifications',
      'resources://events/none/notifications',
      'resources://events/none/events',
      'resources://users/%E0%A4%A',
      'resources://users/user-123/secrets',
      'resources://users/',
      'file:///etc/passwd',
    ])
      await expect(good.request('resources/read', { uri }), uri).rejects.toMatchObject({ code: -32002 });
  });

  it('reads each resource completely and in slices', async () => {
    await using assistant = await openWithJohn();
    await assistant.call('create_event', {
      user_id: 'user-123',
      id: 'e',
      title: 'Grüße 🎉',
      start_ts: '2026-11-17T14:00:00Z',
    });
    const client = assistant.connect('assistant');
    const read = async (uri: string, more: JsonObject = {}) =>
      (
        (await client.request('resources/read', { uri, ...more })) as {
          contents: { text: string; hash: string }[];
        }
      ).contents[0]!;
    expect((await read('resources://users/user-123')).text).toBe(
      '{\n  "id": "user-123",\n  "name": "John Doe",\n  "timezone": "UTC"\n}',
    );
    expect(JSON.parse((await read('resources://users/user-123/events')).text)).toMatchObject({ count: 1 });
    const whole = await read('resources://events/e');
    expect(JSON.parse(whole.text)).toMatchObject({ id: 'e', title: 'Grüße 🎉' });
    let text = '';
    for (let offset = 0; offset < Buffer.byteLength(whole.text); ) {
      const slice = await read('resources://events/e', { offset, limit: 7 });
      expect(slice.hash).toBe(whole.hash);
      text += slice.text;
      offset += Buffer.byteLength(slice.text);
    }
    expect(text).toBe(whole.text);
  });

  it('renders the prompts as a system and a user message', async () => {
    await using assistant = openAssistant();
    const client = assistant.connect('assistant');
    const args = {
      event_data: '{"title":"Meeting"}',
      user_preferences: '{}',
      history: '[]',
      timezone: 'Europe/Berlin',
    };
    const { messages } = (await client.request('prompts/get', {
      name: 'notificationPolicy',
      arguments: args,
    })) as {
      messages: { role: string; content: string }[];
    };
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(messages[0]!.content).toMatch(/^You are a scheduling policy agent/);
    expect(messages[1]!.content).toBe(
      'Event Data:\n{\n  "title": "Meeting"\n}\n\nUser Preferences:\n{}\n\nNotification History:\n[]\n\nTimezone: Europe/Berlin',
    );
    const spoken = { event_title: 'Lunch', event_time: 'noon', event_location: 'Roof' };
    expect(await client.request('prompts/get', { name: 'ttsScript', arguments: spoken })).toMatchObject({
      description: 'TTS script template for phone calls',
      messages: [
        { role: 'system' },
        { role: 'user', content: 'Title: Lunch\nTime: noon\nLocation: Roof\nUrgency: normal' },
      ],
    });
  });
});

describe('the standard contract', () => {
  it('returns results that match the declared output schemas', async () => {
    await using assistant = await openWithJohn();
    await assistant.call('create_event', {
      user_id: 'user-123',
      id: 'e',
      title: 'x',
      start_ts: '2026-11-17T14:00:00Z',
    });
    const planned = await assistant.call('plan_notifications', { user_id: 'user-123' });
    const { tools } = (await assistant.client.request('tools/list')) as {
      tools: { name: string; title?: string; outputSchema: JsonObject }[];
    };
    const { Check } = await import('typebox/schema');
    const results: Record<string, JsonObject> = {
      get_user: await assistant.call('get_user', { user_id: 'user-123' }),
      list_users: await assistant.call('list_users'),
      get_event: await assistant.call('get_event', { event_id: 'e' }),
      list_events: await assistant.call('list_events'),
      list_notifications: await assistant.call('list_notifications'),
      plan_notifications: planned,
    };
    for (const [name, result] of Object.entries(results)) {
      const { outputSchema } = tools.find((tool) => tool.name === name)!;
      expect(Check(outputSchema, result), name).toBe(true);
    }
    expect(tools.filter(({ outputSchema }) => outputSchema === undefined)).toEqual([]);
    expect(tools.filter(({ title }) => !/^([A-Z][a-z]+ ?)+$/.test(title ?? ''))).toEqual([]);
  });

  it('reports an unknown user as a tool error, and sends prompts with valid roles', async () => {
    await using assistant = openAssistant();
    expect(
      await assistant.client.request('tools/call', { name: 'get_user', arguments: { user_id: 'x' } }),
    ).toMatchObject({
      content: [{ type: 'text', text: expect.stringMatching(/^User not found: nobody is called "x"/) }],
      isError: true,
    });
    const args = { event_title: 'Lunch', event_time: 'noon' };
    const { messages } = await assistant.client.request('prompts/get', {
      name: 'emailTemplate',
      arguments: args,
    });
    expect(messages).toMatchObject([{ role: 'user', content: { type: 'text' } }, { role: 'user' }]);
    await expect(
      assistant.client.request('resources/read', { uri: 'resources://users/x' }),
    ).rejects.toMatchObject({ code: -32602 });
  });

  it('lists users as resources, offers templates, and completes ids', async () => {
    await using assistant = await openWithJohn();
    const { client } = assistant;
    expect(await client.request('resources/list')).toMatchObject({
      resources: [{ uri: 'resources://users/user-123', name: 'John Doe' }],
    });
    expect(await client.request('resources/templates/list')).toMatchObject({
      resourceTemplates: [{ uriTemplate: 'resources://users/{user_id}' }, {}, {}, {}],
    });
    const complete = (uri: string, name: string, value: string) =>
      client.request('completion/complete', {
        ref: { type: 'ref/resource', uri },
        argument: { name, value },
      });
    expect(await complete('resources://users/{user_id}', 'user_id', 'us')).toMatchObject({
      completion: { values: ['user-123'] },
    });
    expect(await complete('resources://events/{event_id}', 'event_id', 'zz')).toMatchObject({
      completion: { values: [] },
    });
  });

  it('lists problems of the database without creating it', async () => {
    await using assistant = openAssistant();
    const [feature] = assistant.server.features;
    expect(await feature!.problems!()).toEqual([]);
    expect(existsSync(assistant.file)).toBe(false);
    writeFileSync(assistant.file, 'no database at all, but long enough to be read as the head of one');
    expect(await feature!.problems!()).toMatchObject([
      {
        file: assistant.file,
        severity: 'error',
        message: expect.stringContaining('is not an Adjutant database'),
      },
    ]);
  });

  it('notifies subscribers of changed resources', async () => {
    const updates: string[] = [];
    const onNotification = (method: string, params: JsonObject) =>
      updates.push([method, params['uri']].filter((part) => part !== undefined).join(' '));
    await using assistant = openAssistant({ memory: { onNotification } });
    await assistant.client.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    });
    await assistant.call('create_user', john);
    for (const uri of ['resources://users/user-123/events', 'resources://events/e'])
      await assistant.client.request('resources/subscribe', { uri });
    updates.length = 0;
    await assistant.call('create_event', {
      user_id: 'user-123',
      id: 'e',
      title: 'x',
      start_ts: '2026-11-17T14:00:00Z',
    });
    expect(updates).toEqual([
      'notifications/resources/updated resources://events/e',
      'notifications/resources/updated resources://users/user-123/events',
    ]);
    await assistant.call('update_user', { user_id: 'user-123', name: 'J. Doe' });
    expect(updates).toContain('notifications/resources/list_changed');
  });

  it('notifies once about an import, and again about the notifications planned for it', async () => {
    const updates: unknown[] = [];
    await using assistant = openAssistant({ memory: { onNotification: (_, { uri }) => updates.push(uri) } });
    await assistant.client.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    });
    await assistant.call('create_user', john);
    const lists = ['events', 'notifications'].map((list) => `resources://users/user-123/${list}`);
    for (const uri of lists) await assistant.client.request('resources/subscribe', { uri });
    updates.length = 0;
    const events = ['one', 'two'].map(
      (uid) =>
        `BEGIN:VEVENT\r\nUID:${uid}\r\nDTSTAMP:20260101T000000Z\r\nDTSTART:20261118T140000Z\r\nSUMMARY:${uid}\r\nEND:VEVENT\r\n`,
    );
    const content = `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//t//EN\r\n${events.join('')}END:VCALENDAR\r\n`;
    await assistant.call('import_calendar', { user_id: 'user-123', content });
    expect(updates).toEqual([lists[0]]);
    await assistant.call('plan_notifications', { user_id: 'user-123' });
    expect(updates.slice(1)).toContain(lists[1]);
    const { contents } = (await assistant.client.request('resources/read', { uri: lists[1]! })) as {
      contents: { text: string }[];
    };
    expect(JSON.parse(contents[0]!.text)).toMatchObject({
      notifications: [{ status: 'planned' }, { status: 'planned' }],
    });
  });
});
