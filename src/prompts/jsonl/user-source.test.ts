import { execFile, execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { asOrdinaryUser } from '../../../test/ordinary-user.ts';
import { plantTree, write } from '../../../test/tree.ts';
import { type SingleEdits, singleEdits } from '../catalog/editor.ts';
import type { PromptDraft } from '../definition/source.ts';
import { renderPrompt } from '../rendering/rendering.ts';
import { prepareReplacement } from './durable-file.ts';
import { batchSize } from './prompt-edits.ts';
import { createPromptFileCache } from './prompt-file.ts';
import { UserSource } from './user-source.ts';

const author = { name: 'tester', version: '1' };

function open(folder: string): UserSource & SingleEdits {
  const source = new UserSource({ folder });
  onTestFinished(() => source.close());
  return Object.assign(source, singleEdits(source));
}

function draft(name: string, text = 'Text', more: Partial<PromptDraft> = {}): PromptDraft {
  return { name, title: name, messages: [{ role: 'user', content: { type: 'text', text } }], ...more };
}

const line = (name: string, text = 'Text') => `${JSON.stringify(draft(name, text))}\n`;
const userFile = (folder: string) => readFileSync(join(folder, 'user.jsonl'), 'utf8');
const names = async (source: UserSource) => (await source.list()).map(({ name }) => name);

describe('a large file', () => {
  const content = Array.from({ length: 5000 }, (_, index) => line(`p${index}`)).join('');

  it('is parsed in slices, and only once for concurrent requests', async () => {
    const folder = plantTree({ 'user.jsonl': content });
    // A file that has just been written is read again for each request.
    await sleep(150);
    const source = open(folder);
    let turns = 0;
    const first = source.get('p4999');
    setImmediate(() => turns++);
    const [one, other] = await Promise.all([first, source.get('p4999')]);
    expect(turns).toBe(1);
    expect(one).toMatchObject({ name: 'p4999' });
    expect(other).toBe(one);
  });

  it('keeps the objects of unchanged prompts after an edit of another', async () => {
    const source = open(plantTree({ 'user.jsonl': content }));
    const before = await source.list();
    await source.update('p7', draft('p7', 'changed'), author);
    const after = await source.list();
    expect(after.filter((prompt, index) => prompt !== before[index]).map(({ name }) => name)).toEqual(['p7']);
    expect(await source.get('p7')).toMatchObject({ messages: [{ content: { text: 'changed' } }] });
  });
});

it('a lookup finds a file that was replaced after the last lookup', async () => {
  const file = join(plantTree({ 'user.jsonl': line('before') }), 'user.jsonl');
  // A file that changed a moment ago is always read again.
  await sleep(150);
  const cache = createPromptFileCache();
  const read = async () => (await cache.load(file))?.value?.prompts.map(({ name }) => name);
  expect(await read()).toEqual(['before']);
  await (await prepareReplacement(file, Buffer.from(line('after')))).commit();
  expect(await read()).toEqual(['after']);
});

describe('a file with invalid lines', () => {
  const invalidLines = [
    '{"name":"cut',
    '["no object"]',
    '{"title":"no name"}',
    '{"name":"no_messages","title":"x"}',
    '{"name":"bad_role","messages":[{"role":"system","content":{"type":"text","text":"x"}}]}',
    '{"name":"bad_content","messages":[{"role":"user","content":{"type":"video"}}]}',
    '{"name":"bad_arguments","arguments":{},"messages":[{"role":"user","content":"x"}]}',
  ];
  const content = Buffer.concat([
    Buffer.from(`\uFEFF${line('first')}\r\n`),
    Buffer.from(`${invalidLines.join('\n')}\n`),
    Buffer.from('{"name":"latin1","title":"caf\xe9"}\n', 'latin1'),
    Buffer.from(`${line('first', 'again')}${line('last').trim()}`),
  ]);

  it('serves the valid lines and reports the number of each invalid one', async () => {
    const source = open(plantTree({ 'user.jsonl': content }));
    expect(await names(source)).toEqual(['first', 'last']);
    expect((await source.problems()).map(({ line, message }) => `${line}: ${message}`)).toEqual([
      '3: the line is not JSON',
      '4: a prompt must be a JSON object',
      '5: name must be text',
      '6: no_messages: at least one message is required',
      '7: bad_role: message 1: role must be user or assistant',
      '8: bad_content: message 1: content must have a known type',
      '9: bad_arguments: arguments must be a list',
      '10: the line is not UTF-8 text',
      '11: the prompt first is already defined on line 1',
    ]);
  });

  it('keeps the invalid lines through later changes', async () => {
    const folder = plantTree({ 'user.jsonl': content });
    const source = open(folder);
    await source.create(draft('new'), author);
    await source.update('last', { title: 'Changed' }, author);
    await source.delete('new', author);
    const bytes = readFileSync(join(folder, 'user.jsonl'));
    for (const one of invalidLines) expect(bytes.includes(`\n${one}\n`)).toBe(true);
    expect(bytes.includes(Buffer.from('{"name":"latin1","title":"caf\xe9"}\n', 'latin1'))).toBe(true);
    expect(await names(source)).toEqual(['first', 'last']);
  });

  it('is served in its last good version while its last line is incomplete', async () => {
    const folder = plantTree({ 'user.jsonl': `${line('a')}${line('b')}` });
    const source = open(folder);
    expect(await names(source)).toEqual(['a', 'b']);
    write(folder, { 'user.jsonl': line('a').slice(0, 20) });
    expect(await names(source)).toEqual(['a', 'b']);
    expect((await source.problems())[0]).toMatchObject({ line: 1, severity: 'error' });
    write(folder, { 'user.jsonl': '' });
    expect(await names(source)).toEqual(['a', 'b']);
    write(folder, { 'user.jsonl': line('c') });
    expect(await names(source)).toEqual(['c']);
  });
});

describe('a change', () => {
  it('replaces only the given fields, and clears a list that is given as empty', async () => {
    const folder = plantTree();
    const source = open(folder);
    await source.create(
      draft('x', 'One', { description: 'D', arguments: [{ name: 'a' }], tags: ['t'] }),
      author,
    );
    await source.update('x', { title: 'New' }, author);
    expect(await source.get('x')).toMatchObject({
      title: 'New',
      description: 'D',
      tags: ['t'],
      arguments: [{ name: 'a' }],
    });
    await source.update('x', { arguments: [], tags: [], description: '' }, author);
    const cleared = await source.get('x');
    expect(cleared).toMatchObject({ arguments: [], tags: [] });
    expect(cleared).not.toHaveProperty('description');
    const record = JSON.parse(userFile(folder));
    expect(Date.parse(record.updated)).toBeGreaterThanOrEqual(Date.parse(record.created));
  });

  it('is rejected if it creates an existing prompt or edits a missing one', async () => {
    const source = open(plantTree({ 'user.jsonl': line('x') }));
    await expect(source.create(draft('x'), author)).rejects.toMatchObject({
      kind: 'conflict',
      message: 'prompt already exists: x',
    });
    await expect(source.update('y', {}, author)).rejects.toMatchObject({ kind: 'prompt-not-found' });
    await expect(source.delete('y', author)).rejects.toMatchObject({ kind: 'prompt-not-found' });
  });

  it('preserves unknown fields, the order of lines, the file mode and a symbolic link', async () => {
    const real = plantTree({
      'mine.jsonl': `${line('a')}{"name":"b","rating":5,"messages":[{"role":"user","content":"x"}]}\n${line('c')}`,
    });
    chmodSync(join(real, 'mine.jsonl'), 0o600);
    const folder = plantTree();
    symlinkSync(join(real, 'mine.jsonl'), join(folder, 'user.jsonl'));
    const source = open(folder);
    await source.update('b', { title: 'B' }, author);
    const records = readFileSync(join(real, 'mine.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text));
    expect(records.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect(records[1]).toMatchObject({ rating: 5, title: 'B' });
    expect(lstatSync(join(folder, 'user.jsonl')).isSymbolicLink()).toBe(true);
    expect(statSync(join(real, 'mine.jsonl')).mode & 0o777).toBe(0o600);
  });

  it('is not lost when many changes are made concurrently', async () => {
    const folder = plantTree();
    const sources = [open(folder), open(folder), open(folder)];
    await Promise.all(
      Array.from({ length: 60 }, (_, index) => sources[index % 3]!.create(draft(`p${index}`), author)),
    );
    expect(await names(sources[0]!)).toHaveLength(60);
  });

  it('creates a deleted lock file again', async () => {
    const folder = plantTree();
    const source = open(folder);
    await source.create(draft('first'), author);
    rmSync(join(folder, '.lock'));
    await source.create(draft('second'), author);
    expect(readdirSync(folder)).toContain('.lock');
    expect(await names(source)).toEqual(['first', 'second']);
  });

  it('made to the same revision by two processes succeeds only once', async () => {
    const folder = plantTree();
    await open(folder).create(draft('shared'), author);
    const rounds = 40;
    const module = (file: string) => JSON.stringify(join(import.meta.dirname, file));
    const script = `
      const { UserSource } = await import(${module('user-source.ts')});
      const { singleEdits } = await import(${module('../catalog/editor.ts')});
      const source = new UserSource({ folder: ${JSON.stringify(folder)} });
      const current = async () => Number(await source.revision(await source.get('shared')));
      const won = [];
      for (let round = 1; round <= ${rounds}; round++) {
        while (!((await current()) >= round)) await new Promise(setImmediate);
        try {
          await singleEdits(source).update('shared', { title: process.pid + ' ' + round }, { name: 't', version: '1' }, String(round));
          won.push(round);
        } catch (error) {
          if (error.kind !== 'conflict') throw error;
        }
      }
      console.log(JSON.stringify(won));
      source.close();`;
    const run = promisify(execFile);
    const winners = await Promise.all(
      [1, 2].map(() => run(process.execPath, ['--input-type=module', '-e', script])),
    );
    const won = winners.flatMap(({ stdout }) => JSON.parse(stdout) as number[]);
    expect(won.sort((a, b) => a - b)).toEqual(Array.from({ length: rounds }, (_, at) => at + 1));
    expect(await open(folder).history('shared')).toHaveLength(rounds + 1);
  });

  it('first backs up the file, at most once per second, and keeps ten backups', async () => {
    const old = Array.from(
      { length: 12 },
      (_, index) => `backups/user.jsonl.20200101-0000${String(index).padStart(2, '0')}`,
    );
    const folder = plantTree(Object.fromEntries(old.map((path) => [path, 'old'])));
    const source = open(folder);
    await source.create(draft('a'), author);
    expect(readdirSync(join(folder, 'backups'))).toHaveLength(12);
    await source.create(draft('b'), author);
    const backups = readdirSync(join(folder, 'backups')).sort();
    expect(backups).toHaveLength(10);
    expect(backups.at(-1)).toMatch(/^user\.jsonl\.20\d{6}-\d{6}$/);
    expect(readFileSync(join(folder, 'backups', backups.at(-1)!), 'utf8')).toContain('"name":"a"');
  });
});

describe('changes in bulk', () => {
  const createEdit = (name: string, text?: string) =>
    ({ action: 'create', name, draft: draft(name, text) }) as const;

  it('report the outcome of each, and a rejected one does not stop the others', async () => {
    const folder = plantTree({ 'user.jsonl': `${line('a')}not JSON\n${line('b')}${line('c')}${line('b')}` });
    const source = open(folder);
    const outcomes = await source.changeMany(
      [
        createEdit('a'),
        createEdit('new'),
        { action: 'update', name: 'none', changes: { title: 'T' } },
        { action: 'update', name: 'b', changes: { title: 'B' } },
        { action: 'create', name: 'bad', draft: { ...draft('bad'), messages: [] } },
        { action: 'delete', name: 'c' },
        { action: 'delete', name: 'c' },
      ],
      author,
    );
    expect(
      outcomes.map((outcome) =>
        outcome.status === 'rejected' ? outcome.reason.message : outcome.value?.name,
      ),
    ).toEqual([
      'prompt already exists: a',
      'new',
      'Prompt not found: none',
      'b',
      'user.jsonl was not changed: bad: at least one message is required.',
      undefined,
      'Prompt not found: c',
    ]);
    const lines = userFile(folder).trim().split('\n');
    expect(lines.map((text) => (text.startsWith('{') ? JSON.parse(text).name : text))).toEqual([
      'a',
      'not JSON',
      'b',
      'new',
    ]);
    expect((await source.history('b')).map(({ action }) => action)).toEqual(['outside', 'update']);
  });

  it('may change the same prompt several times', async () => {
    const source = open(plantTree());
    await source.changeMany(
      [
        createEdit('x', 'one'),
        { action: 'update', name: 'x', changes: { title: 'Two' } },
        { action: 'delete', name: 'x' },
        createEdit('x', 'four'),
      ],
      author,
    );
    expect((await source.history('x')).map(({ revision, action }) => [revision, action])).toEqual([
      [1, 'create'],
      [2, 'update'],
      [3, 'delete'],
      [4, 'create'],
    ]);
    expect((await source.get('x'))!.messages[0]!.content).toEqual({ type: 'text', text: 'four' });
  });

  it('write nothing if all of them are rejected', async () => {
    const folder = plantTree({ 'user.jsonl': line('a') });
    await open(folder).changeMany([createEdit('a'), createEdit('a')], author);
    expect(userFile(folder)).toBe(line('a'));
    expect(readdirSync(folder).sort()).toEqual(['.lock', 'user.jsonl']);
  });

  it('make a single backup and report progress', async () => {
    const folder = plantTree({ 'user.jsonl': line('old') });
    const source = open(folder);
    const edits = Array.from({ length: 2 * batchSize + 1 }, (_, index) => createEdit(`p${index}`));
    const progress: number[] = [];
    await source.changeMany(edits, author, (done) => progress.push(done));
    expect(progress).toEqual([batchSize, 2 * batchSize, 2 * batchSize + 1]);
    expect(await source.list()).toHaveLength(edits.length + 1);
    const backups = readdirSync(join(folder, 'backups'));
    expect(backups.map((name) => readFileSync(join(folder, 'backups', name), 'utf8'))).toEqual([line('old')]);
    const histories = await source.histories();
    for (const { name, draft: prompt } of edits)
      expect(histories.get(name)).toMatchObject([{ revision: 1, action: 'create', client: author, prompt }]);
  });

  it('are not made if the history cannot be written', async () => {
    const folder = plantTree({ 'user.jsonl': line('a'), 'history.jsonl/x': '' });
    await expect(open(folder).changeMany([createEdit('b'), createEdit('c')], author)).rejects.toMatchObject({
      kind: 'unavailable',
    });
    expect(userFile(folder)).toBe(line('a'));
  });
});

describe('a failed write', () => {
  it('on a full disk loses nothing and reports the reason', async () => {
    const folder = plantTree();
    const source = open(folder);
    await source.create(draft('kept', 'x'.repeat(3000)), author);
    const before = userFile(folder);
    const journal = readFileSync(join(folder, 'history.jsonl'), 'utf8');
    // The shell's file size limit fails a write halfway, as a full disk does.
    const script = `
      const { UserSource } = await import(${JSON.stringify(join(import.meta.dirname, 'user-source.ts'))});
      const source = new UserSource({ folder: ${JSON.stringify(folder)} });
      const text = 'y'.repeat(200000);
      const draft = { name: 'big', title: 'Big', messages: [{ role: 'user', content: { type: 'text', text } }] };
      await source.changeMany([{ action: 'create', name: 'big', draft }], { name: 't', version: '1' }).catch((error) => console.log(error.kind, error.message));
      console.log((await source.list()).map(({ name }) => name).join());`;
    const output = execFileSync(
      'bash',
      ['-c', 'ulimit -f 64; exec "$0" --input-type=module -e "$1"', process.execPath, script],
      { encoding: 'utf8' },
    );
    expect(output).toBe(
      `unavailable ${join(folder, 'user.jsonl')} was not changed: the file would be too large.\nkept\n`,
    );
    expect(userFile(folder)).toBe(before);
    expect(readFileSync(join(folder, 'history.jsonl'), 'utf8')).toBe(journal);
    expect(readdirSync(folder).filter((name) => name.endsWith('.new'))).toEqual([]);
    await source.create(draft('after'), author);
    expect(await names(source)).toEqual(['after', 'kept']);
  });

  it('of the history leaves the prompts unchanged', async () => {
    const folder = plantTree({ 'user.jsonl': line('a'), 'history.jsonl/x': '' });
    const source = open(folder);
    await expect(source.create(draft('b'), author)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(userFile(folder)).toBe(line('a'));
    expect(readdirSync(folder).filter((name) => name.endsWith('.new'))).toEqual([]);
  });

  it('without permission is reported', async () => {
    const folder = plantTree({ 'user.jsonl': line('a') });
    chmodSync(folder, 0o555);
    const source = open(folder);
    await asOrdinaryUser(async () => {
      expect(await names(source)).toEqual(['a']);
      await expect(source.create(draft('b'), author)).rejects.toMatchObject({
        kind: 'unavailable',
        message: `${join(folder, 'user.jsonl')} was not changed: permission denied; change the permissions or choose another place.`,
      });
    });
    chmodSync(folder, 0o755);
  });
});

describe('the history', () => {
  it('contains every change with its time and client, and any version can be restored', async () => {
    const folder = plantTree();
    const source = open(folder);
    await source.create(draft('x', 'one'), author);
    await source.update('x', draft('x', 'two'), { name: 'other', version: '2' });
    await source.delete('x', author);
    const restored = await source.restore('x', 1, author);
    expect(restored.messages[0]!.content).toEqual({ type: 'text', text: 'one' });
    const history = await source.history('x');
    expect(
      history.map(({ revision, action, client, restored: from }) => [revision, action, client.name, from]),
    ).toEqual([
      [1, 'create', 'tester', undefined],
      [2, 'update', 'other', undefined],
      [3, 'delete', 'tester', undefined],
      [4, 'restore', 'tester', 1],
    ]);
    expect(history.every(({ time }) => !Number.isNaN(Date.parse(time)))).toBe(true);
    expect(history[2]).not.toHaveProperty('prompt');
    await expect(source.restore('x', 3, author)).rejects.toMatchObject({ kind: 'refused' });
    await expect(source.restore('x', 9, author)).rejects.toMatchObject({ kind: 'invalid-params' });
    await expect(source.history('never')).rejects.toMatchObject({ kind: 'prompt-not-found' });
  });

  it('includes changes made outside Adjutant', async () => {
    const folder = plantTree({ 'user.jsonl': line('x', 'theirs') });
    const source = open(folder);
    expect((await source.history('x')).map(({ action }) => action)).toEqual(['outside']);
    await source.update('x', { title: 'Ours' }, author);
    write(folder, { 'user.jsonl': line('x', 'theirs again') });
    await source.delete('x', author);
    expect((await source.history('x')).map(({ action }) => action)).toEqual([
      'outside',
      'update',
      'outside',
      'delete',
    ]);
    const back = await source.restore('x', 3, author);
    expect(back.messages[0]!.content).toEqual({ type: 'text', text: 'theirs again' });
  });

  it('skips a line that a crashed writer left incomplete', async () => {
    const folder = plantTree();
    const source = open(folder);
    await source.create(draft('x'), author);
    appendFileSync(join(folder, 'history.jsonl'), '{"name":"x","revi');
    await source.update('x', { title: 'T' }, author);
    expect((await open(folder).history('x')).map(({ revision }) => revision)).toEqual([1, 2]);
  });

  it('starts again if its file is deleted', async () => {
    const folder = plantTree();
    const source = open(folder);
    await source.create(draft('x'), author);
    rmSync(join(folder, 'history.jsonl'));
    await source.update('x', { title: 'T' }, author);
    expect((await source.history('x')).map(({ action }) => action)).toEqual(['outside', 'update']);
    expect(existsSync(join(folder, 'history.jsonl'))).toBe(true);
  });
});

it('renders in one pass: placeholders and replacement patterns in values are not expanded', async () => {
  const source = open(
    plantTree({ 'user.jsonl': line('x', '{{a}} {{b}} {{ a }} {{{a}}} {{c}} {{__proto__}}') }),
  );
  const { messages } = await renderPrompt((await source.get('x'))!, { a: '{{b}}$&', b: '$1' }, source);
  expect(messages[0]!.content).toEqual({
    type: 'text',
    text: '{{b}}$& $1 {{ a }} {{{b}}$&} {{c}} {{__proto__}}',
  });
});
