import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig, settingsInForce } from './config.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'adjutant-config-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function load(argv: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  return loadConfig({ argv, env: { HOME: folder, ...env }, cwd: folder });
}

function write(name: string, content: string): string {
  const file = join(folder, name);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, content);
  return file;
}

describe('where a value comes from', () => {
  it('is the default, then the file, then the environment, then the flag', async () => {
    expect((await load()).config['http.port']).toBe(7323);
    const file = write('a.toml', '[http]\nport = 1001\n');
    expect((await load(['--config', file])).config['http.port']).toBe(1001);
    expect((await load(['--config', file], { ADJUTANT_HTTP_PORT: '1002' })).config['http.port']).toBe(1002);
    const { config, origins } = await load(['--config', file, '--port', '1003'], {
      ADJUTANT_HTTP_PORT: '1002',
    });
    expect(config['http.port']).toBe(1003);
    expect(origins['http.port']).toBe('flag --port');
    expect(origins['http.host']).toBe('default');
  });

  it('is the usual file where none is named', async () => {
    write('.config/adjutant/adjutant.toml', 'log_level = "debug"\n');
    const { config, origins } = await load([], {
      XDG_CONFIG_HOME: join(folder, '.config'),
      XDG_DATA_HOME: folder,
    });
    expect(config.log_level).toBe('debug');
    expect(origins['log_level']).toContain('adjutant.toml');
  });

  it('is the file of the home where there is one', async () => {
    write('home/adjutant.toml', 'log_level = "error"\n');
    expect((await load(['--home', 'home'])).config.log_level).toBe('error');
    expect((await load([], { ADJUTANT_HOME: 'home' })).config.log_level).toBe('error');
  });
});

describe('folders', () => {
  it('lie under the home when there is one', async () => {
    const { config } = await load(['--home', 'all']);
    expect(config['commands.dir']).toBe(join(folder, 'all', 'commands'));
    expect(config['http.state_dir']).toBe(join(folder, 'all'));
  });

  it('are relative to where they were written', async () => {
    const file = write('sub/a.toml', '[commands]\ndir = "mine"\n');
    expect((await load(['--config', file])).config['commands.dir']).toBe(join(folder, 'sub', 'mine'));
    expect((await load(['--commands-dir', 'mine'])).config['commands.dir']).toBe(join(folder, 'mine'));
  });

  it('take the flags of the server that a contract stands in for, under that contract only', async () => {
    const { config } = await load(['--contract', 'commands', '--prompts-dir', 'p']);
    expect(config['commands.dir']).toBe(join(folder, 'p'));
    await expect(load(['--prompts-dir', 'p'])).rejects.toThrow(
      /--prompts-dir belongs to --contract .*commands.*--commands-dir/,
    );
  });
});

describe('what is wrong is named with its source and the nearest right thing', () => {
  it.each([
    [['--prot', '1'], {}, 'unknown flag --prot; did you mean --port?'],
    [
      [],
      { ADJUTANT_HTTP_PROT: '1' },
      'unknown variable ADJUTANT_HTTP_PROT; did you mean ADJUTANT_HTTP_PORT?',
    ],
    [['--port', 'many'], {}, 'flag --port: http.port must be a whole number, not "many"'],
    [['--port', '70000'], {}, 'flag --port: http.port must be at most 65535, not "70000"'],
    [['--contract', 'comands'], {}, /contract must be one of .*; did you mean commands\?/],
    [
      [],
      { ADJUTANT_MAX_MESSAGE_BYTES: '1' },
      /variable ADJUTANT_MAX_MESSAGE_BYTES: max_message_bytes must be at least 1024/,
    ],
  ] as const)('%j %j', async (argv, env, message) => {
    await expect(load(argv, env)).rejects.toThrow(message);
  });

  it('in a file', async () => {
    const typo = write('typo.toml', '[http]\nprot = 1\n');
    await expect(load(['--config', typo])).rejects.toThrow(
      `${typo}: unknown key "http.prot"; did you mean http.port?`,
    );
    const broken = write('broken.toml', 'a = \n');
    await expect(load(['--config', broken])).rejects.toThrow(/broken\.toml: .*line 1|broken\.toml: /s);
    const twice = write('twice.toml', 'log_level = "info"\nlog_level = "debug"\n');
    await expect(load(['--config', twice])).rejects.toThrow(/twice\.toml/);
    const inner = write('inner.toml', 'home = "x"\n');
    await expect(load(['--config', inner])).rejects.toThrow(/"home" cannot be set in a file/);
    await expect(load(['--config', 'missing.toml'])).rejects.toThrow(/missing\.toml/);
  });
});

describe('an address', () => {
  it.each([
    ['mail.example.com'],
    ['http://me:hunter2@mail.example.com'],
    ['smtp://'],
    ['smtp://me:hun/ter2@mail.example.com'],
    ['smtp:me:hunter2@mail.example.com'],
  ])('is refused when nobody could connect to it, and its password is not shown: %s', async (url) => {
    const refused = await load([], { ADJUTANT_DELIVERY_SMTP_URL: url }).catch(
      (error: Error) => error.message,
    );
    expect(refused).toMatch(
      /^variable ADJUTANT_DELIVERY_SMTP_URL: delivery\.smtp_url must be an address with smtp:\/\/ or smtps:\/\/ /,
    );
    expect(refused).not.toMatch(/hun|ter2/);
  });

  it('is taken as it is written, and is none when it is empty', async () => {
    const url = 'smtps://me%40example.com:p%2Fw@mail.example.com?tls.rejectUnauthorized=false';
    const file = write('mail.toml', '[delivery]\nsmtp_url = ""\ncall_url = ""\nwebhook_secret = "x"\n');
    const { config } = await load(['--config', file, '--delivery-ntfy-url', 'https://ntfy.sh']);
    expect(config['delivery.smtp_url']).toBeUndefined();
    expect(config['delivery.call_url']).toBe('https://api.twilio.com');
    expect(config['delivery.ntfy_url']).toBe('https://ntfy.sh');
    expect((await load(['--delivery-smtp-url', url])).config['delivery.smtp_url']).toBe(url);
  });
});

it('shows no secret in what it says about one', async () => {
  const file = write('secret.toml', '[delivery]\nwebhook_secret = 4711\n');
  await expect(load(['--config', file])).rejects.toThrow(/webhook_secret must be a string, not "\(secret\)"/);
});

it('tells every value but no secret', async () => {
  const { config, origins } = await load([], {
    DATABASE_URL: 'postgres://ada:hunter2@db.example.com/diary',
    ADJUTANT_ASSISTANT_MODEL_API_KEY: 'sk-hunter2',
  });
  const told = settingsInForce(config, origins);
  expect(JSON.stringify(told)).not.toContain('hunter2');
  expect(told.find(({ name }) => name === 'assistant.database_url')).toMatchObject({
    value: 'postgres://ada:(secret)@db.example.com/diary',
    origin: 'variable DATABASE_URL',
  });
});
