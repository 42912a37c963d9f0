import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import { ChatHost, type Shown } from '../apps/chat-host.ts';
import { componentFile } from '../components.ts';
import { startResponsesModel } from '../model/responses-model.ts';
import { script } from '../model/turn.ts';
import { bundle, initialize } from '../program.ts';
import { StdioPeer } from '../stdio-peer.ts';

const apps = 'io.modelcontextprotocol/ui';
const declared = { extensions: { [apps]: { mimeTypes: ['text/html;profile=mcp-app'] } } };

let home: string;
let host: ChatHost;
beforeAll(async () => {
  host = await ChatHost.open();
});
afterAll(() => host[Symbol.asyncDispose]());
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'adjutant-apps-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function open(env: Readonly<Record<string, string>> = {}): StdioPeer {
  return new StdioPeer([bundle, 'serve', '--home', home, '--toolsets', 'all'], {
    env: { ...process.env, HOME: home, ...env },
  });
}

function addCommand(name: string, text: string): void {
  mkdirSync(join(home, 'commands'), { recursive: true });
  writeFileSync(join(home, 'commands', `${name}.md`), text);
}

async function show(server: StdioPeer, shown: Shown) {
  const page = await host.show(server, shown);
  return { page, view: page.frameLocator('iframe').frameLocator('iframe') };
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
    await using server = open();
    const params = initialize()['params'] as JsonObject;
    await server.request('initialize', { ...params, capabilities });
    const { tools } = (await server.request('tools/list'))['result'] as { tools: JsonObject[] };
    const views = tools.flatMap(({ _meta }) => (_meta as JsonObject | undefined)?.['ui'] ?? []);
    expect(views).toHaveLength(expected ? 9 : 0);
    const { resources } = (await server.request('resources/list'))['result'] as {
      resources: { uri: string }[];
    };
    const uris = resources.map(({ uri }) => uri).filter((uri) => uri.startsWith('ui:'));
    expect(uris).toEqual(
      expected ? ['ui://adjutant/run', 'ui://adjutant/prompts', 'ui://adjutant/calendar'] : [],
    );
  });

  it.each(['run', 'prompts', 'calendar'])('loads the view %s as one small file', (view) => {
    const html = readFileSync(join(dirname(bundle), 'page', `${view}-app.html`), 'utf8');
    expect(html.length).toBeLessThan(150_000);
    expect(html).not.toMatch(/(src|href)="http/);
  });
});

describe('in the chat', () => {
  it('a prompt is found, filled in and sent as a message, and a new prompt appears', async () => {
    addCommand('tides', '---\ndescription: Explain the tides.\n---\nExplain the tides in {{input}}.');
    await using server = open();
    const { page, view } = await show(server, {
      tool: 'search_prompts',
      args: { query: 'tides' },
      theme: 'dark',
    });
    await view.getByRole('button', { name: /^tides/ }).waitFor();
    addCommand('tides-table', '---\ndescription: List the tides.\n---\nMake a table of the tides.');
    await view.getByRole('button', { name: /^tides-table/ }).click();
    await view.getByRole('button', { name: 'Back to the list' }).click();
    await view.getByRole('button', { name: /^tides Explain/ }).click();
    await view.getByLabel('input').fill('Hamburg');
    await view.getByText('Explain the tides in Hamburg.').waitFor();
    await view.getByRole('button', { name: 'Send to the chat' }).click();
    await view.getByText('Sent to the chat.').waitFor();
    expect(await page.evaluate('chat')).toEqual(['Explain the tides in Hamburg.']);
    expect(await page.evaluate<number[]>('heights')).not.toEqual([]);
    await page.evaluate('closeView()');
  });

  it('a run is watched and cancelled while its call is in progress', async () => {
    const model = await startResponsesModel();
    mkdirSync(join(home, '.codex'));
    writeFileSync(join(home, '.codex/config.toml'), model.config);
    await using server = open({ PATH: [componentFile('.bin'), process.env['PATH']].join(delimiter) });
    const task = `Wait ${script({ shell: 'echo waiting' }, { hang: true })}`;
    const args = { task, cwd: home, skip_git_repo_check: true };
    const { view } = await show(server, { tool: 'delegate_run', args, waitsForResult: false });
    await view.getByText('running', { exact: true }).waitFor();
    await view
      .getByText(/echo waiting/)
      .first()
      .waitFor();
    await view.getByRole('button', { name: 'Cancel run' }).click();
    await view.getByText('cancelled', { exact: true }).waitFor();
    await model.close();
  });

  it('a calendar shows the events of the person, and one that is added later', async () => {
    await using server = open();
    await server.request('initialize', initialize()['params'] as JsonObject);
    const call = (name: string, args: object) => server.request('tools/call', { name, arguments: args });
    await call('create_user', { id: 'ada', name: 'Ada', timezone: 'UTC' });
    const start_ts = new Date(Date.now() + 3_600_000).toISOString();
    await call('create_event', { user_id: 'ada', title: 'Board meeting', start_ts });
    const { view } = await show(server, { tool: 'list_events', args: { user_id: 'ada' } });
    await view.getByText('Board meeting').first().waitFor();
    await call('create_event', { user_id: 'ada', title: 'Dentist', start_ts });
    await view.getByText('Dentist').first().waitFor();
  });
});
