import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ReportedWrite } from '../agents/agent.ts';
import { attribute, unknown } from './attribution.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'adjutant-attribution-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const lines = (...changed: readonly [number, string][]) =>
  Array.from({ length: 20 }, (_, at) => `${new Map(changed).get(at) ?? `line ${at}`}\n`).join('');
const base = lines();
const patch = '@@ -2,5 +2,5 @@\n line 1\n line 2\n-line 3\n+agent\n line 4\n line 5\n';

/** What of a.txt is attributed, if it had the base content, is now `current`, and the agent reported these edits. */
async function attributed(current: string | undefined, ...edits: readonly ReportedWrite['edit'][]) {
  if (current !== undefined) writeFileSync(join(folder, 'a.txt'), current);
  const writes = edits.map((edit) => ({ path: join(folder, 'a.txt'), ...(edit && { edit }) }));
  const change = current === undefined ? ('deleted' as const) : ('modified' as const);
  const { own, parts, others } = await attribute(
    [{ path: 'a.txt', change }],
    writes,
    folder,
    async () => () => base,
  );
  return { own: own.length, part: parts.get('a.txt'), others: others.length };
}
const wholly = { own: 1, part: undefined, others: 0 };

describe('a changed file', () => {
  it('belongs to the run if the reported edits explain all of it', async () => {
    expect(await attributed(lines([3, 'agent']), { patch })).toEqual(wholly);
    expect(await attributed(lines([3, 'agent']), { from: base, to: lines([3, 'agent']) })).toEqual(wholly);
    expect(await attributed('new\n', { from: undefined, to: 'new\n' })).toEqual(wholly);
    const recorded = JSON.parse(JSON.stringify({ from: undefined, to: 'new\n' }));
    expect(await attributed('new\n', recorded)).toEqual(wholly);
    expect(await attributed('', { patch }, { from: lines([3, 'agent']), to: '' })).toEqual(wholly);
    expect(await attributed(lines([3, 'agent']).replaceAll('\n', '\r\n'), { patch })).toEqual(wholly);
    rmSync(join(folder, 'a.txt'));
    expect(await attributed(undefined, { from: '', to: undefined })).toEqual(wholly);
  });

  it('belongs to the run in part if others changed it before or after the edit', async () => {
    const current = lines([3, 'agent'], [15, 'user']);
    const partly = { own: 0, part: lines([3, 'agent']), others: 1 };
    expect(await attributed(current, { patch })).toEqual(partly);
    expect(await attributed(current, { from: lines([15, 'user']), to: current })).toEqual(partly);
  });

  it('does not belong to the run if the edits of others cannot be separated', async () => {
    const mixed = { own: 0, part: undefined, others: 1 };
    const from = lines([3, 'user'], [4, 'user']);
    expect(
      await attributed(lines([3, 'agent'], [4, 'user']), { from, to: from.replace('user', 'agent') }),
    ).toEqual(mixed);
    expect(await attributed(base, { from: '', to: undefined })).toEqual(mixed);
    rmSync(join(folder, 'a.txt'));
    expect(await attributed(undefined, { patch: patch.replace('line 4', 'other') })).toEqual(mixed);
  });

  it('belongs to the run if the agent reports its path only, and to others if it does not', async () => {
    expect(await attributed(lines([9, 'x']), undefined)).toEqual(wholly);
    expect(await attributed(lines([9, 'x']))).toEqual({ own: 0, part: undefined, others: 1 });
  });
});

it('recognises files by the real path of a linked folder, and ignores files outside', async () => {
  const link = `${folder}-link`;
  symlinkSync(folder, link);
  const change = { path: 'a.txt', change: 'added' } as const;
  const writes = [{ path: join(folder, 'a.txt') }, { path: '/elsewhere/a.txt' }, { path: '../b.txt' }];
  const { own, reported } = await attribute([change], writes, link, async () => () => unknown);
  rmSync(link);
  expect([own, [...reported]]).toEqual([[change], ['a.txt']]);
});
