import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bundle } from '../program.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'adjutant-places-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function adjutant(...args: readonly string[]) {
  return run({}, '', ...args);
}

function run(env: Readonly<Record<string, string>>, input: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bundle, ...args], {
    cwd: home,
    encoding: 'utf8',
    input,
    env: { PATH: process.env['PATH'], HOME: home, EDITOR: 'true', ...env },
  });
  return { status, stdout, stderr };
}

function listed(...args: readonly string[]): Readonly<Record<string, string>> {
  const { prompts } = JSON.parse(adjutant('prompts', 'list', '--json', ...args).stdout) as {
    prompts: { name: string; source: string }[];
  };
  const own = prompts.filter(({ source }) => source !== 'built-in');
  return Object.fromEntries(own.map(({ name, source }) => [name, source]));
}

/** Names that the contract lists on stdio. */
function listedBy(contract: string): readonly string[] {
  const request = '{"jsonrpc":"2.0","id":1,"method":"prompts/list"}\n';
  const { stdout } = run({}, request, 'serve', '--contract', contract);
  const { result } = JSON.parse(stdout) as { result: { prompts: { name: string }[] } };
  return result.prompts.map(({ name }) => name);
}

const data = (...path: readonly string[]) => join(home, '.local', 'share', ...path);
const folders = () => (existsSync(data()) ? readdirSync(data()).sort() : []);
const line = (name: string, text = 'old') =>
  `${JSON.stringify({ name, title: name, messages: [{ role: 'user', content: { type: 'text', text } }] })}\n`;

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function plantOriginals(): void {
  write(data('hexai', 'prompts', 'user.jsonl'), line('letter'));
  write(data('twig', 'prompts', 'lib', 'twig.toml'), '[prompts.greet]\ndescription = "d"\n');
  write(data('twig', 'prompts', 'lib', 'prompts', 'greet.md'), 'Hello');
}

describe('a new user', () => {
  it('finds everything in the folders of Adjutant', () => {
    expect(adjutant('prompts', 'create', 'mine', '--text', 'x').status).toBe(0);
    expect(adjutant('demo').status).toBe(0);
    expect(listed()).toMatchObject({ mine: 'user' });
    expect(folders()).toEqual(['adjutant']);
    expect(existsSync(data('adjutant', 'prompts', 'user.jsonl'))).toBe(true);
    expect(existsSync(join(home, '.codex'))).toBe(false);
  });

  it('gets the documented folders of a drop-in contract', () => {
    const create =
      '{"jsonrpc":"2.0","id":1,"method":"prompts/create","params":{"name":"x","title":"x","messages":[{"role":"user","content":{"type":"text","text":"x"}}]}}\n';
    run({}, create, 'serve', '--contract', 'jsonl');
    expect(readFileSync(data('hexai', 'prompts', 'user.jsonl'), 'utf8')).toContain('"x"');
    expect(folders()).toEqual(['hexai']);
  });
});

describe('a user of hexai and twig', () => {
  beforeEach(plantOriginals);

  it('sees their prompts under the names of these programs', () => {
    expect(listed()).toEqual({ letter: 'hexai', 'lib:greet': 'twig' });
    expect(listed('--source', 'hexai')).toEqual({ letter: 'hexai' });
    expect(adjutant('prompts', 'render', 'letter').stdout).toBe('old\n');
    expect(adjutant('prompts', 'lint').stderr).toContain('0 errors, 0 warnings');
  });

  it('edits them in place, with a history, and creates new ones in the folder of Adjutant', () => {
    const file = data('hexai', 'prompts', 'user.jsonl');
    write(join(home, 'edit.sh'), '#!/bin/sh\nsed -i s/old/new/ "$1"\n');
    expect(run({ EDITOR: `sh ${join(home, 'edit.sh')}` }, '', 'prompts', 'edit', 'letter').status).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain('"new"');
    expect(adjutant('prompts', 'history', 'letter').stdout).toContain('update');
    expect(adjutant('prompts', 'delete', 'letter').status).toBe(0);
    expect(listed()).toEqual({ 'lib:greet': 'twig' });
    expect(adjutant('prompts', 'restore', 'letter@1').status).toBe(0);
    expect(listed()).toEqual({ letter: 'hexai', 'lib:greet': 'twig' });
    expect(readFileSync(file, 'utf8')).toContain('"old"');
    expect(adjutant('prompts', 'create', 'letter', '--text', 'x').stderr).toContain('already exists');
    expect(existsSync(data('adjutant', 'prompts', 'user.jsonl'))).toBe(false);
    adjutant('prompts', 'create', 'mine', '--text', 'x');
    expect(listed()).toEqual({ letter: 'hexai', mine: 'user', 'lib:greet': 'twig' });
  });

  it('gets the same prompts from the drop-in contracts, and also where a variable or a file names the folder', () => {
    expect(listedBy('jsonl')).toContain('letter');
    expect(listedBy('twig')).toEqual(['lib:greet']);
    write(join(home, 'elsewhere', 'user.jsonl'), line('moved'));
    const variable = run({ HEXAI_MCP_PROMPTS_DIR: join(home, 'elsewhere') }, '', 'prompts', 'list').stdout;
    expect(variable).toContain('moved');
    write(
      join(home, '.config', 'hexai', 'config.toml'),
      `[mcp]\nprompts_dir = "${join(home, 'elsewhere')}"\n`,
    );
    expect(listed()).toEqual({ moved: 'hexai', 'lib:greet': 'twig' });
  });

  it('gets them at /mcp/jsonl and /mcp/twig too', async () => {
    write(data('adjutant', 'prompts', 'user.jsonl'), line('mine'));
    const server = spawn(process.execPath, [bundle, 'serve', '--http', '--port', '0'], {
      env: { PATH: process.env['PATH'], HOME: home },
    });
    try {
      let log = '';
      for await (const chunk of server.stderr) {
        log += chunk;
        if (/MCP: /.test(log)) break;
      }
      const token = readFileSync(join(home, '.local', 'state', 'adjutant', 'token'), 'utf8').trim();
      const names = async (path: string) => {
        const response = await fetch(new URL(path, /Page: (\S+)/.exec(log)![1]), {
          method: 'POST',
          headers: { authorization: `Bearer ${token}` },
          body: '{"jsonrpc":"2.0","id":1,"method":"prompts/list"}',
        });
        const { result } = (await response.json()) as { result: { prompts: { name: string }[] } };
        return result.prompts.map(({ name }) => name);
      };
      expect(await names('/mcp')).toEqual(expect.arrayContaining(['letter', 'mine', 'lib:greet']));
      expect(await names('/mcp/jsonl')).toContain('letter');
      expect(await names('/mcp/jsonl')).not.toContain('mine');
      expect(await names('/mcp/twig')).toEqual(['lib:greet']);
    } finally {
      server.kill();
      await once(server, 'exit');
    }
  });

  it('can turn them off', () => {
    expect(listed('--originals-read', 'twig')).toEqual({ 'lib:greet': 'twig' });
  });

  it('moves them with one command that copies and says what it did', () => {
    const dryRun = adjutant('prompts', 'move', 'hexai', '--dry-run').stdout;
    expect(dryRun).toContain('Would copy 1 prompt from');
    expect(existsSync(data('adjutant', 'prompts', 'user.jsonl'))).toBe(false);
    adjutant('prompts', 'create', 'mine', '--text', 'x');
    const { status, stdout } = adjutant('prompts', 'move', 'hexai');
    expect([status, stdout]).toEqual([
      0,
      `Copied 1 prompt from ${data('hexai', 'prompts')} to ${data('adjutant', 'prompts')}: letter.\n` +
        'The files of hexai are unchanged. To stop reading them, set originals.read = ["twig","delegator"] in adjutant.toml.\n',
    ]);
    expect(JSON.parse(adjutant('prompts', 'move', 'twig', '--json').stdout)).toMatchObject({
      copied: ['lib'],
    });
    expect(listed()).toEqual({ letter: 'user', mine: 'user', 'lib:greet': 'libraries' });
    expect(adjutant('prompts', 'lint').stderr).toContain('0 errors, 0 warnings');
    expect(readFileSync(data('hexai', 'prompts', 'user.jsonl'), 'utf8')).toBe(line('letter'));
    expect(adjutant('prompts', 'move', 'hexai').stdout).toContain(
      'Not copied, because the name exists there: letter',
    );
  });
});

describe('a user with prompts in both folders', () => {
  beforeEach(plantOriginals);

  it('sees all of them; of two with one name, the one of Adjutant, and both are kept', () => {
    write(data('adjutant', 'prompts', 'user.jsonl'), line('letter', 'mine') + line('other', 'mine'));
    expect(listed()).toEqual({ letter: 'user', other: 'user', 'lib:greet': 'twig' });
    expect(adjutant('prompts', 'render', 'letter').stdout).toBe('mine\n');
    expect(adjutant('prompts', 'lint').stdout).toContain(
      'the prompt letter is hidden by the prompt of the same name',
    );
    adjutant('prompts', 'move', 'hexai');
    expect(adjutant('prompts', 'render', 'letter').stdout).toBe('mine\n');
    expect(adjutant('prompts', 'delete', 'letter').status).toBe(0);
    expect(adjutant('prompts', 'render', 'letter').stdout).toBe('old\n');
  });
});

it('runs of the replaced program are listed beside the own ones', () => {
  const id = '2026-01-01_100000000_0123456789ab';
  const folder = join(home, '.codex', 'delegator', 'runs', id);
  const request = {
    tool: 'delegate_run',
    received_at: '2026-01-01T10:00:00Z',
    request: { task: 'Old task', cwd: home },
  };
  write(join(folder, 'request.json'), JSON.stringify(request));
  expect(adjutant('demo').status).toBe(0);
  const { runs } = JSON.parse(adjutant('runs', 'list', '--json').stdout) as { runs: { run_id: string }[] };
  expect(runs.length).toBeGreaterThan(1);
  expect(runs.map(({ run_id }) => run_id)).toContain(id);
  expect(adjutant('runs', 'show', id).stdout).toContain(folder);
  expect(readdirSync(join(home, '.local', 'state', 'adjutant', 'runs')).length).toBeGreaterThan(0);
});
