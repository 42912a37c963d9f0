import { expect, it } from 'vitest';
import { internalContext } from '../../engine/context.ts';
import { runChangeTools } from './run-change-tools.ts';
import type { RunDiff } from './run-changes.ts';
import type { Runs } from './runs.ts';

const files = Array.from(
  { length: 2_000 },
  (_, at) => ({ path: `src/file-${at}.ts`, change: 'added' }) as const,
);
const diff: RunDiff = { state: 'waiting', files, patch: '+line\n'.repeat(100_000) };
const [diffRun] = runChangeTools(async () => ({ diff: async () => diff }) as unknown as Runs);
const call = (full: boolean) => diffRun.call({ run_id: 'r1', full } as never, internalContext());

it('diff_run › many changes › are cut to a page that says how to get the rest', async () => {
  const { structured, content } = await call(false);
  expect(JSON.stringify({ structured, content }).length).toBeLessThan(20_000);
  const pointer = expect.stringContaining('"adjutant runs diff r1"');
  expect(structured).toMatchObject({ state: 'waiting', shortened: pointer });
  expect(content).toEqual([{ type: 'text', text: pointer }]);
});

it('diff_run › full › returns everything', async () => {
  expect((await call(true)).structured).toEqual(diff);
});
