import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { plantTree } from '../../test/tree.ts';
import { OldLines } from './old-lines.ts';
import { createRecords } from './records.ts';

const line = (name: string) => `${JSON.stringify({ name })}\n`;
const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => line(`n${from + index}`)).join('');

/** Counts how often each line was taken over. */
function open(text: string) {
  const home = plantTree({ 'old.jsonl': text });
  const path = join(home, 'old.jsonl');
  const openOne = () => {
    const records = createRecords(join(home, 'adjutant.db'));
    onTestFinished(() => records.close());
    return {
      records,
      lines: new OldLines(records, {
        path,
        kind: 'old',
        edit: ({ name }) => ({
          key: String(name),
          edit: (current) => ({ next: { name: String(name), times: Number(current?.['times'] ?? 0) + 1 } }),
        }),
      }),
    };
  };
  const { records, lines } = openOne();
  const times = async () =>
    (await records.list('old')).flatMap(({ times }) => (times === undefined ? [] : [times]));
  return { path, lines, openOne, times };
}

it('every line is taken over once by processes that start together, and the file stays', async () => {
  const text = numbered(0, 450);
  const { path, lines, openOne, times } = open(text);
  await Promise.all([lines, openOne().lines, openOne().lines].map((one) => one.takeOver()));
  expect(await times()).toEqual(Array.from({ length: 450 }, () => 1));
  expect(readFileSync(path, 'utf8')).toBe(text);
});

it('lines that are added later are taken over, and an incomplete one when it is complete', async () => {
  const { path, lines, times } = open(`${numbered(0, 2)}{"name":`);
  await lines.takeOver();
  expect(await times()).toEqual([1, 1]);
  appendFileSync(path, `"n2"}\nnot JSON\n${numbered(3, 5)}`);
  await lines.takeOver();
  expect(await times()).toEqual([1, 1, 1, 1, 1]);
});

it('a shorter file is a new one', async () => {
  const { path, lines, times } = open(numbered(0, 3));
  await lines.takeOver();
  writeFileSync(path, numbered(2, 4));
  await lines.takeOver();
  expect(await times()).toEqual([1, 1, 2, 1]);
});
