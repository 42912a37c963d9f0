import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findSignIn, storeSignIn } from '../../src/assistant/calendar/sign-ins.ts';
import type { JsonObject } from '../../src/json.ts';
import { createRecords } from '../../src/store/records.ts';
import { createStore } from '../../src/store/store.ts';
import { run, succeed } from '../home-command.ts';
import { startPostgres } from '../postgres.ts';
import { plantTree } from '../tree.ts';

const place = { host: 'caldav.example.org', login: 'ada@example.org' };
const secrets = ['refresh-swordfish', 'access-swordfish', 'client-swordfish', 'smtp-swordfish'];

/** A home with a sign-in, a routine on a webhook and secret settings. */
async function plantHome(env: Readonly<Record<string, string>>) {
  const home = plantTree({
    'adjutant.toml': '[delivery]\nsmtp_url = "smtp://me:smtp-swordfish@127.0.0.1"\nsms_from = "+493012345"\n',
    token: 'the-token-of-the-owner',
  });
  const database = env['DATABASE_URL'] ?? join(home, 'adjutant.db');
  succeed(home, ['users', 'create', '--id', 'ada', '--name', 'Ada', '--timezone', 'UTC'], env);
  const changed = ['--task', 'Work', '--when', 'webhook', '--cwd', home];
  const created = succeed(home, ['routines', 'create', 'brief', ...changed, '--json'], env);
  const { webhook, routine } = JSON.parse(created) as Record<'webhook' | 'routine', JsonObject>;
  const store = createStore(database);
  await storeSignIn(
    { store, clock: Date.now },
    place,
    { client_id: 'id', client_secret: secrets[2]!, auth_uri: 'https://a', token_uri: 'https://b' },
    { refresh_token: secrets[0]!, access_token: secrets[1]!, expiresInMs: 3_600_000 },
  );
  await store.close();
  return { home, database, key: String(webhook['secret']), routineId: String(routine['id']) };
}

async function keptIn(database: string, routineId: string) {
  const store = createStore(database);
  const records = createRecords(database);
  try {
    const signIn = await store.read((db) => findSignIn(db, place.host, place.login));
    const key = await records.find('routine-secrets', routineId);
    return { refresh: signIn?.refresh_token, key: key?.['secret'] };
  } finally {
    await store.close();
    await records.close();
  }
}

describe.each(['SQLite', 'PostgreSQL'])('a backup without secrets of a home on %s', (engine) => {
  const environment = async (): Promise<Record<string, string>> => {
    if (engine === 'SQLite') return {};
    const postgres = await startPostgres();
    onTestFinished(() => postgres.close());
    return { DATABASE_URL: await postgres.createDatabase('source') };
  };

  it('contains no sign-ins, keys of webhooks and passwords, and a restore keeps the present ones', async () => {
    const env = await environment();
    const { home, database, key, routineId } = await plantHome(env);
    const file = join(plantTree(), 'home.backup');
    succeed(home, ['backup', file], env);
    const content = readFileSync(file);
    expect([...secrets, key, 'the-token-of-the-owner'].filter((secret) => content.includes(secret))).toEqual(
      [],
    );

    succeed(home, ['users', 'create', '--id', 'bob', '--name', 'Bob', '--timezone', 'UTC'], env);
    const settings = readFileSync(join(home, 'adjutant.toml'), 'utf8');
    expect(succeed(home, ['restore', file, '--replace'], env)).not.toContain('To replace them');
    expect(succeed(home, ['users', 'list'], env)).not.toContain('Bob');
    expect(await keptIn(database, routineId)).toEqual({ refresh: secrets[0], key });
    expect(readFileSync(join(home, 'adjutant.toml'), 'utf8')).toContain('smtp-swordfish');
    expect(settings).toContain('smtp-swordfish');
  });

  it('with --with-secrets contains all of them', async () => {
    const env = await environment();
    const { home, key } = await plantHome(env);
    const file = join(plantTree(), 'home.backup');
    succeed(home, ['backup', file, '--with-secrets'], env);
    const content = readFileSync(file);
    const all = [...secrets, key, 'the-token-of-the-owner'];
    expect(all.filter((secret) => !content.includes(secret))).toEqual([]);
  });
});

it('a backup with secrets is recorded in the security log, one without is not', () => {
  const home = plantTree({ token: 'the-token-of-the-owner' });
  const folder = plantTree();
  succeed(home, ['backup', join(folder, 'open.backup')]);
  expect(existsSync(join(home, 'local.db'))).toBe(false);
  const file = join(folder, 'secret.backup');
  succeed(home, ['backup', file, '--with-secrets']);
  const { entries } = JSON.parse(succeed(home, ['audit', '--json'])) as { entries: readonly JsonObject[] };
  expect(entries).toEqual([
    expect.objectContaining({ action: 'backup --with-secrets', target: `id=${file}`, outcome: 'done' }),
  ]);
});

describe('a backup without secrets', () => {
  it('restored into a new home, says what to sign in to and set again', async () => {
    const { home, routineId } = await plantHome({});
    const file = join(plantTree(), 'home.backup');
    succeed(home, ['backup', file]);
    const other = plantTree();
    const output = succeed(other, ['restore', file]);
    for (const line of [
      'delivery.smtp_url',
      'calendars sign-in ada@example.org',
      `routines update ${routineId} --new-secret`,
      'token of the owner',
    ])
      expect(output).toContain(line);
    const updated = succeed(other, ['routines', 'update', routineId, '--new-secret', '--json']);
    expect(JSON.parse(updated)).toMatchObject({ webhook: { secret: expect.any(String) } });
  });

  it('keeps the addresses of people, and the output says so', () => {
    const home = plantTree();
    succeed(home, ['users', 'create', '--id', 'ada', '--name', 'Ada', '--timezone', 'UTC']);
    succeed(home, ['users', 'update', 'ada', '--ntfy-topic', 'ada-secret-topic']);
    const file = join(plantTree(), 'home.backup');
    expect(succeed(home, ['backup', file])).toContain('Addresses of people');
    const other = plantTree();
    succeed(other, ['restore', file]);
    expect(succeed(other, ['users', 'list', '--json'])).toContain('ada-secret-topic');
  });

  it('removes the password of an address in a list of tables, and the settings stay valid', () => {
    const home = plantTree();
    writeFileSync(
      join(home, 'adjutant.toml'),
      '[[prompts.repositories]]\naddress = "https://me:swordfish@127.0.0.1:1/team.git"\nname = "team"\n',
    );
    const file = join(plantTree(), 'home.backup');
    succeed(home, ['backup', file]);
    expect(readFileSync(file).includes('swordfish')).toBe(false);
    const other = plantTree();
    expect(succeed(other, ['restore', file])).toContain('prompts.repositories');
    expect(run(other, ['config', 'list']).status).toBe(0);
    expect(readFileSync(join(other, 'adjutant.toml'), 'utf8')).toContain('https://127.0.0.1:1/team.git');
  });
});
