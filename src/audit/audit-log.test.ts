import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { owner } from '../context.ts';
import { AuditLog } from './audit-log.ts';
import type { AuditedCall } from './audited-call.ts';

let folder: string;
let log: AuditLog;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'adjutant-audit-')), 'audit');
  log = new AuditLog({ folder, days: 30 });
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

const change: AuditedCall = {
  actor: owner,
  action: 'update_user',
  args: { user_id: 'ada' },
  outcome: 'done',
};
const denied = (actor: string, reason = 'no'): AuditedCall => ({
  actor: { name: actor },
  action: 'list_users',
  args: {},
  outcome: 'denied',
  reason,
});
const lines = () =>
  readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), 'utf8').trimEnd().split('\n'));
const all = { daysBack: 3650 };

describe('the audit log', () => {
  it('adds a private line for each change, newest first when listed', async () => {
    log.record(change);
    log.record({ ...change, action: 'delete_user', outcome: 'failed', reason: 'unavailable' });
    await log.close();
    expect(
      (await log.list(all)).map(({ actor, action, target, outcome }) => [actor, action, target, outcome]),
    ).toEqual([
      ['owner', 'delete_user', 'user_id=ada', 'failed'],
      ['owner', 'update_user', 'user_id=ada', 'done'],
    ]);
    const [file] = readdirSync(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, file!)).mode & 0o777).toBe(0o600);
  });

  it('keeps the changed fields of people, but neither secrets nor private texts', async () => {
    const before = { id: 'ada', name: 'Ada', locale: 'en', webhook_url: 'https://example.com/secret-1' };
    const after = {
      id: 'ada',
      name: 'Ada',
      locale: 'de',
      webhook_url: 'https://example.com/secret-2',
      ntfy_topic: 'secret-3',
    };
    const args = {
      user_id: 'ada',
      task: 'secret-4',
      source: 'https://example.com/secret-5',
      name: 'secret-6',
      text: 'secret-7',
    };
    log.record({ ...change, args, result: { change: { before, after } } });
    await log.close();
    expect(await log.list(all)).toMatchObject([
      {
        before: { locale: 'en', webhook_url: '(hidden)' },
        after: { locale: 'de', webhook_url: '(hidden)', ntfy_topic: '(hidden)' },
      },
    ]);
    expect(lines().join()).not.toContain('secret-');
  });

  it('merges equal denied calls, and stays small in a flood of different ones', async () => {
    for (let index = 0; index < 1000; index++) log.record(denied('token a'));
    for (let index = 0; index < 10_000; index++) log.record(denied(`oauth ${index}`));
    await log.close();
    expect(lines()).toHaveLength(52);
    const entries = await log.list(all);
    expect(entries.find(({ actor, count }) => actor === 'token a' && count !== undefined)?.count).toBe(999);
    expect(entries.find(({ actor }) => actor === 'several')?.count).toBe(10_000 - 49);
  });

  it('keeps a name from breaking a line', async () => {
    log.record({ ...denied('token a', 'x\n{"actor":"owner"}'), action: 'a\u2028b\r\nc', client: 'x\ny' });
    await log.close();
    expect(lines()).toHaveLength(1);
    expect(await log.list(all)).toMatchObject([{ actor: 'token a', action: 'a b c', client: 'x y' }]);
  });

  it('removes days that are too old, and nothing else', async () => {
    log.record(change);
    await log.close();
    for (const name of ['2020-01-01.jsonl', 'notes.txt']) writeFileSync(join(folder, name), '');
    const newer = new AuditLog({ folder, days: 30 });
    newer.record(change);
    await newer.close();
    expect(readdirSync(folder)).toHaveLength(2);
    expect(readdirSync(folder)).toContain('notes.txt');
  });

  it('skips a damaged line, and finds entries by actor, action and outcome', async () => {
    log.record(change);
    log.record(denied('token a'));
    await log.close();
    appendFileSync(join(folder, readdirSync(folder)[0]!), '{"at":\n');
    expect(await log.list(all)).toHaveLength(2);
    for (const filter of [{ actor: 'token a' }, { action: 'list_users' }, { outcome: 'denied' }])
      expect(await log.list({ ...all, ...filter })).toMatchObject([{ actor: 'token a' }]);
  });

  it('writes nothing with 0 days, and does not fail a call when it cannot be written', async () => {
    const none = new AuditLog({ folder, days: 0 });
    none.record(change);
    await none.close();
    expect(await none.list(all)).toEqual([]);
    writeFileSync(folder, 'a file instead of a folder');
    log.record(change);
    await log.close();
  });
});
