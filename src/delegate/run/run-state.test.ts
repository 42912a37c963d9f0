import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { RunDirectory } from '../workspace/run-directory.ts';
import { readEnd, readRunState, readStart, writeEnd, writeStart } from './run-state.ts';

function newDirectory(files: Readonly<Record<string, unknown>> = {}): RunDirectory {
  const path = mkdtempSync(join(tmpdir(), 'run-state-'));
  for (const [name, value] of Object.entries(files)) writeFileSync(join(path, name), JSON.stringify(value));
  return new RunDirectory(path, 'one');
}

const start = {
  agent: 'gemini',
  argv: ['gemini', '--acp'],
  cwd: '/srv/shop',
  sandbox: 'workspace-write',
  protocol: 'acp',
  session: { model: 'flash' },
  parent: { by: 'fork', threadId: 'thread-1' },
  warnings: ['careful'],
} as const;

it('reads back how an agent was started', async () => {
  const directory = newDirectory();
  await writeStart(directory, start);
  expect(await readStart(directory.path)).toEqual(start);
  expect(await directory.artifacts()).toHaveLength(1);
});

it('writes the fields of the document under the contract delegate', async () => {
  const directory = newDirectory();
  await writeStart(directory, start, { subcommand_args: ['resume', 'thread-1'] });
  expect((await directory.artifacts()).map(({ name }) => name)).toEqual(['codex_exec.json', 'run.json']);
});

it('reads the record of an earlier version', async () => {
  const { path } = newDirectory({
    'request.json': { tool: 'delegate_run', received_at: '2026-01-01T00:00:00.000Z', request: { cwd: '/a' } },
    'codex_exec.json': {
      argv: ['claude'],
      codex_cwd: '/a',
      sandbox: 'read-only',
      subcommand_args: ['resume', 'thread-2'],
      agent: 'claude',
      protocol: 'stream-json',
      warnings: [],
    },
    'thread.json': { thread_id: 'thread-2' },
    'approvals.json': { pending: [{ id: 'a1' }] },
  });
  expect(await readRunState(path)).toEqual({
    call: { tool: 'delegate_run', receivedAt: '2026-01-01T00:00:00.000Z', input: { cwd: '/a' } },
    start: {
      agent: 'claude',
      argv: ['claude'],
      cwd: '/a',
      sandbox: 'read-only',
      protocol: 'stream-json',
      parent: { by: 'resume', threadId: 'thread-2' },
      warnings: [],
    },
    threadId: 'thread-2',
    approvals: [{ id: 'a1' }],
  });
});

it.each([
  [{ error: null, cancelled: false }, 'completed'],
  [{ error: 'codex exec exited with code 1', cancelled: false }, 'failed'],
  [{ error: 'cancelled', cancelled: true }, 'cancelled'],
])('reads the result %j of the original server as %s', async (fields, status) => {
  const { path } = newDirectory({ 'result.json': { started_at: 'now', ...fields } });
  expect(await readEnd(path)).toMatchObject({ status, threadId: null, warnings: [] });
});

it.each([['[]'], ['{'], ['{"status": 5, "usage": "many", "warnings": 7, "ended_processes": {}}']])(
  'survives the broken result %s',
  async (text) => {
    const { path } = newDirectory();
    writeFileSync(join(path, 'result.json'), text);
    const end = await readEnd(path);
    expect(end ?? { usage: null, warnings: [], ended: [] }).toMatchObject({
      usage: null,
      warnings: [],
      ended: [],
    });
  },
);

it('lists its files in the result', async () => {
  const directory = newDirectory();
  await writeStart(directory, start);
  const timing = { started_at: 'a', finished_at: 'b', duration_ms: 1 };
  const end = {
    ...({ status: 'failed', error: 'why', threadId: 't', answer: undefined, usage: null, timing } as const),
    ...{ exitCode: 1, signal: null, ended: [], warnings: [] },
  };
  await writeEnd(directory, end);
  expect(await readEnd(directory.path)).toEqual(end);
  expect((await directory.artifacts()).map(({ name }) => name)).toEqual(['result.json', 'run.json']);
});
