import { describe, expect, it } from 'vitest';
import { loadConfig, ownSecrets } from '../config.ts';
import { variableName } from '../setting.ts';
import { withoutOwnVariables } from './own-data.ts';
import { names, table } from './raw-setting.ts';

describe('the environment of started programs', () => {
  it.each(names)('does not contain the variables of the setting %s', (name) => {
    const aliases = (table[name]!.aliases ?? []).flatMap(({ env, shared }) => (env && !shared ? [env] : []));
    const env = Object.fromEntries([variableName(name), ...aliases].map((variable) => [variable, 'x']));
    expect(withoutOwnVariables(env)).toEqual({});
  });

  it('does not contain ADJUTANT_ variables of other versions', () => {
    expect(withoutOwnVariables({ ADJUTANT_TOMORROW_TOKEN: 'x' })).toEqual({});
  });

  it('contains the variables that agents and toolchains need', () => {
    const env = {
      PATH: '/bin',
      HOME: '/home/me',
      CODEX_HOME: '/home/me/.codex',
      OPENAI_API_KEY: 'sk',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1',
      CLAUDE_CONFIG_DIR: '/home/me/.claude',
      HTTPS_PROXY: 'http://proxy',
      NODE_EXTRA_CA_CERTS: '/ca.pem',
      LANG: 'C.UTF-8',
      XDG_CONFIG_HOME: '/home/me/.config',
      CARGO_HOME: '/cargo',
      DELEGATE_RUN: 'run',
    };
    expect(withoutOwnVariables(env)).toEqual(env);
  });
});

it('the passwords in addresses are known as they are decoded, and as they are written if they are not percent-encoded', async () => {
  const { config } = await loadConfig({
    argv: [],
    cwd: '/',
    env: {
      HOME: '/nowhere',
      ADJUTANT_DELIVERY_SMTP_URL: 'smtp://ada:50%25off@mail.example',
      ADJUTANT_DELIVERY_NTFY_URL: 'https://ada:50%off@ntfy.example',
    },
  });
  expect(ownSecrets(config)).toMatchObject({
    'SECRET delivery.smtp_url password': '50%off',
    'SECRET delivery.ntfy_url password': '50%off',
  });
});
