import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { outboxTool } from './outbox-tool.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'adjutant-outbox-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const list = async (args: object = {}) =>
  (await outboxTool(folder).call(args as never, undefined as never)).structured;

it('lists written files, newest first, without partial ones', async () => {
  for (const [index, name] of ['old.eml', 'new.txt', 'call.wav', 'half.eml.part'].entries()) {
    writeFileSync(join(folder, name), `Subject: ${name}\n`);
    utimesSync(join(folder, name), index, index);
  }
  mkdirSync(join(folder, 'a-folder'));
  expect(await list()).toMatchObject({
    count: 3,
    messages: [{ file: 'call.wav' }, { file: 'new.txt', preview: 'Subject: new.txt\n' }, { file: 'old.eml' }],
  });
  expect(await list({ limit: 1 })).toMatchObject({ count: 3, messages: [{ file: 'call.wav' }] });
});

it('lists nothing if the folder does not exist', async () => {
  rmSync(folder, { recursive: true });
  expect(await list()).toMatchObject({ count: 0, messages: [] });
});

it('reads a mail and a JSON message as their recipients would', async () => {
  const mail = [
    'From: Adjutant <adjutant@example.com>',
    'To: Bob <bob@example.com>',
    'Subject: =?UTF-8?Q?Caf=C3=A9_at_10?=',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    'See you at the caf=C3=A9.',
  ].join('\r\n');
  writeFileSync(join(folder, 'a.eml'), mail);
  utimesSync(join(folder, 'a.eml'), 1, 1);
  writeFileSync(
    join(folder, 'b.ntfy.json'),
    JSON.stringify({ to: 'topic', subject: 'Soon', text: 'In 10 min' }),
  );
  utimesSync(join(folder, 'b.ntfy.json'), 2, 2);
  writeFileSync(join(folder, 'c.webhook.json'), '{"text": "cut o');
  utimesSync(join(folder, 'c.webhook.json'), 3, 3);
  const { messages } = (await list()) as { messages: { preview: string }[] };
  expect(messages).toMatchObject([
    { file: 'c.webhook.json', preview: '{"text": "cut o' },
    { file: 'b.ntfy.json', subject: 'Soon', to: 'topic', preview: 'In 10 min' },
    { file: 'a.eml', subject: 'Café at 10', to: 'Bob <bob@example.com>' },
  ]);
  expect(messages[2]!.preview.trim()).toBe('See you at the café.');
});
