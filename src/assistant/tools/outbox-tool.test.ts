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
