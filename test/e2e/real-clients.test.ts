import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { componentFile } from '../components.ts';
import { startMessagesModel } from '../model/messages-model.ts';
import { startRecordingModel } from '../model/recording-model.ts';
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

  it('qwen lists the server as connected', async () => {
    await install('qwen');
    const { output } = await run('qwen', ['mcp', 'list']);
    expect(output).toMatch(/adjutant.*Connected/);
  });
});

describe('a prompt that adjutant install wrote for a client', () => {
  // Words that clients split, cut off, unquote or expand when they fill in single arguments.
  const typed = `the "big" harbour; it's x=y & 'more' | $1 {a,b}`;
  const body = 'Keep !`echo RAN`, !{echo RAN}, @{f.txt}, @f.txt, {{args}}, $0, $1, $150, $ARGUMENTS.';

  beforeEach(async () => {
    writeFileSync(join(home, 'f.txt'), 'content of the file');
    writeFileSync(
      join(home, '.local', 'share', 'adjutant', 'commands', 'greet.md'),
      `---\ndescription: Greets people.\n---\nSay hello to {{input}}. ${body}\n`,
    );
  });

  const writePrompt = (client: string) =>
    run(process.execPath, [bundle, 'install', client, '--quiet', '--prompt', 'greet']);

  /** All text that the model received, without the escapes of JSON. */
  const received = (requests: readonly unknown[]) => {
    const texts: string[] = [];
    const collect = (value: unknown): void => {
      if (typeof value === 'string') texts.push(value);
      else if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect);
    };
    requests.forEach(collect);
    return texts.join('\n');
  };

  it('receives the typed text whole in claude, and runs and reads nothing', async () => {
    const model = await startMessagesModel();
    await writePrompt('claude');
    await run('claude', ['-p', `/adjutant:greet ${typed}`], {
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: 'none',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    });
    await model.close();
    const text = received(model.requests.map((request) => request.body));
    expect(text).toContain(
      `Say hello to ${typed}. Keep ! \`echo RAN\`, !{echo RAN}, @ {f.txt}, @ f.txt, {{args}}, $0, $1, $150, $ARGUMENTS.`,
    );
    expect(text).not.toContain('content of the file');
    // The model is not told of the command.
    expect(text).not.toContain('Greets people.');
  });

  it('reaches the model of codex with the typed text, and is not offered to it otherwise', async () => {
    const model = await startResponsesModel();
    await writePrompt('codex');
    const config = join(home, '.codex', 'config.toml');
    writeFileSync(config, `${model.config}\n${readFileSync(config, 'utf8')}`);
    const exec = ['exec', '--json', '--skip-git-repo-check', '-s', 'read-only', '-C', home];
    await run('codex', [...exec, 'Hello']);
    expect(received(model.requests.map((request) => request.body))).not.toContain('Greets people.');
    await run('codex', [...exec, `$adjutant-greet ${typed}`]);
    await model.close();
    const text = received(model.requests.map((request) => request.body));
    expect(text).toContain(`$adjutant-greet ${typed}`);
    expect(text).toContain(
      `Say hello to <input>. ${body}\n\nIn this text, <input> stands for the words after`,
    );
  });

  const escaped = body.replace('!{', '! {').replace('@{', '@ {').replace('{{args', '{ {args');

  it('receives the typed text whole in gemini, and runs and reads nothing', async () => {
    const model = await startRecordingModel();
    await writePrompt('gemini');
    const settings = join(home, '.gemini', 'settings.json');
    const auth = { selectedType: 'gemini-api-key' };
    writeFileSync(
      settings,
      JSON.stringify({
        ...JSON.parse(readFileSync(settings, 'utf8')),
        security: { auth, folderTrust: { enabled: false } },
      }),
    );
    writeFileSync(join(home, '.gemini', 'trustedFolders.json'), JSON.stringify({ [home]: 'TRUST_FOLDER' }));
    await run('gemini', ['-m', 'gemini-2.5-flash', '-p', `/adjutant:greet ${typed}`], {
      GEMINI_API_KEY: 'none',
      GOOGLE_GEMINI_BASE_URL: model.url,
    });
    await model.close();
    const text = received(model.requests.map((request) => JSON.parse(request)));
    expect(text).toContain(`Say hello to ${typed}. ${escaped}`);
    expect(text).not.toContain('content of the file');
  });

  it('receives the typed text whole in qwen, and runs and reads nothing', async () => {
    const model = await startRecordingModel();
    await writePrompt('qwen');
    await run('qwen', ['--auth-type', 'openai', '-p', `/adjutant:greet ${typed}`], {
      OPENAI_API_KEY: 'none',
      OPENAI_BASE_URL: `${model.url}/v1`,
      OPENAI_MODEL: 'scripted',
    });
    await model.close();
    const text = received(model.requests.map((request) => JSON.parse(request)));
    expect(text).toContain(`Say hello to ${typed}. ${escaped}`);
    expect(text).not.toContain('content of the file');
    expect(text).not.toContain('Greets people.');
  });
});
