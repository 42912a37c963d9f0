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

async function linesOf(file: EventFile): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of file.lines()) lines.push(line);
  return lines;
}

it('has no lines as long as there is no file', async () => {
  expect(await linesOf(new EventFile(path))).toEqual([]);
});

it('reads on from where it stopped, and waits for the end of a line', async () => {
  const file = new EventFile(path);
  appendFileSync(path, 'one\ntw');
  expect(await linesOf(file)).toEqual(['one']);
  appendFileSync(path, 'o\n\nthree\n');
  expect(await linesOf(file)).toEqual(['two', '', 'three']);
  expect(await linesOf(file)).toEqual([]);
});

it('puts characters together that were written in parts', async () => {
  const file = new EventFile(path);
  const bytes = Buffer.from('grüße\n');
  appendFileSync(path, bytes.subarray(0, 3));
  expect(await linesOf(file)).toEqual([]);
  appendFileSync(path, bytes.subarray(3));
  expect(await linesOf(file)).toEqual(['grüße']);
});

it('passes over a line that is too long, and over no other', async () => {
  const file = new EventFile(path);
  appendFileSync(path, `before\n${'x'.repeat(20 * 1024 * 1024)}\nafter\n`);
  expect(await linesOf(file)).toEqual(['before', 'after']);
});
