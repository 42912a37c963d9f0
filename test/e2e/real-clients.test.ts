import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { componentFile } from '../components.ts';
import { startMessagesModel } from '../model/messages-model.ts';
import { startResponsesModel } from '../model/responses-model.ts';
import { script } from '../model/turn.ts';
import { bundle } from '../program.ts';

let home: string;
let env: Record<string, string>;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'adjutant-client-'));
  mkdirSync(join(home, '.local', 'share', 'adjutant', 'commands'), { recursive: true });
  writeFileSync(
    join(home, '.local', 'share', 'adjutant', 'commands', 'greet.md'),
    '---\ndescription: Greets.\n---\nSay hello to {{input}}.\n',
  );
  const path = [dirname(process.execPath), componentFile('.bin'), process.env['PATH'] ?? ''].join(delimiter);
  env = { HOME: home, PATH: path, CI: 'true', NO_COLOR: '1' };
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

function run(
  command: string,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args], {
      cwd: home,
      env: { ...env, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}

const install = (client: string) => run(process.execPath, [bundle, 'install', client, '--quiet']);
const expand = {
  tool: 'expand_prompt',
  server: 'adjutant',
  arguments: { command: 'greet', input: 'the harbour' },
};

describe('a client that adjutant install has configured', () => {
  it('codex lists the server and calls expand_prompt', async () => {
    const model = await startResponsesModel();
    await install('codex');
    const config = join(home, '.codex', 'config.toml');
    const listed = await run('codex', ['mcp', 'list', '--json']);
    expect(listed.output).toContain('"adjutant"');
    // In TOML, top-level settings must come before all tables.
    writeFileSync(
      config,
      `${model.config}
${readFileSync(config, 'utf8')}`,
    );
    const task = script(expand, { say: 'Done.' });
    const { output } = await run('codex', [
      'exec',
      '--json',
      '--skip-git-repo-check',
      '-s',
      'read-only',
      '-C',
      home,
      task,
    ]);
    await model.close();
    expect(output).toContain('"server":"adjutant"');
    expect(output).toContain('Say hello to the harbour.');
  });

  it('claude lists the server as connected and calls expand_prompt', async () => {
    const model = await startMessagesModel();
    const more = {
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: 'none',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    };
    await install('claude');
    const listed = await run('claude', ['mcp', 'list'], more);
    expect(listed.output).toMatch(/adjutant:.*Connected/);
    const task = script(expand, { say: 'Done.' });
    await run(
      'claude',
      [
        '-p',
        '--allowedTools',
        'mcp__adjutant__expand_prompt',
        '--output-format',
        'stream-json',
        '--verbose',
        task,
      ],
      more,
    );
    await model.close();
    expect(JSON.stringify(model.requests.map(({ body }) => body))).toContain('Say hello to the harbour.');
  });

  it('gemini lists the server as connected', async () => {
    await install('gemini');
    const settings = join(home, '.gemini', 'settings.json');
    const ours = JSON.parse(readFileSync(settings, 'utf8'));
    writeFileSync(
      settings,
      JSON.stringify({
        ...ours,
        security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
      }),
    );
    writeFileSync(join(home, '.gemini', 'trustedFolders.json'), JSON.stringify({ [home]: 'TRUST_FOLDER' }));
    const { output } = await run('gemini', ['mcp', 'list'], { GEMINI_API_KEY: 'none' });
    expect(output).toMatch(/adjutant.*Connected/);
  });
});
