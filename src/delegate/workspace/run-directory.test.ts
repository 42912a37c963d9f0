import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRunId, RunDirectory } from './run-directory.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'adjutant-run-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('RunDirectory', () => {
  it('has an id made of the UTC time and twelve random hex digits', async () => {
    const id = await createRunId(new Date('2025-12-29T21:00:34.370Z'));
    expect(id).toMatch(/^2025-12-29_210034370_[0-9a-f]{12}$/);
  });

  it('cannot be created where a file has the name of the runs folder', async () => {
    writeFileSync(join(folder, 'runs'), '');
    await expect(RunDirectory.create(join(folder, 'runs'))).rejects.toThrow(/EEXIST|ENOTDIR/);
  });

  it('is readable only by its owner, and so are its files', async () => {
    const run = await RunDirectory.create(join(folder, 'runs'));
    await run.writeJson('request.json', { tool: 'delegate_run' });
    expect(statSync(run.path).mode & 0o777).toBe(0o700);
    expect(statSync(run.file('request.json')).mode & 0o777).toBe(0o600);
  });

  it('becomes visible only after request.json is written', async () => {
    const run = await RunDirectory.create(folder, undefined, { tool: 'delegate_run' });
    expect(readdirSync(folder)).toEqual([run.id]);
    expect(JSON.parse(readFileSync(run.file('request.json'), 'utf8'))).toEqual({ tool: 'delegate_run' });
    const failToWrite = (text: string) => {
      throw new Error(`no room for ${text}`);
    };
    await expect(RunDirectory.create(folder, failToWrite, { tool: 'delegate_run' })).rejects.toThrow(
      /no room/,
    );
    expect(readdirSync(folder).filter((name) => !name.startsWith('.'))).toEqual([run.id]);
  });

  it('writes JSON with an indent of two and a final newline and leaves no temporary file', async () => {
    const run = await RunDirectory.create(folder);
    await run.writeJson('a.json', { b: [1] });
    await run.writeJson('a.json', { b: [2] });
    expect(readFileSync(run.file('a.json'), 'utf8')).toBe('{\n  "b": [\n    2\n  ]\n}\n');
    expect(readdirSync(run.path)).toEqual(['.reserve', 'a.json', 'request.json']);
  });

  it('redacts inside JSON strings without breaking the JSON', async () => {
    const run = await RunDirectory.create(folder, (text) => text.replaceAll(/s3cret"?/g, '[redacted]'));
    await run.writeJson('a.json', { key: 's3cret"', other: ['x s3cret'] });
    expect(JSON.parse(readFileSync(run.file('a.json'), 'utf8'))).toEqual({
      key: '[redacted]',
      other: ['x [redacted]'],
    });
  });

  it('lists its files and folders by name, except hidden ones', async () => {
    const run = await RunDirectory.create(folder);
    await run.writeText('z.txt', '');
    await run.writeText('.hidden', '');
    const subrun = await run.createSubrun('scan');
    expect(subrun.id).toBe(`${run.id}/scan`);
    expect(await run.artifacts()).toEqual([
      { name: 'request.json', path: join(run.path, 'request.json') },
      { name: 'subruns/', path: join(run.path, 'subruns') },
      { name: 'z.txt', path: join(run.path, 'z.txt') },
    ]);
  });
});
