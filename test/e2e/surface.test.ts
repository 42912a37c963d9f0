import { describe, expect, it } from 'vitest';
import { contractNames } from '../../src/contracts/contract.ts';
import { contracts } from '../../src/contracts/contracts.ts';
import { Server } from '../../src/engine/server.ts';
import type { Feature } from '../../src/feature.ts';
import { isObject, type JsonObject } from '../../src/json.ts';
import { defineBareTool } from '../../src/tool.ts';
import { connectMemory } from '../../src/transports/memory.ts';
import { initialize, Program } from '../program.ts';

type Schema = Readonly<Record<string, unknown>>;
interface ListedTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly _meta?: JsonObject;
  readonly inputSchema: Schema;
  readonly outputSchema?: Schema;
}

async function listedTools(flags: readonly string[] = ['--toolsets', 'all']): Promise<readonly ListedTool[]> {
  await using program = new Program(['serve', ...flags]);
  program.send(initialize());
  const { result } = await program.request('tools/list');
  return (result as JsonObject)['tools'] as unknown as readonly ListedTool[];
}

/** Yields every schema inside a schema, with its path. */
function* schemasIn(schema: unknown, path: string): Generator<readonly [string, Schema]> {
  if (!isObject(schema)) throw new Error(`${path} is not a schema`);
  yield [path, schema];
  for (const [name, property] of Object.entries(schema['properties'] ?? {}))
    yield* schemasIn(property, `${path}.${name}`);
  for (const keyword of ['items', 'additionalProperties', 'not', 'if', 'then', 'else'])
    if (isObject(schema[keyword])) yield* schemasIn(schema[keyword], `${path}.${keyword}`);
  for (const keyword of ['anyOf', 'oneOf', 'allOf', 'prefixItems'])
    for (const [at, one] of ((schema[keyword] ?? []) as unknown[]).entries())
      yield* schemasIn(one, `${path}.${keyword}[${at}]`);
}

describe('the schemas of the standard tools', () => {
  it('are objects without combinators at the top level', async () => {
    const tools = await listedTools();
    expect(tools.length).toBeGreaterThan(40);
    const wrong = tools.flatMap(({ name, inputSchema, outputSchema = { type: 'object' } }) =>
      [inputSchema, outputSchema].flatMap((schema) => [
        ...(schema['type'] === 'object' ? [] : [`${name}: type ${schema['type']}`]),
        ...['oneOf', 'anyOf', 'allOf', 'not', 'enum', '$ref']
          .filter((keyword) => keyword in schema)
          .map((keyword) => `${name}: ${keyword}`),
      ]),
    );
    expect(wrong).toEqual([]);
  });

  /** Keywords that some model API rejects in the parameters of a tool. */
  const rejectedKeywords = [
    '$schema $ref $defs oneOf allOf not if const additionalProperties patternProperties',
    'exclusiveMinimum exclusiveMaximum multipleOf uniqueItems prefixItems format',
  ].flatMap((line) => line.split(' '));

  it('use only keywords that every model API accepts', async () => {
    const wrong = (await listedTools()).flatMap(({ name, inputSchema }) =>
      [...schemasIn(inputSchema, name)].flatMap(([path, schema]) => [
        ...rejectedKeywords.filter((keyword) => keyword in schema).map((keyword) => `${path}: ${keyword}`),
        ...(typeof schema['type'] === 'string' || 'anyOf' in schema ? [] : [`${path}: no single type`]),
        ...(schema['type'] === 'array' && !('items' in schema) ? [`${path}: no items`] : []),
        ...('enum' in schema && schema['type'] !== 'string' ? [`${path}: an enum of other values`] : []),
        ...Object.keys(schema['properties'] ?? {})
          .filter((key) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(key))
          .map((key) => `${path}: the name ${key}`),
      ]),
    );
    expect(wrong).toEqual([]);
  });

  it('describe every argument', async () => {
    const wrong = (await listedTools()).flatMap(({ name, inputSchema }) =>
      Object.entries(inputSchema['properties'] as Record<string, Schema>)
        .filter(([, { description }]) => typeof description !== 'string' || description === '')
        .map(([argument]) => `${name}.${argument}`),
    );
    expect(wrong).toEqual([]);
  });

  it('are complemented by checks in the server', async () => {
    await using program = new Program(['serve']);
    program.send(initialize());
    const errorOf = async (name: string, args: JsonObject) => {
      const { result } = await program.request('tools/call', { name, arguments: args });
      const { isError, content } = result as unknown as { isError?: boolean; content: { text: string }[] };
      return isError === true ? content[0]!.text : undefined;
    };
    const choice =
      'A calendar is imported either from a source or from content. Give exactly one of the two.';
    expect(await errorOf('import_calendar', { user_id: 'ann' })).toBe(
      'User not found: nobody is called "ann". list_users shows who is known.',
    );
    expect(await errorOf('create_user', { name: 'Ann', timezone: 'UTC' })).toBeUndefined();
    expect(await errorOf('import_calendar', { user_id: 'ann' })).toBe(choice);
    expect(await errorOf('import_calendar', { user_id: 'ann', source: '/a.ics', content: 'x' })).toBe(choice);
    expect(await errorOf('create_user', { name: 'Ann', timezone: 'UTC', nickname: 'A' })).toContain(
      'nickname is not a known field',
    );
    const invalid = await errorOf('update_user', { user_id: 'Ann', reminders: { flight: '2h' } });
    expect(invalid).toBe('Invalid update_user arguments: reminders.flight must be array');
    expect(await errorOf('expand_prompt', { command: 'greet', arguments: { who: 1 } })).toContain(
      'arguments.who must be string',
    );
  });
});

describe('the results of the standard tools', () => {
  it('report the state of the server in less than a page, unless everything is requested', async () => {
    await using program = new Program(['serve']);
    program.send(initialize());
    const settingsOf = async (args: JsonObject) => {
      const { result } = await program.request('tools/call', { name: 'server_status', arguments: args });
      const { structuredContent } = result as unknown as { structuredContent: { settings: unknown[] } };
      return [JSON.stringify(structuredContent).length, structuredContent.settings.length] as const;
    };
    const [length, changed] = await settingsOf({});
    expect(length).toBeLessThan(10_000);
    expect(changed).toBeGreaterThan(0);
    expect((await settingsOf({ full: true }))[1]).toBeGreaterThan(changed);
  });
});

describe('the texts of the standard tools', () => {
  it('are short enough to be sent with every request', async () => {
    const sizes = (await listedTools()).map(
      ({ name, description, inputSchema }) =>
        name.length + description.length + JSON.stringify(inputSchema).length,
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(52_000);
  });

  it('are sentences with a title and a name in snake_case', async () => {
    const wrong = (await listedTools()).filter(
      ({ name, title = '', description }) =>
        !/^[a-z]+(_[a-z]+)*$/.test(name) ||
        title === '' ||
        !/^[A-Z][a-z]+s .{20,}\.$/.test(description) ||
        description.length > 300,
    );
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  it('do not promise a model for planning', async () => {
    const planning = (await listedTools()).find(({ name }) => name === 'plan_notifications')!;
    expect(planning.description).not.toMatch(/LLM|model/i);
  });

  it('tell clients with a tool search what to load at the start', async () => {
    const always = (await listedTools()).filter(({ _meta }) => _meta?.['anthropic/alwaysLoad'] === true);
    expect(always.map(({ name }) => name)).toEqual(expect.arrayContaining(['expand_prompt', 'delegate_run']));
    expect(always.length).toBeLessThanOrEqual(3);
  });
});

const modern = {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  },
};

describe('the icon of the server', () => {
  const infoIn = async (revision: string, ...flags: readonly string[]) => {
    await using program = new Program(['serve', ...flags]);
    program.send(initialize(revision));
    const { result } = await program.until(({ id }) => id === 0);
    return (result as JsonObject)['serverInfo'] as { readonly icons?: readonly { readonly src: string }[] };
  };

  it('is a small picture in the revision that has icons', async () => {
    const { icons } = await infoIn('2025-11-25');
    expect(icons).toMatchObject([{ mimeType: 'image/svg+xml', sizes: ['any'] }]);
    expect(icons![0]!.src.length).toBeLessThan(400);
    expect(decodeURIComponent(icons![0]!.src)).toMatch(/^data:image\/svg\+xml,<svg .*<\/svg>$/);
  });

  it('is absent in older revisions and in drop-in contracts', async () => {
    expect(await infoIn('2025-06-18')).not.toHaveProperty('icons');
    expect(await infoIn('2025-11-25', '--contract', 'delegate')).not.toHaveProperty('icons');
  });
});

describe('the instructions for models', () => {
  it.each(['2024-11-05', '2025-06-18', '2025-11-25'])(
    'are part of the initialize result in %s',
    async (revision) => {
      await using program = new Program(['serve']);
      program.send(initialize(revision));
      const { result } = await program.until(({ id }) => id === 0);
      const { instructions } = result as { readonly instructions?: string };
      expect(instructions).toContain(':research');
      expect(instructions!.length).toBeLessThan(2000);
      // The most important rule must be near the start, because clients may truncate the text.
      expect(instructions!.slice(0, 600)).toMatch(/expand_prompt before anything else/);
    },
  );

  it('are the same in server/discover of 2026-07-28', async () => {
    await using program = new Program(['serve']);
    const { result } = await program.request('server/discover', modern);
    await using older = new Program(['serve']);
    older.send(initialize());
    const before = await older.until(({ id }) => id === 0);
    const { instructions } = before.result as JsonObject;
    expect(result).toMatchObject({ instructions: expect.stringContaining('expand_prompt') });
    expect((result as JsonObject)['instructions']).toBe(instructions);
  });

  it('name only tools that exist', async () => {
    const names = new Set((await listedTools()).map(({ name }) => name));
    const instructions = await instructionsOf([...names]);
    const named = instructions!.match(/\b(?:[a-z]+_[a-z_]+|[a-z]+(?:[A-Z][a-z]+)+)\b/g) ?? [];
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !names.has(name))).toEqual([]);
  });

  it('omit features without tools', async () => {
    const prompts = await instructionsOf(['expand_prompt']);
    expect(prompts).toContain('expand_prompt');
    expect(prompts).not.toMatch(/delegate_run|list_events|calendar|sub-agent/i);
    const delegate = await instructionsOf(['delegate_run']);
    expect(delegate).toContain('delegate_run');
    expect(delegate).not.toMatch(/expand_prompt|calendar/i);
    expect(await instructionsOf(['list_events'])).toMatch(/calendar/i);
    expect(await instructionsOf(['other'])).toBeUndefined();
  });

  it.each(contractNames.filter((name) => name !== 'standard'))('are not part of %s', async (name) => {
    await using program = new Program(['serve', '--contract', name]);
    program.send(initialize());
    const { result } = await program.until(({ id }) => id === 0);
    expect(result).toHaveProperty('protocolVersion');
    expect(result).not.toHaveProperty('instructions');
  });
});

/** The instructions of a server that has only these tools. */
async function instructionsOf(names: readonly string[]): Promise<string | undefined> {
  const tools = names.map((name) =>
    defineBareTool({ name, description: name, inputSchema: { type: 'object' }, call: async () => ({}) }),
  );
  const features: readonly Feature[] = [{ name: 'some', tools }];
  const client = connectMemory(new Server({ contract: contracts.standard, features }));
  const result = await client.request('initialize', { protocolVersion: '2025-11-25' });
  client.close();
  return result['instructions'] as string | undefined;
}
