import { readFileSync } from 'node:fs';
import { Check } from 'typebox/schema';
import { expect, it } from 'vitest';
import { variableName } from '../src/setting.ts';
import { settings } from '../src/settings.ts';

interface Package {
  readonly name: string;
  readonly version: string;
  readonly mcpName: string;
  readonly homepage: string;
  readonly bugs: string;
  readonly repository: { readonly url: string };
  readonly dependencies?: unknown;
}
interface Server {
  readonly name: string;
  readonly version: string;
  readonly repository: { readonly url: string };
  readonly packages: readonly {
    readonly identifier: string;
    readonly version: string;
    readonly packageArguments: readonly { readonly value: string }[];
    readonly environmentVariables: readonly { readonly name: string; readonly description: string }[];
  }[];
}
const about = JSON.parse(readFileSync('package.json', 'utf8')) as Package;
const server = JSON.parse(readFileSync('server.json', 'utf8')) as Server;

const text = { type: 'string', minLength: 1 };
function strict(required: Record<string, unknown>, optional: Record<string, unknown> = {}) {
  return {
    type: 'object',
    properties: { ...required, ...optional },
    required: Object.keys(required),
    additionalProperties: false,
  };
}
/** The fields of the registry's format that we use, without any other. */
const serverSchema = strict({
  $schema: { const: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json' },
  name: { type: 'string', pattern: '^io\\.github\\.[A-Za-z0-9-]+/[a-zA-Z0-9._-]+$', maxLength: 200 },
  title: { ...text, maxLength: 100 },
  description: { ...text, maxLength: 100 },
  version: { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+(-[\\w.]+)?$' },
  repository: strict({
    url: { type: 'string', pattern: '^https://github\\.com/' },
    source: { const: 'github' },
  }),
  packages: {
    type: 'array',
    minItems: 1,
    items: strict({
      registryType: { const: 'npm' },
      identifier: text,
      version: { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+(-[\\w.]+)?$' },
      runtimeHint: { const: 'npx' },
      transport: strict({ type: { const: 'stdio' } }),
      packageArguments: { type: 'array', items: strict({ type: { const: 'positional' }, value: text }) },
      environmentVariables: {
        type: 'array',
        items: strict(
          { name: text, description: text },
          { isSecret: { type: 'boolean' }, format: { enum: ['string', 'number', 'boolean', 'filepath'] } },
        ),
      },
    }),
  },
});

it('server.json has the format of the MCP registry', () => {
  expect(Check(serverSchema, server)).toBe(true);
  expect(Check(serverSchema, { ...server, description: 'x'.repeat(101) })).toBe(false);
  expect(Check(serverSchema, { ...server, unknown: true })).toBe(false);
});

it('server.json names the package and its version', () => {
  expect(server.name).toBe(about.mcpName);
  expect(server.version).toBe(about.version);
  expect(server.packages).toMatchObject([
    { identifier: about.name, version: about.version, packageArguments: [{ value: 'serve' }] },
  ]);
});

it('server.json describes variables as the settings do', () => {
  const described = new Map(
    Object.entries(settings).map(([name, { description }]) => [variableName(name), description as string]),
  );
  for (const { name, description } of server.packages[0]!.environmentVariables)
    expect([name, description]).toEqual([name, described.get(name)]);
});

it('package.json is complete and names the same repository everywhere', () => {
  expect(about).toMatchObject({
    description: expect.any(String),
    keywords: expect.arrayContaining(['mcp', 'mcp-server']),
    author: expect.any(String),
    license: 'MIT',
    engines: { node: '>=24' },
  });
  const repository = server.repository.url;
  expect(about.repository.url).toBe(`git+${repository}.git`);
  expect(about.homepage).toBe(`${repository}#readme`);
  expect(about.bugs).toBe(`${repository}/issues`);
  expect(about.mcpName).toBe(repository.replace('https://github.com/', 'io.github.'));
  expect(about.dependencies).toBeUndefined();
});
