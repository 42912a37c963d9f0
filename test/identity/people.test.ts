import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createServer } from '../../src/app.ts';
import { loadConfig } from '../../src/config.ts';
import type { Server } from '../../src/engine/server.ts';
import { isObject, type JsonObject } from '../../src/json.ts';
import { Access } from '../../src/toolsets/access.ts';
import { actorWith } from '../../src/toolsets/scopes.ts';
import { connectMemory, type MemoryClient } from '../../src/transports/memory.ts';

/** Part of everything that belongs to Bob. None of Ada's replies may contain it. */
const marker = 'bobs-secret';

/** A time after now, as tools take it. */
function inDays(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString();
}

let home: string;
let server: Server;
let owner: MemoryClient;
let ada: MemoryClient;
const heard: string[] = [];
/** Ids of Bob's data, by the argument that takes them. */
let bobs: Readonly<Record<string, string>>;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'adjutant-people-'));
  const { config } = await loadConfig({ argv: ['--home', home], env: { HOME: home }, cwd: home });
  server = createServer('standard', config);
  owner = connectMemory(server, { access: Access.full });
  await call(owner, 'create_user', { name: 'Ada', id: 'ada', email: 'ada@example.com' });
  await call(owner, 'create_user', { name: marker, id: 'bob', email: `${marker}@example.com` });
  const event = { title: marker, start_ts: inDays(1) };
  await call(owner, 'create_event', { user_id: 'bob', id: 'bob-event', ...event });
  await call(owner, 'create_event', { user_id: 'ada', id: 'ada-event', ...event, title: 'Of Ada' });
  const rule = await call(owner, 'set_rule', {
    user_id: 'bob',
    rule_type: 'vip_organizer',
    rule_json: { organizers: [`${marker}@example.com`] },
  });
  const content = `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTAMP:20261101T080000Z\r\nDTSTART:20261101T080000Z\r\nSUMMARY:${marker}\r\nEND:VEVENT\r\nEND:VCALENDAR`;
  const imported = await call(owner, 'import_calendar', { user_id: 'bob', content, name: marker });
  await call(owner, 'plan_notifications', { user_id: 'bob' });
  const notifications = await call(owner, 'list_notifications', { user_id: 'bob' });
  bobs = {
    user_id: 'bob',
    who: 'bob',
    event_id: 'bob-event',
    rule_id: String(rule['id']),
    calendar_id: first(imported['calendars']),
    notification_id: first(notifications['notifications']),
  };
  ada = connectMemory(server, {
    access: tokenOfAda('1'),
    onNotification: (method, params) => heard.push(`${method} ${JSON.stringify(params)}`),
  });
  for (const client of [owner, ada])
    await client.request('initialize', { protocolVersion: '2025-11-25', capabilities: {} });
});
afterAll(async () => {
  await server.close();
  rmSync(home, { recursive: true, force: true });
});

/** The access of one of the tokens that have had the name `ada`. */
function tokenOfAda(id: string): Access {
  return Access.full.heldBy(actorWith('token ada', ['calendar:ada'], { kind: 'named', id, createdAt: 0 }));
}

async function call(client: MemoryClient, name: string, args: JsonObject): Promise<JsonObject> {
  const reply = await client.request('tools/call', { name, arguments: args });
  if (reply['isError'] === true) throw new Error(`${name}: ${JSON.stringify(reply['content'])}`);
  return reply['structuredContent'] as JsonObject;
}

/** The id of the first item of a list. */
function first(list: unknown): string {
  return String((list as readonly JsonObject[])[0]!['id']);
}

/** Everything that is stored about Bob. */
async function stateOfBob(): Promise<string> {
  const lists = [
    'list_events',
    'list_notifications',
    'list_calendars',
    'list_rules',
    'explain_notifications',
    'get_user',
  ];
  const answers = await Promise.all(lists.map((name) => call(owner, name, { user_id: 'bob' })));
  return JSON.stringify(answers);
}

const required: Readonly<Record<string, JsonObject>> = {
  create_event: { title: 'x', start_ts: inDays(2) },
  import_calendar: { content: 'BEGIN:VCALENDAR\r\nEND:VCALENDAR' },
  add_calendar: { source: 'https://calendar.invalid/a.ics' },
  set_rule: { rule_type: 'travel_buffer', rule_json: { minutes: 5 } },
  update_user: { name: 'Changed' },
  update_event: { title: 'Changed' },
  answer_invitation: { answer: 'accepted' },
  remind: { text: 'x', when: 'tomorrow 9:00' },
  send_message: { text: 'x' },
};

describe("a token for Ada's calendar", () => {
  it('neither sees nor changes anything of Bob, with any tool and any argument', async () => {
    const before = await stateOfBob();
    expect(before).toContain(marker);
    for (const id of Object.values(bobs)) expect(before).toContain(`"${id}"`);
    for (const [name, { tool }] of server.offeredTools) {
      if (tool.scope !== 'calendar:USER') continue;
      const properties = Object.keys(
        isObject(tool.inputSchema['properties']) ? tool.inputSchema['properties'] : {},
      );
      const targets = properties.filter((property) => property in bobs);
      const mandatory = (tool.inputSchema['required'] ?? []) as readonly string[];
      // Only tools that look at the actor themselves, or have no data of people, may have no argument that names them.
      if (targets.length === 0) expect(['list_channels', 'list_users', 'undo_change']).toContain(name);
      const ids = properties.filter((property) => property.endsWith('_id'));
      expect(Object.keys(bobs), name).toEqual(expect.arrayContaining(ids));
      for (const target of [undefined, ...targets]) {
        const args = {
          ...required[name],
          ...(mandatory.includes('user_id') && { user_id: 'ada' }),
          ...(target !== undefined && { [target]: bobs[target]! }),
        };
        const reply = await ada.request('tools/call', { name, arguments: args });
        expect(JSON.stringify(reply), `${name} ${target}`).not.toContain(marker);
        if (target !== undefined && name !== 'explain_notifications')
          expect(JSON.stringify(reply['content']), `${name} ${target}`).toMatch(/not found/);
      }
    }
    expect(await stateOfBob()).toBe(before);
  });

  it('lists only Ada', async () => {
    expect(await call(ada, 'list_users', {})).toMatchObject({ count: 1, users: [{ id: 'ada' }] });
    expect(JSON.stringify(await call(ada, 'list_events', {}))).toContain('ada-event');
    expect(JSON.stringify(await call(ada, 'explain_notifications', {}))).not.toMatch(/bob/);
    const found = await ada.request('resources/list');
    expect(found['resources']).toMatchObject([{ uri: 'resources://users/ada' }]);
    for (const [argument, values] of [
      ['user_id', ['ada']],
      ['event_id', ['ada-event']],
    ] as const) {
      const uri = argument === 'user_id' ? 'resources://users/{user_id}' : 'resources://events/{event_id}';
      const ref = { type: 'ref/resource', uri };
      const completed = await ada.request('completion/complete', {
        ref,
        argument: { name: argument, value: '' },
      });
      expect(completed['completion']).toMatchObject({ values: expect.arrayContaining([...values]) });
      expect(JSON.stringify(completed)).not.toContain('bob');
    }
  });

  it('reads and follows only resources of Ada', async () => {
    const ownUris = ['resources://users/ada', 'resources://users/ada/events', 'resources://events/ada-event'];
    for (const uri of ownUris) {
      await ada.request('resources/read', { uri });
      await ada.request('resources/subscribe', { uri });
    }
    for (const uri of ownUris.map((one) => one.replace('ada', 'bob')))
      for (const method of ['resources/read', 'resources/subscribe'])
        await expect(ada.request(method, { uri })).rejects.toThrow('not found');
    heard.length = 0;
    await call(owner, 'update_event', { event_id: 'bob-event', location: 'here' });
    await call(owner, 'update_user', { user_id: 'bob', locale: 'de' });
    await call(owner, 'update_event', { event_id: 'ada-event', location: 'here' });
    await expect.poll(() => heard.join()).toContain('ada-event');
    expect(heard.join()).not.toContain('bob');
    expect(heard.join()).not.toContain('list_changed');
  });

  it('uses neither files nor stored passwords of the owner', async () => {
    for (const source of [home, join(home, 'x.ics'), 'caldavs://dav.example.com', `file://${home}/x.ics`])
      for (const name of ['add_calendar', 'import_calendar'])
        await expect(call(ada, name, { user_id: 'ada', source })).rejects.toThrow('need the owner');
    await expect(
      call(ada, 'add_calendar', { user_id: 'ada', source: 'https://example.com/a.ics', username: 'bob' }),
    ).rejects.toThrow('need the owner');
  });

  it('undoes only its own changes', async () => {
    const change = async (client: MemoryClient, user_id: string, locale: string) => {
      const params = {
        name: 'update_user',
        arguments: { user_id, locale },
        _meta: { 'adjutant/undo': true },
      };
      const { _meta } = await client.request('tools/call', params);
      return String((_meta as JsonObject)['adjutant/undo']);
    };
    const ofOwner = await change(owner, 'ada', 'fr');
    await expect(call(ada, 'undo_change', { undo: ofOwner })).rejects.toThrow('can no longer be undone');
    expect(await call(owner, 'get_user', { user_id: 'ada' })).toMatchObject({ locale: 'fr' });
    const ofAda = await change(ada, 'ada', 'it');
    await expect(call(owner, 'undo_change', { undo: ofAda })).rejects.toThrow('can no longer be undone');
    const successor = connectMemory(server, { access: tokenOfAda('2') });
    await successor.request('initialize', { protocolVersion: '2025-11-25', capabilities: {} });
    await expect(call(successor, 'undo_change', { undo: ofAda })).rejects.toThrow('can no longer be undone');
    await call(ada, 'undo_change', { undo: ofAda });
    expect(await call(owner, 'get_user', { user_id: 'ada' })).toMatchObject({ locale: 'fr' });
  });

  it('does not learn who has an email address', async () => {
    const attempts = [`${marker}@example.com`, 'nobody-has-this@example.com'].map((email) =>
      call(ada, 'update_user', { user_id: 'ada', email }).catch(({ message }) => message),
    );
    const [taken, free] = await Promise.all(attempts);
    expect(taken).toContain('This token cannot change an email address');
    expect(free).toBe(taken);
    const { email } = await call(ada, 'get_user', { user_id: 'ada' });
    expect(await call(ada, 'update_user', { user_id: 'ada', email, locale: 'en' })).toMatchObject({ email });
  });
});
