import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
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

describe('the value of a setting', () => {
  it('comes from the flag, else the environment, else the file, else the default', async () => {
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

  it('comes from the standard configuration file if none is named', async () => {
    write('.config/adjutant/adjutant.toml', 'log_level = "debug"\n');
    const { config, origins } = await load([], {
      XDG_CONFIG_HOME: join(folder, '.config'),
      XDG_DATA_HOME: folder,
    });
    expect(config.log_level).toBe('debug');
    expect(origins['log_level']).toContain('adjutant.toml');
  });

  it('comes from adjutant.toml in the home folder', async () => {
    write('home/adjutant.toml', 'log_level = "error"\n');
    expect((await load(['--home', 'home'])).config.log_level).toBe('error');
    expect((await load([], { ADJUTANT_HOME: 'home' })).config.log_level).toBe('error');
  });
});

describe('a variable that ends with _FILE', () => {
  it.each(['ADJUTANT_AUTH_CLIENT_SECRET_FILE', 'ADJUTANT_ASSISTANT_MODEL_API_KEY_FILE'])(
    '%s › names a file with the value',
    async (variable) => {
      const { config } = await load([], { [variable]: write('secret', 's3cret\n') });
      expect(Object.values(config)).toContain('s3cret');
    },
  );

  it('works for other names of a setting', async () => {
    const { config, origins } = await load([], { DATABASE_URL_FILE: write('url', 'postgres://a:b@c/d\n') });
    expect(config['assistant.database_url']).toBe('postgres://a:b@c/d');
    expect(origins['assistant.database_url']).toBe('variable DATABASE_URL_FILE');
  });

  it('is refused beside the variable itself, and if the file does not exist', async () => {
    const variable = 'ADJUTANT_AUTH_CLIENT_SECRET';
    await expect(load([], { [variable]: 'x', [`${variable}_FILE`]: write('x', 'x') })).rejects.toThrow(
      `${variable} and ${variable}_FILE are both set`,
    );
    await expect(load([], { [`${variable}_FILE`]: '/nothing' })).rejects.toThrow('/nothing does not exist');
    await expect(load([], { ADJUTANT_HTTP_PORT_FILE: '/nothing' })).rejects.toThrow('unknown variable');
  });
});

describe('folders', () => {
  it('are inside the home folder if one is given', async () => {
    const { config } = await load(['--home', 'all']);
    expect(config['commands.dir']).toBe(join(folder, 'all', 'commands'));
    expect(config['http.state_dir']).toBe(join(folder, 'all'));
  });

  it('are relative to the file or folder in which they were written', async () => {
    const file = write('sub/a.toml', '[commands]\ndir = "mine"\n');
    expect((await load(['--config', file])).config['commands.dir']).toBe(join(folder, 'sub', 'mine'));
    expect((await load(['--commands-dir', 'mine'])).config['commands.dir']).toBe(join(folder, 'mine'));
  });

  it('accept the flags of the server that a contract replaces, under that contract only', async () => {
    const { config } = await load(['--contract', 'commands', '--prompts-dir', 'p']);
    expect(config['commands.dir']).toBe(join(folder, 'p'));
    await expect(load(['--prompts-dir', 'p'])).rejects.toThrow(
      /--prompts-dir works only with --contract .*commands.*--commands-dir/,
    );
  });
});

describe('an invalid setting is reported with its source and a suggestion', () => {
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

  it('for a configuration file', async () => {
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

describe('a setting of an earlier version', () => {
  const removed = {
    'http.keep_alive': { type: 'boolean', reason: 'Connections are always kept open.' },
    'cache.rooms': { type: 'list', reason: 'There is no cache any more.' },
  } as const;

  it('is accepted with a warning from the file, the environment and flags, and changes nothing', async () => {
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      const file = write('old.toml', '[http]\nport = 1001\nkeep_alive = true\n[cache.rooms]\na = 1\n');
      const { config, origins } = await loadConfig({
        argv: ['--config', file, '--no-http-keep-alive', '--cache-rooms', 'a', '--cache-rooms', 'b'],
        env: { HOME: folder, ADJUTANT_CACHE_ROOMS: 'a' },
        cwd: folder,
        removed,
      });
      expect(config['http.port']).toBe(1001);
      expect([...Object.keys(config), ...Object.keys(origins)]).not.toContain('http.keep_alive');
      const kept = 'was removed and has no effect. Connections are always kept open.';
      const rooms = 'was removed and has no effect. There is no cache any more.';
      expect(stderr.mock.calls.map(([text]) => text)).toEqual([
        `adjutant: warning: file ${file}: the setting http.keep_alive ${kept}\n`,
        `adjutant: warning: file ${file}: the setting cache.rooms ${rooms}\n`,
        `adjutant: warning: variable ADJUTANT_CACHE_ROOMS: the setting cache.rooms ${rooms}\n`,
        `adjutant: warning: flag --http-keep-alive: the setting http.keep_alive ${kept}\n`,
        `adjutant: warning: flag --cache-rooms: the setting cache.rooms ${rooms}\n`,
      ]);
    } finally {
      stderr.mockRestore();
    }
    await expect(load(['--http-keep-alive'])).rejects.toThrow('unknown flag --http-keep-alive');
  });
});

describe('an address setting', () => {
  it.each([
    ['mail.example.com'],
    ['http://me:hunter2@mail.example.com'],
    ['smtp://'],
    ['smtp://me:hun/ter2@mail.example.com'],
    ['smtp:me:hunter2@mail.example.com'],
  ])('is rejected without showing its password if it is not usable: %s', async (url) => {
    const message = await load([], { ADJUTANT_DELIVERY_SMTP_URL: url }).catch(
      (error: Error) => error.message,
    );
    expect(message).toMatch(
      /^variable ADJUTANT_DELIVERY_SMTP_URL: delivery\.smtp_url must be an address with smtp:\/\/ or smtps:\/\/ /,
    );
    expect(message).not.toMatch(/hun|ter2/);
  });

  it('is used unchanged, and counts as not set if it is empty', async () => {
    const url = 'smtps://me%40example.com:p%2Fw@mail.example.com?tls.rejectUnauthorized=false';
    const file = write('mail.toml', '[delivery]\nsmtp_url = ""\ncall_url = ""\nwebhook_secret = "x"\n');
    const { config } = await load(['--config', file, '--delivery-ntfy-url', 'https://ntfy.sh']);
    expect(config['delivery.smtp_url']).toBeUndefined();
    expect(config['delivery.call_url']).toBe('https://api.twilio.com');
    expect(config['delivery.ntfy_url']).toBe('https://ntfy.sh');
    expect((await load(['--delivery-smtp-url', url])).config['delivery.smtp_url']).toBe(url);
  });
});

it('masks a secret in the error message about it', async () => {
  const file = write('secret.toml', '[delivery]\nwebhook_secret = 4711\n');
  await expect(load(['--config', file])).rejects.toThrow(/webhook_secret must be a string, not "\(secret\)"/);
});

it('lists every setting with secrets masked', async () => {
  const { config, origins } = await load([], {
    DATABASE_URL: 'postgres://ada:hunter2@db.example.com/calendar',
    ADJUTANT_ASSISTANT_MODEL_API_KEY: 'sk-hunter2',
  });
  const listed = settingsInForce(config, origins);
  expect(JSON.stringify(listed)).not.toContain('hunter2');
  expect(listed.find(({ name }) => name === 'assistant.database_url')).toMatchObject({
    value: 'postgres://ada:(secret)@db.example.com/calendar',
    origin: 'variable DATABASE_URL',
  });
});
