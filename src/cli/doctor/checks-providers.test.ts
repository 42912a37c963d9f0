import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Checkup, createCheckup } from '../../../test/checkup.ts';
import { openAssistant } from '../../../test/open-assistant.ts';
import { channels } from '../../assistant/entities/channels.ts';
import { checkProviders } from './checks-providers.ts';

let home: Checkup;
beforeEach(() => {
  home = createCheckup();
});
afterEach(() => home[Symbol.asyncDispose]());

describe('providers', () => {
  const check = async (env: Readonly<Record<string, string>>) =>
    (await checkProviders((await home.load(env)).config)).filter(({ title }) => title !== 'Delivery');

  it('that are not configured are listed with the outbox folder', async () => {
    // Apprise needs no settings.
    const unset = channels.flatMap(({ name, label }) => (name === 'apprise' ? [] : [label])).join(', ');
    expect(await checkProviders((await home.load({})).config)).toEqual([
      {
        title: 'Delivery',
        state: 'good',
        detail: `no provider is configured for ${unset}; these messages are written to ${join(home.folder, 'outbox')}`,
      },
    ]);
  });

  it('for push messages pass, are unreachable, or are not ntfy servers', async () => {
    const good = await home.provider(200, '{"healthy":true}');
    expect(await check({ ADJUTANT_DELIVERY_NTFY_URL: good.url })).toMatchObject([
      { title: 'ntfy', state: 'good' },
      { title: 'ntfy buttons', state: 'warning', detail: expect.stringContaining('delivery.public_url') },
    ]);
    const reachable = { ADJUTANT_DELIVERY_PUBLIC_URL: 'https://me.example.com' };
    expect(await check({ ADJUTANT_DELIVERY_NTFY_URL: good.url, ...reachable })).toMatchObject([
      { title: 'ntfy', state: 'good' },
    ]);
    const other = await home.provider(404, '<html>');
    expect(await check({ ADJUTANT_DELIVERY_NTFY_URL: other.url })).toMatchObject([{ state: 'warning' }]);
    const dead = `http://me:hunter2@127.0.0.1:${await home.deadPort()}`;
    const [unreachable] = await check({ ADJUTANT_DELIVERY_NTFY_URL: dead });
    expect(unreachable).toMatchObject({
      state: 'bad',
      detail: expect.stringContaining('refuses the connection'),
    });
    expect(JSON.stringify(unreachable)).not.toContain('hunter2');
  });

  it('for calls are checked with the account and the token', async () => {
    const env = { ADJUTANT_DELIVERY_CALL_ACCOUNT: 'AC1', ADJUTANT_DELIVERY_CALL_TOKEN: 'hunter2' };
    expect(await check(env)).toMatchObject([
      { title: 'Calls', state: 'warning', remedy: 'set delivery.call_from' },
    ]);
    const { url, requests } = await home.provider(401, '{}');
    const findings = await check({
      ...env,
      ADJUTANT_DELIVERY_CALL_FROM: '+15550100',
      ADJUTANT_DELIVERY_CALL_URL: url,
    });
    expect(findings).toMatchObject([
      { title: 'Calls', state: 'bad', remedy: expect.stringContaining('delivery.call_token') },
    ]);
    expect(requests).toMatchObject([
      { path: '/2010-04-01/Accounts/AC1.json', headers: { authorization: 'Basic QUMxOmh1bnRlcjI=' } },
    ]);
    expect(JSON.stringify(findings)).not.toContain('hunter2');
  });

  it('for Telegram are asked who the bot is, and the token is never shown', async () => {
    const env = { ADJUTANT_DELIVERY_TELEGRAM_TOKEN: '1:hunter2' };
    const at = (url: string) => check({ ...env, ADJUTANT_DELIVERY_TELEGRAM_URL: url });
    const good = await home.provider(200, '{"ok":true,"result":{"username":"bot"}}');
    expect(await at(good.url)).toMatchObject([{ title: 'Telegram', state: 'good' }]);
    expect(good.requests).toMatchObject([{ path: '/bot1:hunter2/getMe' }]);
    const refused = await at((await home.provider(401, '{"ok":false}')).url);
    expect(refused).toMatchObject([{ state: 'bad', remedy: 'correct delivery.telegram_token' }]);
    const dead = await at(`http://127.0.0.1:${await home.deadPort()}`);
    expect(dead).toMatchObject([{ state: 'bad', remedy: expect.stringContaining('telegram_url') }]);
    expect(JSON.stringify([refused, dead])).not.toContain('hunter2');
  });

  it('for other chats need the program apprise only if a user has such a channel', async () => {
    const { config } = await home.load({});
    const assistant = openAssistant({ file: config['assistant.database_url'] });
    home.afterwards(() => assistant[Symbol.asyncDispose]());
    await assistant.call('create_user', { id: 'ada', name: 'Ada', channels: ['tgram://77'] });
    expect(await check({})).toEqual([]);
    await assistant.call('update_user', { user_id: 'ada', channels: ['slack://T1/B2/secret'] });
    const { PATH = '' } = process.env;
    home.afterwards(() => {
      process.env['PATH'] = PATH;
    });
    const programs = join(home.folder, 'programs');
    mkdirSync(programs);
    process.env['PATH'] = programs;
    expect(await check({})).toMatchObject([
      { title: 'apprise', state: 'bad', remedy: expect.stringContaining('install') },
    ]);
    writeFileSync(join(programs, 'apprise'), '#!/bin/sh\necho Apprise v1.9\n', { mode: 0o755 });
    expect(await check({})).toEqual([{ title: 'apprise', state: 'good', detail: 'Apprise v1.9' }]);
  });

  it('for models must list the model, and get only a warning if they are unreachable', async () => {
    const env = { ADJUTANT_ASSISTANT_POLICY: 'endpoint', ADJUTANT_ASSISTANT_MODEL: 'llama3.2' };
    expect(await check(env)).toMatchObject([
      { title: 'Model', state: 'warning', remedy: 'set assistant.model_url' },
    ]);
    const at = (url: string) => check({ ...env, ADJUTANT_ASSISTANT_MODEL_URL: url });
    const has = await home.provider(200, '{"data":[{"id":"other"},{"id":"llama3.2:latest"}]}');
    expect(await at(`${has.url}/v1/`)).toMatchObject([{ state: 'good' }]);
    expect(has.requests).toMatchObject([{ path: '/v1/models' }]);
    const lacks = await home.provider(200, '{"data":[{"id":"other"}]}');
    expect(await at(lacks.url)).toMatchObject([
      { state: 'warning', detail: expect.stringContaining('it has other') },
    ]);
    expect(await at((await home.provider(401)).url)).toMatchObject([
      { state: 'bad', remedy: expect.stringContaining('model_api_key') },
    ]);
    expect(await at(`http://127.0.0.1:${await home.deadPort()}`)).toMatchObject([{ state: 'warning' }]);
  });
});
