import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import { componentFile } from '../components.ts';
import { type FixtureEndpoint, startFixtures } from '../conformance/endpoint.ts';
import { clientKinds, connectOfficial, type Target } from '../official-client.ts';
import { bundle, greeting, Program } from '../program.ts';

type Started = Extract<Target, { readonly command: string }>;
type Remote = Extract<Target, { readonly url: string }>;

const transports = ['stdio', 'http'] as const;
const matrix = clientKinds.flatMap((kind) => transports.map((transport) => [kind, transport] as const));

let program: Program;
let fixtures: FixtureEndpoint;
let programs: Readonly<Record<(typeof transports)[number], Target>>;
let fixtureServers: Readonly<Record<(typeof transports)[number], Target>>;
beforeAll(async () => {
  program = new Program(['serve', '--http', '--port', '0'], { commands: greeting });
  const { url, token } = await program.listening();
  const home = program.home;
  programs = {
    stdio: {
      command: process.execPath,
      args: [bundle, 'serve', '--home', home],
      env: { HOME: home, PATH: process.env['PATH']! },
    },
    http: { url: `${url}/mcp`, headers: { authorization: `Bearer ${token}` } },
  };
  fixtures = await startFixtures();
  fixtureServers = {
    stdio: { command: process.execPath, args: [join(import.meta.dirname, '../conformance/stdio.ts')] },
    http: { url: fixtures.url },
  };
});
afterAll(async () => {
  await program[Symbol.asyncDispose]();
  await fixtures[Symbol.asyncDispose]();
});

/** Valid arguments for tools that need some. */
const validArguments: Readonly<Record<string, object>> = {
  expand_prompt: { command: 'greet', input: 'you' },
  search_prompts: { query: 'greets' },
  show_prompt: { name: 'greet' },
};

const names = (items: unknown) => (items as readonly { name: string }[]).map(({ name }) => name);

const legacyMatrix = matrix.filter(([kind]) => kind !== 'v2 at 2026-07-28');

it.for(legacyMatrix)(
  'the official client %s lists the prompts of the contract twig over %s',
  async ([kind, transport]) => {
    const folder = join(program.home, 'libraries');
    mkdirSync(join(folder, 'mine', 'prompts'), { recursive: true });
    writeFileSync(join(folder, 'mine', 'twig.toml'), '[prompts.shout]\ndescription = "Shouts"\n');
    writeFileSync(join(folder, 'mine', 'prompts', 'shout.md'), 'Shout!');
    const { stdio, http } = programs as { stdio: Started; http: Remote };
    const target = {
      stdio: { ...stdio, args: [...stdio.args, '--contract', 'twig'] },
      http: { ...http, url: `${http.url}/twig` },
    };
    await using client = await connectOfficial(kind, target[transport]);
    const listed = await client.listPrompts();
    expect(listed).not.toHaveProperty('nextCursor');
    expect(names(listed['prompts'])).toEqual(['mine:shout']);
  },
);

describe.for(matrix)('the official client %s over %s', ([kind, transport]) => {
  it('lists and calls everything that the program offers', async () => {
    await using client = await connectOfficial(kind, programs[transport]);
    expect(client.getServerVersion()).toMatchObject({ name: 'adjutant' });
    const capabilities = client.getServerCapabilities();

    const { tools } = await client.listTools();
    expect(names(tools)).toEqual(expect.arrayContaining(['list_prompts', 'expand_prompt']));
    for (const name of names(tools)) {
      // A tool without its required arguments returns an error result and does not run.
      const result = await client.callTool({ name, arguments: validArguments[name] ?? {} });
      expect(result['content'], name).toBeInstanceOf(Array);
    }
    const expanded = await client.callTool({
      name: 'expand_prompt',
      arguments: validArguments['expand_prompt'],
    });
    expect(expanded['content']).toEqual([{ type: 'text', text: 'Say hello to you.' }]);

    const { prompts } = await client.listPrompts();
    expect(names(prompts)).toEqual(expect.arrayContaining(['greet', 'research']));
    for (const prompt of prompts as readonly { name: string; arguments?: readonly { name: string }[] }[]) {
      const args = Object.fromEntries((prompt.arguments ?? []).map(({ name }) => [name, 'something']));
      const { messages } = await client.getPrompt({ name: prompt.name, arguments: args });
      expect(messages, prompt.name).not.toEqual([]);
    }
    if ('completions' in capabilities) {
      const ref = { type: 'ref/prompt', name: 'greet' };
      const { completion } = await client.complete({ ref, argument: { name: 'input', value: '' } });
      expect((completion as JsonObject)['values']).toBeInstanceOf(Array);
    }
    if ('resources' in capabilities) {
      const { resources } = await client.listResources();
      expect((await client.listResourceTemplates())['resourceTemplates']).toBeInstanceOf(Array);
      for (const { uri } of resources as readonly { uri: string }[])
        expect((await client.readResource({ uri }))['contents'], uri).not.toEqual([]);
    }
    await expect(client.callTool({ name: 'no_such_tool', arguments: {} })).rejects.toThrow('no_such_tool');
    await expect(client.getPrompt({ name: 'no_such_prompt' })).rejects.toThrow('no_such_prompt');
  });

  it('is notified of a new prompt file and finds the prompt', async () => {
    await using client = await connectOfficial(kind, programs[transport]);
    const changed = Promise.withResolvers<void>();
    await client.watch('prompts', changed.resolve);
    await client.listPrompts();
    const name = `new-${transport}-${kind.replaceAll(/\W+/g, '-')}`;
    writeFileSync(join(program.home, 'commands', `${name}.md`), '---\ndescription: New\n---\nNew.\n');
    await changed.promise;
    expect(names((await client.listPrompts())['prompts'])).toContain(name);
  });

  it('reads prompts, resources and completions of every kind', async () => {
    await using client = await connectOfficial(kind, fixtureServers[transport]);
    for (const name of names((await client.listPrompts())['prompts'])) {
      const { messages } = await client.getPrompt({
        name,
        arguments: { arg1: 'a', arg2: 'b', resourceUri: 'test://x' },
      });
      expect(messages, name).not.toEqual([]);
    }
    for (const { uri } of (await client.listResources())['resources'] as readonly { uri: string }[])
      expect((await client.readResource({ uri }))['contents'], uri).toHaveLength(1);
    expect((await client.listResourceTemplates())['resourceTemplates']).toHaveLength(1);
    await expect(client.readResource({ uri: 'test://nothing' })).rejects.toThrow('test://nothing');
    expect(
      await client.complete({
        ref: { type: 'ref/prompt', name: 'test_prompt_with_arguments' },
        argument: { name: 'arg1', value: 'par' },
      }),
    ).toMatchObject({ completion: { values: ['paris', 'park', 'party'], total: 3, hasMore: false } });
  });

  it.for([
    ['test_elicitation', { message: 'Who?' }, 'ada'],
    ['test_sampling', { prompt: 'Capital?' }, 'Paris'],
    ['test_input_required_result_list_roots', {}, 'file:///somewhere'],
    ['test_input_required_result_multi_round', {}, 'Ada'],
    ['test_input_required_result_multiple_inputs', {}, 'Somewhere'],
  ] as const)('answers the questions of %s', async ([name, args, expected]) => {
    await using client = await connectOfficial(kind, fixtureServers[transport]);
    const { content } = await client.callTool({ name, arguments: args });
    expect(JSON.stringify(content)).toContain(expected);
  });

  it('receives progress notifications', async () => {
    await using client = await connectOfficial(kind, fixtureServers[transport]);
    const received: number[] = [];
    await client.callTool(
      { name: 'test_tool_with_progress', arguments: {} },
      { onprogress: ({ progress }) => received.push(progress) },
    );
    // A client may drop progress that arrives together with the answer.
    expect(received.length).toBeGreaterThanOrEqual(2);
    expect(received).toEqual([0, 50, 100].slice(0, received.length));
  });

  it('is notified that a list has changed', async () => {
    await using client = await connectOfficial(kind, fixtureServers[transport]);
    const changed = Promise.withResolvers<void>();
    await client.watch('tools', changed.resolve);
    await client.callTool({ name: 'test_trigger_tool_change', arguments: {} });
    await changed.promise;
  });

  it('can cancel a call, and the tool is aborted', async () => {
    await using client = await connectOfficial(kind, fixtureServers[transport]);
    const stopped = Promise.withResolvers<void>();
    await client.watch('prompts', stopped.resolve);
    const controller = new AbortController();
    const call = client.callTool(
      { name: 'test_waiting', arguments: {} },
      { signal: controller.signal, onprogress: () => controller.abort(new Error('enough')) },
    );
    await expect(call).rejects.toThrow('enough');
    await stopped.promise;
    expect((await client.listTools())['tools']).not.toEqual([]);
  });
});

describe.for(transports)('the inspector on the command line over %s', (transport) => {
  const inspector = componentFile('@modelcontextprotocol/inspector/clients/launcher/build/index.js');
  const run = promisify(execFile);
  const inspect = async (...args: readonly string[]) => {
    const target = programs[transport];
    const where =
      'url' in target
        ? [target.url, '--header', `Authorization: ${target.headers?.['authorization']}`]
        : [target.command, ...target.args];
    const { stdout } = await run(process.execPath, [inspector, '--cli', ...where, ...args], {
      env: { PATH: process.env['PATH'], HOME: program.home },
    });
    return JSON.parse(stdout) as JsonObject;
  };

  it('lists tools and calls one', async () => {
    const { tools } = await inspect('--method', 'tools/list');
    expect(names(tools)).toEqual(expect.arrayContaining(['list_prompts', 'expand_prompt']));
    const call = ['--method', 'tools/call', '--tool-name', 'expand_prompt'];
    const result = await inspect(...call, '--tool-arg', 'command=greet', 'input=you');
    expect(result['content']).toEqual([{ type: 'text', text: 'Say hello to you.' }]);
  });

  it('lists prompts and gets one', async () => {
    expect(names((await inspect('--method', 'prompts/list'))['prompts'])).toContain('greet');
    const get = ['--method', 'prompts/get', '--prompt-name', 'greet', '--prompt-args', 'input=you'];
    expect(JSON.stringify(await inspect(...get))).toContain('Say hello to you.');
  });
});
