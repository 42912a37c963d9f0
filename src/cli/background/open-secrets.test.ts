import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadConfig } from '../../config.ts';
import { checkSecrets } from './open-secrets.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'adjutant-secrets-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const find = async (...argv: readonly string[]) => {
  const loaded = await loadConfig({ argv: ['--home', home, ...argv], env: { HOME: home }, cwd: home });
  return (await checkSecrets(loaded, { env: {} })).map(({ state, detail, remedy }) => [
    state,
    detail,
    remedy,
  ]);
};
const write = (name: string, content: string, mode: number) => {
  writeFileSync(join(home, name), content);
  chmodSync(join(home, name), mode);
};

it.skipIf(process.platform === 'win32')(
  'secrets › files that others can read are named with the remedy',
  async () => {
    write('adjutant.toml', 'log_level = "debug"\n', 0o644);
    write('token', 'x'.repeat(20), 0o600);
    expect(await find()).toEqual([['good', 'only you can read them', undefined]]);
    write('adjutant.toml', '[assistant]\nmodel_api_key = "s3cret"\n', 0o640);
    write('token', 'x'.repeat(20), 0o604);
    expect((await find()).map(([state, , remedy]) => [state, remedy])).toEqual([
      ['warning', `chmod 600 ${join(home, 'adjutant.toml')}`],
      ['warning', `chmod 600 ${join(home, 'token')}`],
    ]);
  },
);

it.skipIf(process.platform === 'win32')(
  'secrets › files that variables and repositories name are checked as well',
  async () => {
    const files = ['model-key', 'database-url', 'repository-token', 'model'];
    for (const name of files) write(name, name === 'model' ? 'gpt' : 'postgres://me:s3cret@db/x', 0o644);
    const [key, database, repository, model] = files.map((name) => join(home, name));
    const repositories = `[[prompts.repositories]]\naddress = "https://example.com/a.git"\ntoken_file = "${repository}"\n`;
    write('adjutant.toml', repositories, 0o600);
    const env = {
      HOME: home,
      ADJUTANT_ASSISTANT_MODEL_API_KEY_FILE: key!,
      ADJUTANT_ASSISTANT_MODEL_FILE: model!,
      DATABASE_URL_FILE: database!,
    };
    const loaded = await loadConfig({ argv: ['--home', home], env, cwd: home });
    const remedies = (await checkSecrets(loaded, { env })).map(({ remedy }) => remedy);
    expect(remedies.sort()).toEqual([database, key, repository].map((file) => `chmod 600 ${file}`));
  },
);

it('secrets › a secret in a flag is visible in the list of processes', async () => {
  const [finding] = await find('--assistant-model-api-key', 's3cret');
  expect(finding?.[1]).toContain('assistant.model_api_key in the list of processes');
  expect(finding?.[2]).toContain('ADJUTANT_ASSISTANT_MODEL_API_KEY_FILE');
});
