import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { EventFile } from './event-file.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'adjutant-events-'));
  path = join(folder, 'events.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function readLines(file: EventFile): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of file.lines()) lines.push(line);
  return lines;
}

it('yields no lines if the file does not exist', async () => {
  expect(await readLines(new EventFile(path))).toEqual([]);
});

it('continues where it stopped and holds back an incomplete line', async () => {
  const file = new EventFile(path);
  appendFileSync(path, 'one\ntw');
  expect(await readLines(file)).toEqual(['one']);
  appendFileSync(path, 'o\n\nthree\n');
  expect(await readLines(file)).toEqual(['two', '', 'three']);
  expect(await readLines(file)).toEqual([]);
});

it('joins a multi-byte character that was written in two parts', async () => {
  const file = new EventFile(path);
  const bytes = Buffer.from('grüße\n');
  appendFileSync(path, bytes.subarray(0, 3));
  expect(await readLines(file)).toEqual([]);
  appendFileSync(path, bytes.subarray(3));
  expect(await readLines(file)).toEqual(['grüße']);
});

it('skips an oversized line but reads the lines around it', async () => {
  const file = new EventFile(path);
  appendFileSync(path, `before\n${'x'.repeat(20 * 1024 * 1024)}\nafter\n`);
  expect(await readLines(file)).toEqual(['before', 'after']);
});
