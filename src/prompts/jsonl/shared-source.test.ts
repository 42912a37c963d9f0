import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Postgres, startPostgres } from '../../../test/postgres.ts';
import { createRecords } from '../../store/records.ts';
import { Catalog } from '../catalog/catalog.ts';
import { type SingleEdits, singleEdits } from '../catalog/editor.ts';
import type { PromptDraft } from '../definition/source.ts';
import { copyPrompts } from './copy-prompts.ts';
import { batchSize } from './prompt-edits.ts';
import { SharedSource } from './shared-source.ts';
import { UserSource } from './user-source.ts';

const author = { name: 'test', version: '1' };
const draft = (name: string, text = 'Hello {{who}}'): PromptDraft => ({
  name,
  title: `Title of ${name}`,
  messages: [{ role: 'user', content: { type: 'text', text } }],
});

const folder = mkdtempSync(join(tmpdir(), 'adjutant-shared-'));
let postgres: Postgres;
let databases = 0;
let sources: SharedSource[] = [];
beforeAll(async () => {
  postgres = await startPostgres();
});
afterEach(() => {
  for (const source of sources) source.close();
  sources = [];
});
afterAll(async () => {
  await postgres?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function database(): Promise<string> {
  databases += 1;
  return postgres.createDatabase(`prompts_${databases}`);
}

function open(url: string): SharedSource & SingleEdits {
  const source = new SharedSource(createRecords(url));
  sources.push(source);
  return Object.assign(source, singleEdits(source));
}

function openFile(name: string): UserSource & SingleEdits {
  const source = new UserSource({ folder: join(folder, name) });
  return Object.assign(source, singleEdits(source));
}

describe('prompts in a database', () => {
  it('are shared by all machines, and every machine is notified of a change', async () => {
    const url = await database();
    const [here, there] = [open(url), open(url)];
    let notifications = 0;
    there.subscribe(() => {
      notifications += 1;
    });
    await here.create(draft('greet'), author);
    expect((await there.list()).map(({ name }) => name)).toEqual(['greet']);
    await vi.waitFor(
      async () => {
        await here.update('greet', { title: `Title ${Math.random()}` }, author);
        expect(notifications).toBeGreaterThan(0);
      },
      { timeout: 15_000, interval: 100 },
    );
  });

  it('have numbered revisions, and only one of two concurrent edits of a revision succeeds', async () => {
    const url = await database();
    const machines = [open(url), open(url)] as const;
    const revision = async () => machines[0].revision((await machines[0].get('greet'))!);
    await machines[0].create(draft('greet'), author);
    for (let round = 1; round <= 20; round++) {
      expect(await revision()).toBe(String(round));
      const outcomes = await Promise.allSettled(
        machines.map((machine, at) =>
          machine.update('greet', { title: `${round} by ${at}` }, author, String(round)),
        ),
      );
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
        reason: { kind: 'conflict', data: { current_revision: String(round + 1) } },
      });
    }
    expect(await machines[1].history('greet')).toHaveLength(21);
    await expect(machines[1].delete('greet', author, '20')).rejects.toMatchObject({ kind: 'conflict' });
    await expect(machines[1].restore('greet', 1, author, '20')).rejects.toMatchObject({ kind: 'conflict' });
    await machines[1].delete('greet', author, '21');
    await machines[1].restore('greet', 1, author, '22');
    expect(await revision()).toBe('23');
  });

  it('are returned as the same list object while nothing changes', async () => {
    const source = open(await database());
    await source.create(draft('a'), author);
    await source.create(draft('b'), author);
    const before = await source.list();
    expect(await source.list()).toBe(before);
    await source.update('b', { description: 'new' }, author);
    const after = await source.list();
    expect(after).not.toBe(before);
    expect(after[0]).toBe(before[0]);
    expect(after[1]).toMatchObject({ name: 'b', description: 'new', title: 'Title of b' });
  });

  it('cannot be created twice or changed under an unknown name, even by concurrent machines', async () => {
    const url = await database();
    const machines = Array.from({ length: 5 }, () => open(url));
    const attempts = await Promise.allSettled(
      machines.map((machine) => machine.create(draft('one'), author)),
    );
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const one of attempts)
      if (one.status === 'rejected')
        expect(one.reason).toMatchObject({ kind: 'conflict', message: 'prompt already exists: one' });
    await expect(machines[0]!.update('none', {}, author)).rejects.toMatchObject({ kind: 'prompt-not-found' });
    await expect(machines[0]!.delete('none', author)).rejects.toMatchObject({ kind: 'prompt-not-found' });
    await expect(machines[0]!.history('none')).rejects.toMatchObject({ kind: 'prompt-not-found' });
    expect(await machines[0]!.history('one')).toHaveLength(1);
  });

  it('keep their history and can be restored from it', async () => {
    const source = open(await database());
    await source.create(draft('a', 'first'), author);
    await source.update('a', { messages: draft('a', 'second').messages }, author);
    await source.delete('a', author);
    expect(await source.get('a')).toBeUndefined();
    await expect(source.restore('a', 3, author)).rejects.toMatchObject({ kind: 'refused' });
    await expect(source.restore('a', 9, author)).rejects.toMatchObject({ kind: 'invalid-params' });
    const restored = await source.restore('a', 1, author);
    expect(restored.messages[0]?.content).toEqual({ type: 'text', text: 'first' });
    expect((await source.history('a')).map(({ revision, action }) => [revision, action])).toEqual([
      [1, 'create'],
      [2, 'update'],
      [3, 'delete'],
      [4, 'restore'],
    ]);
  });

  it('can be edited in bulk, and a rejected edit does not stop the others', async () => {
    const url = await database();
    const source = open(url);
    await source.create(draft('a'), author);
    await source.create(draft('b'), author);
    await source.create(draft('c'), author);
    const created = Array.from({ length: batchSize + 1 }, (_, index) => `p${index}`);
    const progress: number[] = [];
    const outcomes = await source.changeMany(
      [
        { action: 'create', name: 'a', draft: draft('a', 'other') },
        { action: 'update', name: 'a', changes: { title: 'A' } },
        { action: 'delete', name: 'b' },
        { action: 'delete', name: 'b' },
        { action: 'create', name: 'b', draft: draft('b', 'again') },
        ...created.map((name) => ({ action: 'create', name, draft: draft(name) }) as const),
      ],
      author,
      (done) => progress.push(done),
    );
    const rejected = outcomes.flatMap((one, at) =>
      one.status === 'rejected' ? [[at, one.reason.kind]] : [],
    );
    expect(rejected).toEqual([
      [0, 'conflict'],
      [3, 'prompt-not-found'],
    ]);
    expect(progress).toEqual([batchSize, outcomes.length]);
    const there = open(url);
    // A prompt that was deleted and created again is listed after older prompts.
    expect((await there.list()).map(({ name }) => name)).toEqual(['a', 'c', 'b', ...created]);
    const histories = await there.histories();
    expect(histories.get('a')?.map(({ revision, action }) => [revision, action])).toEqual([
      [1, 'create'],
      [2, 'update'],
    ]);
    expect(histories.get('b')?.map(({ revision, action }) => [revision, action])).toEqual([
      [1, 'create'],
      [2, 'delete'],
      [3, 'create'],
    ]);
    for (const name of created)
      expect(histories.get(name)).toMatchObject([{ revision: 1, action: 'create', prompt: draft(name) }]);
  });

  it('stay unchanged if one edit of a batch throws', async () => {
    const url = await database();
    const records = createRecords(url);
    const valid = { key: 'a', edit: () => ({ next: { name: 'a' }, entry: { revision: 1 } }) };
    const broken = {
      key: 'b',
      edit: () => {
        throw new Error('broken');
      },
    };
    await expect(records.changeMany('prompt', [valid, broken])).rejects.toThrow('broken');
    expect(await records.list('prompt')).toEqual([]);
    expect(await records.histories('prompt')).toEqual(new Map());
    await records.changeMany('prompt', [valid, { key: 'b', edit: () => undefined }]);
    expect(await records.keys('prompt')).toEqual(['a']);
    await records.close();
  });

  it('are not reported as missing while the database is unavailable', async () => {
    const unreachable = open('postgres://nobody@127.0.0.1:9/none');
    const other = openFile('beside');
    await other.create(draft('known'), author);
    const catalog = new Catalog([unreachable, other]);
    expect((await catalog.find('known')).definition.name).toBe('known');
    await expect(async () => catalog.find('in_database')).rejects.toMatchObject({ kind: 'unavailable' });
    expect((await catalog.list()).map(({ definition }) => definition.name)).toEqual(['known']);
  });

  it('that are invalid are reported and do not hide others', async () => {
    const url = await database();
    const records = createRecords(url);
    await records.change('prompt', 'bad', () => ({ next: { name: 'bad', messages: 7 }, entry: {} }));
    await records.close();
    const source = open(url);
    await source.create(draft('good'), author);
    expect((await source.list()).map(({ name }) => name)).toEqual(['good']);
    expect(await source.problems()).toMatchObject([
      { severity: 'error', message: expect.stringContaining('bad') },
    ]);
  });

  it('can be copied from a file and back to a file', async () => {
    const file = openFile('library');
    await file.create(draft('a'), author);
    await file.create(draft('b'), author);
    const shared = open(await database());
    expect(await copyPrompts(file, shared, author)).toHaveLength(2);
    expect(await copyPrompts(file, shared, author)).toHaveLength(0);
    await shared.update('b', { description: 'changed' }, author);
    const back = openFile('back');
    expect(await copyPrompts(shared, back, author)).toHaveLength(2);
    expect((await back.list()).map(({ name, description }) => [name, description])).toEqual([
      ['a', undefined],
      ['b', 'changed'],
    ]);
    file.close();
    back.close();
  });

  it('are copied with their history, including deleted prompts and diverged histories', async () => {
    const file = openFile('past');
    await file.create(draft('kept', 'first'), author);
    await file.update('kept', { title: 'Second' }, author);
    await file.create(draft('gone'), author);
    await file.delete('gone', author);
    const shared = open(await database());
    expect(await copyPrompts(file, shared, author)).toHaveLength(2);
    for (const name of ['kept', 'gone']) expect(await shared.history(name)).toEqual(await file.history(name));
    expect((await shared.list()).map(({ name }) => name)).toEqual(['kept']);
    expect((await shared.restore('gone', 1, author)).title).toBe('Title of gone');
    expect(await copyPrompts(shared, file, author)).toHaveLength(1);
    expect(await file.history('gone')).toEqual(await shared.history('gone'));
    await file.update('kept', { title: 'Of the file' }, author);
    await shared.update('kept', { title: 'Of the database' }, { name: 'other', version: '2' });
    expect(await copyPrompts(file, shared, author)).toHaveLength(1);
    expect(await copyPrompts(file, shared, author)).toHaveLength(0);
    expect((await shared.history('kept')).map(({ prompt }) => prompt?.title)).toEqual([
      'Title of kept',
      'Second',
      'Of the database',
      'Of the file',
    ]);
    await file.delete('kept', author);
    expect(await copyPrompts(file, shared, author)).toHaveLength(1);
    expect(await shared.get('kept')).toBeUndefined();
    file.close();
  });
});
