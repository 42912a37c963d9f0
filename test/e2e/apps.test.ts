import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import { bundle, initialize } from '../program.ts';
import { StdioPeer } from '../stdio-peer.ts';

const apps = 'io.modelcontextprotocol/ui';
const declared = { extensions: { [apps]: { mimeTypes: ['text/html;profile=mcp-app'] } } };

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'adjutant-apps-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function open(...flags: readonly string[]): StdioPeer {
  return new StdioPeer([bundle, 'serve', '--home', home, ...flags], {
    env: { ...process.env, HOME: home },
  });
}

describe('a client', () => {
  it.each([
    ['that declares MCP Apps gets views', declared, true],
    ['without MCP Apps gets none', {}, false],
    [
      'that shows other formats only gets none',
      { extensions: { [apps]: { mimeTypes: ['text/plain'] } } },
      false,
    ],
  ])('%s', async (_, capabilities, expected) => {
    await using server = open('--toolsets', 'all');
    const params = initialize()['params'] as JsonObject;
    await server.request('initialize', { ...params, capabilities });
    const { tools } = (await server.request('tools/list'))['result'] as { tools: JsonObject[] };
    const views = tools.flatMap(({ _meta }) => (_meta as JsonObject | undefined)?.['ui'] ?? []);
    expect(views).toHaveLength(expected ? 11 : 0);
    const { resources } = (await server.request('resources/list'))['result'] as {
      resources: { uri: string }[];
    };
    const uris = resources.map(({ uri }) => uri).filter((uri) => uri.startsWith('ui:'));
    expect(uris).toEqual(
      expected ? ['ui://adjutant/run', 'ui://adjutant/prompts', 'ui://adjutant/calendar'] : [],
    );
  });

  it('lists every tool of the views, hidden from the model unless it is listed for all clients', async () => {
    const list = async (capabilities: object, ...flags: readonly string[]) => {
      await using server = open(...flags);
      const params = initialize()['params'] as JsonObject;
      await server.request('initialize', { ...params, capabilities });
      const { result } = await server.request('tools/list');
      return (result as { tools: { name: string; _meta?: { ui?: { visibility?: string[] } } }[] }).tools;
    };
    const known = (await list({}, '--toolsets', 'all')).map(({ name }) => name);
    const used = ['run', 'prompts', 'calendar'].flatMap((view) => {
      const html = readFileSync(join(dirname(bundle), 'page', `${view}-app.html`), 'utf8');
      return known.filter((name) => html.includes(`"${name}"`));
    });
    const listed = await list(declared);
    expect(used.filter((name) => !listed.some((tool) => tool.name === name))).toEqual([]);
    const isHidden = ({ _meta }: (typeof listed)[number]) => _meta?.ui?.visibility?.join() === 'app';
    const plain = (await list({})).map(({ name }) => name);
    expect(listed.filter((tool) => !isHidden(tool)).map(({ name }) => name)).toEqual(plain);
    expect(JSON.stringify(listed.filter(isHidden)).length).toBeLessThan(5_000);
  });

  it('lists find_time with its view as soon as there is a person, in a list that stays short', async () => {
    await using server = open();
    const params = initialize()['params'] as JsonObject;
    await server.request('initialize', { ...params, capabilities: declared });
    const create = { name: 'create_user', arguments: { name: 'Ada', email: 'ada@example.com' } };
    await server.request('tools/call', { name: 'call_tool', arguments: create });
    const { result } = await server.request('tools/list');
    const { tools } = result as { tools: (JsonObject & { _meta?: { ui?: JsonObject } })[] };
    const seen = tools.filter(({ _meta }) => _meta?.ui?.['visibility'] === undefined);
    expect(seen.find(({ name }) => name === 'find_time')).toMatchObject({
      _meta: { ui: { resourceUri: 'ui://adjutant/calendar' } },
    });
    const sizes = seen.map(
      ({ name, description, inputSchema }) => `${name}${description}${JSON.stringify(inputSchema)}`.length,
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(12_000);
  });

  it.each(['run', 'prompts', 'calendar'])('loads the view %s as one small file', (view) => {
    const html = readFileSync(join(dirname(bundle), 'page', `${view}-app.html`), 'utf8');
    expect(html.length).toBeLessThan(150_000);
    expect(html).not.toMatch(/(src|href)="http/);
  });
});
