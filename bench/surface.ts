// Measures the tool lists that models have to read: ours by toolset, and those of other servers from npm.
import type { JsonObject } from '../src/json.ts';
import { toolsets } from '../src/tool.ts';
import { componentFile, importComponent } from '../test/components.ts';
import { initialize, Program } from '../test/program.ts';
import { StdioPeer } from '../test/stdio-peer.ts';
import { table } from './parts/figures.ts';

interface ListedTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
}

interface Size {
  readonly tools: number;
  /** Characters of name, description and input schema. */
  readonly input: number;
  /** The same with the output schemas. */
  readonly total: number;
}

async function listTools(peer: StdioPeer): Promise<readonly ListedTool[]> {
  await peer.request('initialize', initialize('2025-06-18')['params'] as object);
  peer.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const { result } = await peer.request('tools/list', {});
  return (result as JsonObject)['tools'] as unknown as readonly ListedTool[];
}

function sizeOf(tools: readonly ListedTool[]): Size {
  const sum = (length: (tool: ListedTool) => number) =>
    tools.reduce((total, tool) => total + length(tool), 0);
  const input = sum(
    ({ name, description = '', inputSchema }) => (name + description + JSON.stringify(inputSchema)).length,
  );
  const output = sum(({ outputSchema }) => (outputSchema ? JSON.stringify(outputSchema).length : 0));
  return { tools: tools.length, input, total: input + output };
}

/**
 * The tokens that our default list and instructions take from the context of a model, while a user exists: names, descriptions and
 * input schemas, by tool.
 */
export async function ownTokens(): Promise<ReadonlyMap<string, number>> {
  const { Tiktoken } = await importComponent('js-tiktoken/lite');
  const { default: ranks } = await importComponent('js-tiktoken/ranks/o200k_base');
  const encoder = new (Tiktoken as unknown as new (ranks: object) => { encode(text: string): number[] })(
    ranks!,
  );
  const count = (text: string) => encoder.encode(text).length;
  await using program = new Program(['serve']);
  const { result } = await program.request('initialize', initialize()['params'] as JsonObject);
  const person = { name: 'Ada', email: 'ada@example.org' };
  await program.request('tools/call', {
    name: 'call_tool',
    arguments: { name: 'create_user', arguments: person },
  });
  const tools = await listTools(program);
  return new Map([
    ['instructions', count(String((result as JsonObject)['instructions']))],
    ...tools.map(
      ({ name, description, inputSchema }) =>
        [name, count(JSON.stringify({ name, description, inputSchema }))] as const,
    ),
  ]);
}

/** Our list for these flags. `withUser` first adds a user, so that the calendar is in use. */
export async function ownSize(flags: readonly string[], withUser = false): Promise<Size> {
  await using program = new Program(['serve', ...flags]);
  if (withUser) {
    program.send(initialize());
    const person = { name: 'Ada', email: 'ada@example.org' };
    await program.request('tools/call', { name: 'create_user', arguments: person });
  }
  return sizeOf(await listTools(program));
}

async function otherSize(file: string, ...flags: string[]): Promise<Size> {
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], SENTRY_DSN: '' };
  await using peer = new StdioPeer([componentFile(file), ...flags], { env });
  return sizeOf(await listTools(peer));
}

if (import.meta.main) {
  const rows: Record<string, Size> = {
    'adjutant (default, calendar in use)': await ownSize([], true),
    'adjutant (default)': await ownSize([]),
    'adjutant (all)': await ownSize(['--toolsets', 'all']),
    'adjutant (all, read-only)': await ownSize(['--toolsets', 'all', '--read-only']),
  };
  for (const name of toolsets) rows[`adjutant (${name})`] = await ownSize(['--toolsets', name]);
  rows['playwright-mcp'] = await otherSize('@playwright/mcp/cli.js');
  rows['server-everything'] = await otherSize('@modelcontextprotocol/server-everything/dist/index.js');
  // Nothing is sent with the token: the server only lists its tools.
  rows['sentry-mcp'] = await otherSize('@sentry/mcp-server/dist/index.js', '--access-token=none');
  table(
    ['server', 'tools', 'characters', 'with output schemas'],
    Object.entries(rows).map(([name, { tools, input, total }]) => [name, `${tools}`, `${input}`, `${total}`]),
  );
}
