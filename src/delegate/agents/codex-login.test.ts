import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readLogin } from './codex.ts';

const provider = 'model_provider = "own"\n[model_providers.own]\nname = "Own"\n';
const missing = { isSignedIn: false };
// `codex app-server` does not use the last two.
const env = { SET_KEY: 'secret', OPENAI_API_KEY: 'secret', CODEX_API_KEY: 'secret' };

it.each([
  ['a login', { 'auth.json': '{}' }, { isSignedIn: true, detail: 'signed in' }],
  ['nothing', {}, { ...missing, detail: 'no login found' }],
  ['the default provider', { 'config.toml': 'model = "x"' }, { ...missing, detail: 'no login found' }],
  [
    'an unknown provider',
    { 'config.toml': 'model_provider = "own"' },
    { ...missing, detail: 'no login found' },
  ],
  [
    'a provider with the login of OpenAI',
    { 'config.toml': `${provider}requires_openai_auth = true` },
    { ...missing, detail: 'no login found' },
  ],
  [
    'a provider without a login',
    { 'config.toml': provider },
    { isSignedIn: true, detail: 'the model provider own needs no login' },
  ],
  [
    'a provider whose key is missing',
    { 'config.toml': `${provider}env_key = "OWN_KEY"` },
    {
      ...missing,
      detail: 'the model provider own needs the variable OWN_KEY',
      remedy: 'set OWN_KEY where the server is started',
    },
  ],
  [
    'a provider whose key is set',
    { 'config.toml': `${provider}env_key = "SET_KEY"` },
    { isSignedIn: true, detail: 'the model provider own needs no login' },
  ],
  [
    'an invalid file',
    { 'config.toml': 'model_provider =' },
    { ...missing, detail: expect.stringMatching(/config\.toml cannot be read: /) },
  ],
])('tells whether Codex can reach a model with %s', async (_, files, expected) => {
  const home = mkdtempSync(join(tmpdir(), 'codex-login-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text);
  expect(await readLogin(home, env)).toMatchObject(expected);
});
