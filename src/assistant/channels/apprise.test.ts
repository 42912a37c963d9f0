import { execFileSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { delimiter, join, relative } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { recipientAt, senderOf } from '../../../test/channel-config.ts';
import { openAssistant } from '../../../test/open-assistant.ts';
import { startProvider } from '../../../test/provider.ts';
import { plantTree } from '../../../test/tree.ts';
import { maskAddress, parseAddress } from '../entities/channels.ts';
import type { Message } from '../sending/channel.ts';

const message = (addresses: readonly string[]): Message => ({
  id: 'n1',
  recipient: recipientAt(...addresses),
  subject: 'Review, at noon',
  text: 'Review begins at noon.',
  short: { title: 'Review, at noon', text: 'Review begins at noon.' },
  html: '',
  speech: '',
  urgency: 'normal',
  sentAt: new Date(0),
  data: {},
});
const apprise = (...hosts: readonly string[]) =>
  senderOf('apprise', 'outbox', { 'delivery.private_hosts': hosts });
const deadline = () => AbortSignal.timeout(20_000);

function isInstalled(): boolean {
  try {
    execFileSync('apprise', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('addresses', () => {
  it.each([
    ['mailto:ada@example.com', 'email'],
    ['tel:+4930123456', 'call'],
    ['https://hooks.example.com/x', 'webhook'],
    ['ntfy://ada', 'ntfy'],
    ['tgram://-100123', 'telegram'],
    ['slack://T1/B2/secret', 'apprise'],
    ['matrixs://ada:secret@matrix.example.com/#room', 'apprise'],
  ])('%s is one of the channel %s', (written, channel) => {
    expect(parseAddress(written)?.channel).toBe(channel);
  });

  it.each([
    'file:///etc/passwd',
    'exec://rm',
    'mailto:ada',
    'tgram://abc',
    'syslog://',
    'dbus://',
    'gibberish',
    'slack: //x',
  ])('%s is refused', (written) => {
    expect(parseAddress(written)).toBeUndefined();
  });

  it('show no secrets in results, errors and the audit log', async () => {
    await using assistant = openAssistant();
    const channels = ['slack://T1/B2/topsecret', 'tgram://77'];
    const user = await assistant.call('create_user', { id: 'ada', name: 'Ada', channels });
    expect(user).toMatchObject({ channels: ['slack://…', 'tgram://77'] });
    await assistant.call('update_user', { user_id: 'ada', channels });
    await expect(
      assistant.call('update_user', { user_id: 'ada', channels: ['exec://topsecret'] }),
    ).rejects.toThrow(/begins with "exec:"; use one of mailto/);
    const everything = [
      await assistant.call('list_users'),
      await assistant.call('explain_notifications'),
      await assistant.call('test_notification', { user_id: 'ada', channel: 'telegram' }),
    ];
    expect(JSON.stringify(everything)).not.toContain('topsecret');
    expect(maskAddress('discord://topsecret/x')).toBe('discord://…');
  });
});

describe('apprise', () => {
  it.skipIf(!isInstalled())('delivers through the real program', async () => {
    const receiver = await startProvider(200);
    onTestFinished(() => receiver.close());
    const channel = apprise('127.0.0.1');
    const address = `json://user:topsecret@127.0.0.1:${receiver.port}/hook`;
    expect(await channel.deliver(message([address]), deadline())).toEqual({
      kind: 'accepted',
      detail: 'sent with apprise',
    });
    expect(JSON.parse(receiver.requests[0]!.body)).toMatchObject({
      title: 'Review, at noon',
      message: 'Review begins at noon.',
    });
    const refuse = { label: 'Refuse', url: 'https://me.example.com/decide/x' };
    await channel.deliver({ ...message([address]), decision: { refuse } }, deadline());
    expect(JSON.parse(receiver.requests[1]!.body).message).toBe(
      'Review begins at noon.\nRefuse: https://me.example.com/decide/x',
    );
  });

  it.skipIf(!isInstalled())('reports a failure without the secret', async () => {
    const receiver = await startProvider(500);
    onTestFinished(() => receiver.close());
    const channel = apprise('127.0.0.1');
    const outcome = await channel.deliver(
      message([`json://user:topsecret@127.0.0.1:${receiver.port}/`]),
      deadline(),
    );
    expect(outcome.kind).toBe('temporary');
    expect(outcome.detail).not.toContain('topsecret');
  });

  it('refuses private addresses unless they are allowed', async () => {
    const channel = apprise();
    expect(await channel.deliver(message(['json://127.0.0.1:1/']), deadline())).toMatchObject({
      kind: 'permanent',
      detail: expect.stringContaining('list it in delivery.private_hosts'),
    });
    expect(await channel.deliver(message(['gotify://localhost/token']), deadline())).toMatchObject({
      kind: 'permanent',
    });
  });

  it('starts no program from a relative folder of the PATH', async () => {
    const folder = plantTree({ apprise: '#!/bin/sh\nexit 0\n' });
    chmodSync(join(folder, 'apprise'), 0o700);
    vi.stubEnv('PATH', relative(process.cwd(), folder));
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await apprise().deliver(message(['slack://a/b/c']), deadline())).toMatchObject({
      kind: 'permanent',
    });
  });

  it('says that the program is not installed', async () => {
    // What cannot be run, and a folder that cannot be read, give another error than what does not exist.
    const folder = plantTree({ apprise: 'no program', 'closed/x': '' });
    chmodSync(join(folder, 'closed'), 0o000);
    onTestFinished(() => chmodSync(join(folder, 'closed'), 0o700));
    vi.stubEnv('PATH', [folder, join(folder, 'closed')].join(delimiter));
    onTestFinished(() => void vi.unstubAllEnvs());
    const channel = apprise();
    expect(await channel.deliver(message(['slack://a/b/c']), deadline())).toEqual({
      kind: 'permanent',
      detail: 'the program apprise is not installed',
    });
  });
});
