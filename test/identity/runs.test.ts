import { promises as disk } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuthenticator } from '../../src/identity/authenticator.ts';
import { type Credential, isDenial } from '../../src/identity/credential.ts';
import { NamedTokens } from '../../src/identity/named-tokens.ts';
import { Access } from '../../src/toolsets/access.ts';
import { actorWith } from '../../src/toolsets/scopes.ts';
import { scriptedAgent, steps } from '../delegate/scripted.ts';
import { type Connection, createWorkbench, type Workbench } from '../delegate/workbench.ts';

const done = { summary: 'Done.', deliverables: [], open_questions: [], next_actions: [] };

let bench: Workbench;
let owner: Connection;
let reader: Connection;
let writer: Connection;
/** The runs of the owner and of the token `reader`. */
let ids: { readonly owner: string; readonly reader: string };
let ownersThread: string;

beforeAll(async () => {
  bench = createWorkbench();
  const settings = { 'delegate-command': scriptedAgent };
  const as = (name: string, scope: string) =>
    bench.connect(settings, { access: Access.full.heldBy(actorWith(`token ${name}`, [scope])) });
  owner = await bench.connect(settings);
  reader = await as('reader', 'delegate:read-only');
  writer = await as('writer', 'delegate:workspace-write');
  const [ownersRun, readersRun] = [await start(owner), await start(reader)];
  ids = { owner: ownersRun.run_id, reader: readersRun.run_id };
  ownersThread = ownersRun.subagent_thread_id!;
});
afterAll(() => bench[Symbol.asyncDispose]());

async function start(connection: Connection, sandbox = 'workspace-write') {
  const args = { task: steps({ answer: done }), cwd: bench.project, sandbox };
  return (await connection.call('delegate_run', args)).record;
}

describe('the runs of a token', () => {
  it('are the only ones that the token lists, and the owner lists all', async () => {
    const listed = async ({ client }: Connection) => {
      const reply = await client.request('tools/call', { name: 'list_runs', arguments: {} });
      return (reply['structuredContent'] as { runs: { run_id: string; actor?: string }[] }).runs;
    };
    expect((await listed(reader)).map(({ run_id, actor }) => [run_id, actor])).toEqual([
      [ids.reader, 'token reader'],
    ]);
    expect(await listed(writer)).toEqual([]);
    expect((await listed(owner)).map(({ run_id }) => run_id)).toEqual([ids.reader, ids.owner]);
  });

  it('are the only ones that the token reaches in any way', async () => {
    const uri = (id: string) => `runs://${id}/result.json`;
    await reader.client.request('resources/read', { uri: uri(ids.reader) });
    for (const method of ['resources/read', 'resources/subscribe'])
      await expect(reader.client.request(method, { uri: uri(ids.owner) })).rejects.toThrow(
        /no run|not found/,
      );
    for (const name of ['show_run', 'tail_run', 'collect_run', 'cancel_run', 'diff_run']) {
      expect((await reader.call(name, { run_id: ids.reader })).text).not.toContain('There is no run');
      expect((await reader.call(name, { run_id: ids.owner })).text).toContain(`There is no run ${ids.owner}`);
    }
    const { resources } = await reader.client.request('resources/list');
    expect(JSON.stringify(resources)).toContain(ids.reader);
    expect(JSON.stringify(resources)).not.toContain(ids.owner);
    const completion = await reader.client.request('completion/complete', {
      ref: { type: 'ref/resource', uri: 'runs://{run_id}/{artifact}' },
      argument: { name: 'run_id', value: '' },
    });
    expect(completion).toMatchObject({ completion: { values: [ids.reader] } });
    const resume = { thread_id: ownersThread, task: 'Continue', cwd: bench.project };
    expect((await reader.call('delegate_resume', resume)).text).toContain('None of your runs has the thread');
  });

  it('and what they changed is shown to scopes of runs, not to those that read prompts', async () => {
    for (const { access, shown } of [
      { access: 'read', shown: false },
      { access: 'delegate:read-only', shown: true },
    ]) {
      const actor = actorWith('token looker', [access]);
      const looker = await bench.connect({ toolsets: 'all' }, { access: Access.full.heldBy(actor) });
      const { tools } = (await looker.client.request('tools/list')) as unknown as {
        tools: { name: string }[];
      };
      expect(tools.some(({ name }) => name === 'diff_run')).toBe(shown);
    }
  });

  it('have at most the sandbox of the scope', async () => {
    const sandboxOf = async (connection: Connection, sandbox: string) => {
      const { run_id } = await start(connection, sandbox);
      const reply = await owner.client.request('resources/read', { uri: `runs://${run_id}/run.json` });
      return (JSON.parse((reply['contents'] as { text: string }[])[0]!.text) as { sandbox: string }).sandbox;
    };
    expect(await sandboxOf(reader, 'workspace-write')).toBe('read-only');
    expect(await sandboxOf(reader, 'danger-full-access')).toBe('read-only');
    expect(await sandboxOf(writer, 'workspace-write')).toBe('workspace-write');
    expect(await sandboxOf(writer, 'danger-full-access')).toBe('workspace-write');
  });

  it('keep the name of the token in the run directory', async () => {
    const folder = (await owner.call('show_run', { run_id: ids.reader })).record.run_dir;
    const request = JSON.parse(await disk.readFile(join(folder, 'request.json'), 'utf8')) as object;
    expect(request).toMatchObject({ actor: 'token reader' });
  });
});

describe('a new token with the name of a revoked one', () => {
  let tokens: NamedTokens;
  let first: Connection;
  let runId: string;
  let requestFile: string;

  /** Connects with a new token, as an HTTP client does. */
  async function connectAs(name: string, createdAt?: Date): Promise<Connection> {
    const token = tokens.create(name, ['delegate:workspace-write'], undefined, createdAt);
    const { authenticate } = createAuthenticator({ token: 'of-the-owner', tokens });
    const credential = await authenticate({ authorization: `Bearer ${token}` });
    if (isDenial(credential)) throw new Error(credential.message);
    const access = Access.full.heldBy((credential as Credential).actor);
    return bench.connect({ 'delegate-command': scriptedAgent }, { access });
  }

  async function replaceToken(createdAt?: Date): Promise<Connection> {
    tokens.revoke('sam');
    return connectAs('sam', createdAt);
  }

  async function idsFor({ client }: Connection): Promise<readonly string[]> {
    const reply = await client.request('tools/call', { name: 'list_runs', arguments: {} });
    return (reply['structuredContent'] as { runs: { run_id: string }[] }).runs.map(({ run_id }) => run_id);
  }

  async function countFor({ client }: Connection): Promise<number> {
    const reply = await client.request('tools/call', { name: 'run_statistics', arguments: {} });
    const { agent } = reply['structuredContent'] as { agent: { runs: number }[] };
    return agent.reduce((sum, { runs }) => sum + runs, 0);
  }

  beforeAll(async () => {
    tokens = new NamedTokens(bench.home);
    first = await connectAs('sam');
    const run = await start(first);
    runId = run.run_id;
    requestFile = join(run.run_dir, 'request.json');
  });

  it('does not reach the runs of the earlier token', async () => {
    expect(await idsFor(first)).toEqual([runId]);
    expect(await countFor(first)).toBe(1);
    // A date before the run does not make the token the same.
    for (const created of [new Date(), new Date(0)]) {
      const second = await replaceToken(created);
      expect(await idsFor(second)).toEqual([]);
      expect(await countFor(second)).toBe(0);
      for (const name of ['show_run', 'tail_run', 'collect_run', 'cancel_run', 'undo_run'])
        expect((await second.call(name, { run_id: runId })).text).toContain(`There is no run ${runId}`);
      await expect(
        second.client.request('resources/read', { uri: `runs://${runId}/result.json` }),
      ).rejects.toThrow(/no run/);
    }
  });

  it('has the runs of earlier versions, which only name the token, if it is older than the run', async () => {
    const { actor_id, ...request } = JSON.parse(await disk.readFile(requestFile, 'utf8')) as {
      actor_id: string;
    };
    expect(actor_id).toMatch(/^token sam [0-9a-f]{16}$/);
    await disk.writeFile(requestFile, JSON.stringify(request));
    expect(await idsFor(await replaceToken(new Date()))).toEqual([]);
    expect(await idsFor(await replaceToken(new Date(0)))).toEqual([runId]);
  });
});

describe('prompts in the task of a token', () => {
  it('are expanded only with a scope that reads prompts', async () => {
    const task = `:code_review foo() ${steps({ answer: done })}`;
    const denied = await reader.call('delegate_run', { task, cwd: bench.project });
    expect(denied.text).toContain('needs a token with the scope read');
    const actor = actorWith('token both', ['delegate:read-only', 'read']);
    const both = await bench.connect(
      { 'delegate-command': scriptedAgent },
      { access: Access.full.heldBy(actor) },
    );
    const { record } = await both.call('delegate_run', { task, cwd: bench.project });
    expect(record.status).toBe('completed');
  });
});
