import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownSize, ownTokens } from '../../bench/surface.ts';
import type { JsonObject } from '../../src/json.ts';
import { toolsets } from '../../src/tool.ts';
import { toolNames } from '../../src/toolsets/toolsets.ts';
import { scriptedAgent, steps } from '../delegate/scripted.ts';
import { createWorkbench, type Workbench } from '../delegate/workbench.ts';
import { bundle, greeting, initialize, Program } from '../program.ts';

const modernMeta = (extensions: JsonObject = {}) => ({
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { extensions },
});

async function listed(program: Program): Promise<readonly string[]> {
  const { result } = await program.request('tools/list');
  return (result as unknown as { tools: { name: string }[] }).tools.map(({ name }) => name);
}

describe('the default tool list', () => {
  it('and the instructions take fewer than 3,000 tokens while a user exists', async () => {
    const tokens = [...(await ownTokens()).values()];
    expect(tokens.reduce((sum, count) => sum + count, 0)).toBeLessThan(3000);
  });

  it('has calendar tools only while there is a user, and reports the change', async () => {
    await using program = new Program(['serve']);
    program.send(initialize());
    const before = await listed(program);
    expect(before).toEqual([
      'list_prompts',
      'expand_prompt',
      'search_prompts',
      'delegate_run',
      'list_runs',
      'collect_run',
      'remind',
      'create_routine',
      'list_inbox',
      'search_tools',
      'query_tool',
      'call_tool',
    ]);
    const changes = () =>
      program.messages.filter(({ method }) => method === 'notifications/tools/list_changed').length;
    const call = (name: string, args: JsonObject) =>
      program.request('tools/call', { name: 'call_tool', arguments: { name, arguments: args } });
    const created = await call('create_user', { name: 'Ada', email: 'ada@example.org' });
    const { structuredContent } = created['result'] as { structuredContent: JsonObject };
    await program.until(() => changes() === 1);
    const during = await listed(program);
    expect(during).toEqual(expect.arrayContaining(['list_events', 'create_event']));
    await call('update_user', { user_id: structuredContent['id']!, locale: 'en-GB' });
    await call('delete_user', { user_id: structuredContent['id']! });
    await program.until(() => changes() === 2);
    expect(await listed(program)).toEqual(before);
  });

  it('is right at once if a user was added before', async () => {
    expect((await ownSize([], true)).tools).toBe(15);
  });
});

describe('call_tool and query_tool', () => {
  it('return what a direct call returns, also failures', async () => {
    await using program = new Program(['serve'], { commands: greeting });
    program.send(initialize());
    const calls: readonly (readonly [string, JsonObject])[] = [
      ['list_prompts', {}],
      ['show_prompt', { name: 'greet' }],
      ['show_prompt', { name: 'nothing' }],
      ['show_prompt', { name: 1 }],
      ['prompt_history', {}],
    ];
    for (const [name, args] of calls) {
      const direct = await program.request('tools/call', { name, arguments: args });
      for (const by of ['query_tool', 'call_tool']) {
        const given = { name: by, arguments: { name, arguments: args } };
        expect((await program.request('tools/call', given))['result']).toEqual(direct['result']);
      }
    }
  });

  it('explain a wrong name, and query_tool refuses tools that write', async () => {
    await using program = new Program(['serve']);
    program.send(initialize());
    const text = async (by: string, name: string) => {
      const { result } = await program.request('tools/call', { name: by, arguments: { name } });
      const { isError, content } = result as unknown as { isError?: boolean; content: { text: string }[] };
      return [isError, content[0]!.text];
    };
    expect(await text('call_tool', 'list_event')).toEqual([
      true,
      'Unknown tool: list_event; did you mean list_events?',
    ]);
    expect(await text('query_tool', 'load_demo')).toEqual([
      true,
      'load_demo is not a read-only tool; call it with call_tool.',
    ]);
    // They do not call each other.
    expect(await text('call_tool', 'call_tool')).toEqual([true, expect.stringContaining('Unknown tool')]);
  });

  it('start tasks and report progress like a direct call', async () => {
    await using bench = createWorkbench();
    const client = await bench.connectModern({ 'delegate-command': scriptedAgent });
    const task = { task: steps({ answer: { summary: 'Done.' } }), cwd: bench.project };
    const reply = await client.request('tools/call', {
      name: 'call_tool',
      arguments: { name: 'delegate_run', arguments: task },
      _meta: modernMeta({ 'io.modelcontextprotocol/tasks': {} }),
    });
    expect(reply).toMatchObject({ resultType: 'task', taskId: expect.any(String) });
    const excluded = await bench.connectModern({
      'delegate-command': scriptedAgent,
      'exclude-tools': 'collect_run',
    });
    const direct = await excluded.request('tools/call', {
      name: 'delegate_run',
      arguments: task,
      _meta: modernMeta({ 'io.modelcontextprotocol/tasks': {} }),
    });
    expect(direct).toMatchObject({ resultType: 'complete', structuredContent: { summary: 'Done.' } });
  });
});

describe('search_tools', () => {
  it('returns name, description, input schema and the tool to call with', async () => {
    await using program = new Program(['serve']);
    program.send(initialize());
    const search = async (query: string) => {
      const { result } = await program.request('tools/call', { name: 'search_tools', arguments: { query } });
      return (result as { structuredContent: { tools: JsonObject[] } }).structuredContent.tools;
    };
    const found = await search('subscribe to a calendar');
    expect(found.length).toBeLessThanOrEqual(5);
    expect(found.find(({ name }) => name === 'add_calendar')).toMatchObject({
      name: 'add_calendar',
      description: expect.any(String),
      input_schema: { type: 'object', properties: expect.any(Object) },
      call_with: 'call_tool',
    });
    expect((await search('health of the server'))[0]).toMatchObject({
      name: 'server_status',
      call_with: 'query_tool',
    });
  });

  it('finds only tools that are allowed', async () => {
    await using program = new Program(['serve', '--read-only', '--exclude-tools', 'list_users']);
    program.send(initialize());
    const names = await listed(program);
    expect(names).toContain('search_tools');
    expect(names).not.toContain('call_tool');
    const given = { name: 'search_tools', arguments: { query: 'profile of a user', limit: 20 } };
    const found = JSON.stringify((await program.request('tools/call', given))['result']);
    expect(found).toContain('get_user');
    expect(found).not.toMatch(/"(create_user|list_users)"/);
  });
});

describe('the name of a tool that another one has replaced', () => {
  const replaced = {
    interrupt_run: 'steer_run',
    get_free_busy: 'find_time',
    keep_trial: 'try_prompt',
    list_audit: 'explain_notifications',
  };

  it('fails when it is called, and the error names the other tool', async () => {
    await using program = new Program(['serve']);
    program.send(initialize());
    for (const [former, current] of Object.entries(replaced)) {
      const message = `Unknown tool: ${former}; ${current} does its work now.`;
      const direct = await program.request('tools/call', { name: former, arguments: {} });
      expect(direct['error']).toMatchObject({ message });
      const given = { name: 'call_tool', arguments: { name: former } };
      const { result } = await program.request('tools/call', given);
      expect(result).toMatchObject({ isError: true, content: [{ text: message }] });
    }
  });

  it('stays unknown under a drop-in contract', async () => {
    await using program = new Program(['serve', '--contract', 'delegate']);
    program.send(initialize());
    const { error } = await program.request('tools/call', { name: 'interrupt_run', arguments: {} });
    expect(JSON.stringify(error)).not.toContain('steer_run');
  });

  it('means the other tool in the settings', async () => {
    await using some = new Program(['serve', '--tools', Object.keys(replaced).join()]);
    some.send(initialize());
    expect((await listed(some)).toSorted()).toEqual(Object.values(replaced).toSorted());
    await using others = new Program(['serve', '--toolsets', 'runs', '--exclude-tools', 'interrupt_run']);
    others.send(initialize());
    expect(await listed(others)).not.toContain('steer_run');
  });
});

describe('instructions', () => {
  const sets = [['default'], ['all'], ...toolsets.map((name) => [name])];
  it.each([...sets, ['all', '--read-only']])(
    'for %s %s name only tools that can be called',
    async (...flags) => {
      await using program = new Program(['serve', '--toolsets', ...flags]);
      program.send(initialize());
      const { instructions = '' } = (await program.until(({ id }) => id === 0))['result'] as {
        instructions?: string;
      };
      expect(instructions).toMatch(/^Adjutant /);
      expect(instructions.length).toBeLessThan(2000);
      expect(instructions.includes('search_tools')).toBe(flags[0] === 'default');
      const named = new Set(
        (instructions.match(/\b[a-z]+_[a-z_]+\b/g) ?? []).filter((name) => toolNames.includes(name)),
      );
      for (const name of named) {
        const { error } = await program.request('tools/call', { name, arguments: { unknown_field: 1 } });
        expect([name, error]).toEqual([name, undefined]);
      }
    },
  );
});

describe('results of 2026-07-28', () => {
  it('say how long they may be cached', async () => {
    await using program = new Program(['serve'], { commands: greeting });
    const hints: Record<string, unknown> = {};
    for (const method of [
      'server/discover',
      'tools/list',
      'prompts/list',
      'resources/list',
      'resources/templates/list',
    ]) {
      const { result } = await program.request(method, { _meta: modernMeta() });
      const { ttlMs, cacheScope } = result as JsonObject;
      hints[method] = [ttlMs, cacheScope];
    }
    expect(hints).toEqual({
      'server/discover': [300_000, 'private'],
      'tools/list': [300_000, 'private'],
      'prompts/list': [5_000, 'private'],
      'resources/list': [5_000, 'private'],
      'resources/templates/list': [5_000, 'private'],
    });
  });
});

describe('on the command line', () => {
  let bench: Workbench;
  beforeAll(() => {
    bench = createWorkbench();
  });
  afterAll(() => bench[Symbol.asyncDispose]());
  const adjutant = (...args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [bundle, ...args, '--home', bench.home], {
      cwd: bench.project,
      env: bench.env,
      encoding: 'utf8',
      input: '',
    });
    return { code: status, stdout, stderr };
  };
  const create = ['users', 'create', '--id', 'ada', '--name', 'Ada', '--email', 'ada@example.org'];

  it('an unknown name is an error that suggests the nearest one', () => {
    expect(adjutant('serve', '--toolsets', 'calender')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean calendar?'),
    });
    expect(adjutant('serve', '--exclude-tools', 'delete_usr').stderr).toContain('did you mean delete_user?');
    expect(adjutant('serve', '--tools', 'list_event').stderr).toContain('did you mean list_events?');
  });

  it('toolsets do not apply, but --read-only does', () => {
    expect(adjutant(...create, '--toolsets', 'prompts')).toMatchObject({ code: 0 });
    expect(adjutant('users', 'list', '--read-only')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Ada'),
    });
    const refused = adjutant('users', 'delete', 'ada', '--read-only', '--yes');
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'delete_user is not available: it changes data, and the server is read-only',
      ),
    });
    expect(adjutant('users', 'list').stdout).toContain('Ada');
  });
});
