import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import { run, succeed } from '../home-command.ts';
import { startPostgres } from '../postgres.ts';
import { initialize, Program } from '../program.ts';
import { plantTree } from '../tree.ts';

async function call(program: Program, name: string, args: object): Promise<void> {
  const { result } = await program.request('tools/call', { name, arguments: args });
  expect((result as JsonObject)['isError'], JSON.stringify(result)).not.toBe(true);
}

it('a worker writes the backup of the day once, and keeps as many as the setting says', async () => {
  const folder = plantTree({
    'adjutant-2020-01-01T00-00-00-000Z.backup': '',
    'adjutant-2020-01-02T00-00-00-000Z.backup': '',
  });
  const args = ['worker', '--backup-daily-dir', folder, '--set', 'backup.keep=2'];
  const today = `adjutant-${new Date().toISOString().slice(0, 10)}T00-00-00-000Z.backup`;
  await using worker = new Program(args);
  await worker.untilStderr(/wrote the backup of the day.*1 older/);
  expect(readdirSync(folder).sort()).toEqual(['adjutant-2020-01-02T00-00-00-000Z.backup', today]);
  const restored = plantTree({});
  succeed(restored, ['restore', join(folder, today)]);
});

const nextMonth = new Date(Date.now() + 30 * 86_400_000).toISOString();

/** A running server whose home has everything that a backup holds. */
async function startFilled(env: Readonly<Record<string, string>> = {}): Promise<Program> {
  const program = new Program(['serve', '--toolsets', 'all'], {
    commands: { 'greet.md': '---\ndescription: Greets\n---\nSay hello to {{input}}.\n' },
    env,
  });
  program.send(initialize());
  await call(program, 'create_prompt', { name: 'letter', title: 'Letter', text: 'Dear {{who}}' });
  await call(program, 'label_prompt', { name: 'letter', label: 'production' });
  await call(program, 'update_prompt', { name: 'letter', text: 'Hello {{who}}' });
  await call(program, 'create_user', { id: 'ada', name: 'Ada', email: 'ada@example.com', timezone: 'UTC' });
  await call(program, 'create_event', { user_id: 'ada', title: 'Board', start_ts: nextMonth });
  succeed(program.home, ['tokens', 'create', 'phone', '--scope', 'read'], env);
  writeFileSync(
    join(program.home, 'adjutant.toml'),
    '# mine\nlog_level = "error"\n[delivery]\nwebhook_secret = "swordfish"\nsmtp_url = "smtp://me:swordfish@127.0.0.1"\n',
  );
  return program;
}

/** What a person sees of a home. */
function contentsOf(home: string, env: Readonly<Record<string, string>> = {}) {
  const list = (...args: string[]) => JSON.parse(succeed(home, [...args, '--json'], env)) as JsonObject;
  const history = list('prompts', 'history', 'letter')['revisions'] as readonly JsonObject[];
  return {
    prompts: (list('prompts', 'list')['prompts'] as readonly JsonObject[]).map(({ name }) => name),
    revisions: history.map(({ revision }) => revision),
    labelled: succeed(home, ['prompts', 'render', 'letter@production', 'who=Ada'], env),
    users: list('users', 'list')['users'],
    events: list('events', 'list', 'ada', '--days-forward', '90')['events'],
    tokens: list('tokens', 'list'),
  };
}

describe('adjutant backup and restore', () => {
  it('copy everything but secrets into a new home, while a server uses the first one', async () => {
    await using program = await startFilled();
    const folder = plantTree({});
    const file = join(folder, 'home.backup');
    const report = JSON.parse(succeed(program.home, ['backup', file, '--json'])) as JsonObject;
    expect(report).toMatchObject({ file, engine: 'sqlite', with_secrets: false, left_out: [] });
    expect(readdirSync(folder)).toEqual(['home.backup']);
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(readFileSync(file).includes('swordfish')).toBe(false);
    const before = contentsOf(program.home);
    expect(before.labelled).toContain('Dear Ada');

    const home = plantTree({});
    expect(succeed(home, ['restore', file])).toMatch(/^Restored the backup of \d{4}-/);
    expect(contentsOf(home)).toEqual(before);
    expect(readFileSync(join(home, 'adjutant.toml'), 'utf8')).not.toContain('webhook_secret');
    expect(readFileSync(join(home, 'adjutant.toml'), 'utf8')).toContain('log_level');
    expect(readdirSync(home).filter((name) => /restor|replaced/.test(name))).toEqual([]);
    expect(succeed(home, ['audit'])).toContain('restore');
  });

  it('with --with-secrets include passwords and the token of the owner', async () => {
    const home = plantTree({
      'adjutant.toml':
        '# mine\n[delivery]\nwebhook_secret = "swordfish"\nsmtp_url = "smtp://me:swordfish@127.0.0.1"\n',
      token: 'the-token-of-the-owner',
    });
    const file = join(plantTree({}), 'home.backup');
    succeed(home, ['backup', file, '--with-secrets']);
    const other = plantTree({});
    succeed(other, ['restore', file]);
    for (const name of ['adjutant.toml', 'token'])
      expect(readFileSync(join(other, name))).toEqual(readFileSync(join(home, name)));
  });

  it('refuse a home that has data, and with --replace make a backup of it first', async () => {
    await using program = await startFilled();
    const file = join(plantTree({}), 'home.backup');
    succeed(program.home, ['backup', file]);
    const home = plantTree({ 'commands/own.md': 'Mine.\n' });
    succeed(home, ['users', 'create', '--id', 'bob', '--name', 'Bob', '--timezone', 'UTC']);
    const refused = run(home, ['restore', file]);
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain('add --replace');
    expect(succeed(home, ['users', 'list'])).toContain('Bob');

    const report = JSON.parse(succeed(home, ['restore', file, '--replace', '--json'])) as JsonObject;
    expect(contentsOf(home)).toEqual(contentsOf(program.home));
    expect(existsSync(join(home, 'commands', 'own.md'))).toBe(false);
    const third = plantTree({});
    succeed(third, ['restore', String(report['replaced'])]);
    expect(succeed(third, ['users', 'list'])).toContain('Bob');
    expect(readFileSync(join(third, 'commands', 'own.md'), 'utf8')).toBe('Mine.\n');
  });

  it('refuse a home that has only settings, which a person has written', () => {
    const source = plantTree({ 'adjutant.toml': 'log_level = "error"\n' });
    const file = join(plantTree({}), 'home.backup');
    succeed(source, ['backup', file]);
    const own = '[delivery]\nsmtp_url = "smtp://me:swordfish@127.0.0.1"\n';
    const home = plantTree({ 'adjutant.toml': own });
    const refused = run(home, ['restore', file]);
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('adjutant.toml')]);
    expect(readFileSync(join(home, 'adjutant.toml'), 'utf8')).toBe(own);
    const report = JSON.parse(succeed(home, ['restore', file, '--replace', '--json'])) as JsonObject;
    expect(readFileSync(join(home, 'adjutant.toml'), 'utf8')).toBe('log_level = "error"\n');
    const third = plantTree({});
    succeed(third, ['restore', String(report['replaced'])]);
    expect(readFileSync(join(third, 'adjutant.toml'), 'utf8')).toBe(own);
  });

  it('leave nothing of the log of a database whose server was killed', async () => {
    const source = plantTree({});
    for (const name of ['one', 'two']) succeed(source, ['tokens', 'create', name, '--scope', 'read']);
    const file = join(plantTree({}), 'home.backup');
    succeed(source, ['backup', file]);
    // A start in the new home, killed before its log was moved into the database.
    await using killed = new Program(['serve', '--toolsets', 'all']);
    killed.send(initialize());
    for (let count = 0; count < 30; count++)
      await killed.request('tools/call', { name: 'delete_prompt', arguments: { name: `missing_${count}` } });
    killed.child.kill('SIGKILL');
    await once(killed.child, 'exit');
    expect(existsSync(join(killed.home, 'local.db-wal'))).toBe(true);
    succeed(killed.home, ['restore', file]);
    const { entries } = JSON.parse(succeed(killed.home, ['audit', '--json'])) as {
      entries: readonly { action: string }[];
    };
    expect(entries.map(({ action }) => action)).toEqual(['restore', 'tokens create', 'tokens create']);
    succeed(killed.home, ['audit', 'verify']);
  });

  it('refuse to replace a database that a server uses', async () => {
    await using program = await startFilled();
    const file = join(plantTree({}), 'home.backup');
    succeed(program.home, ['backup', file]);
    const { status, stderr } = run(program.home, ['restore', file, '--replace']);
    expect(status).toBe(1);
    expect(stderr).toContain('is in use');
    expect(succeed(program.home, ['users', 'list'])).toContain('Ada');
  });

  it('replace a damaged database, and keep the damaged file', async () => {
    const home = plantTree({});
    succeed(home, ['users', 'create', '--id', 'bob', '--name', 'Bob', '--timezone', 'UTC']);
    const file = join(plantTree({}), 'home.backup');
    succeed(home, ['backup', file]);
    const database = join(home, 'adjutant.db');
    overwrite(database, 4096, Buffer.alloc(statSync(database).size - 4096, 7));
    expect(run(home, ['backup', join(home, 'later.backup')]).status).toBe(1);
    expect(existsSync(join(home, 'later.backup'))).toBe(false);
    expect(succeed(home, ['restore', file, '--replace'])).toContain('damaged and is kept');
    expect(succeed(home, ['users', 'list'])).toContain('Bob');
    const keptIn = () => readdirSync(home).filter((name) => name.startsWith('adjutant.db.replaced-'));
    expect(keptIn()).toHaveLength(1);
    const content = readFileSync(join(home, keptIn()[0]!));

    overwrite(database, 4096, Buffer.alloc(statSync(database).size - 4096, 8));
    const second = JSON.parse(succeed(home, ['restore', file, '--replace', '--json'])) as JsonObject;
    expect(keptIn()).toHaveLength(2);
    expect(second['kept']).toContainEqual(join(home, keptIn().sort()[1]!));
    expect(readFileSync(join(home, keptIn().sort()[0]!)).equals(content)).toBe(true);
  });

  it('replace databases that are missing, which no backup hides', async () => {
    const home = plantTree({});
    succeed(home, ['users', 'create', '--id', 'bob', '--name', 'Bob', '--timezone', 'UTC']);
    succeed(home, ['tokens', 'create', 'phone', '--scope', 'read']);
    const file = join(plantTree({}), 'home.backup');
    succeed(home, ['backup', file]);
    for (const name of ['adjutant.db', 'local.db']) rmSync(join(home, name));
    const later = run(home, ['backup', join(home, 'later.backup')]);
    expect(later.stderr).toContain(
      `adjutant.db is missing, although there was one. Stop all servers and workers, then run "adjutant restore ${file} --replace".`,
    );
    expect(existsSync(join(home, 'later.backup'))).toBe(false);
    expect(run(home, ['audit', 'verify']).stdout).toContain('local.db is missing');
    succeed(home, ['restore', file, '--replace']);
    expect(succeed(home, ['users', 'list'])).toContain('Bob');
    succeed(home, ['audit', 'verify']);
  });

  it.for([
    ['a text', (file: string) => writeFileSync(file, 'a letter'), 'not a usable backup'],
    ['a database', (file: string) => new DatabaseSync(file).exec('create table a (b)'), 'not a backup'],
    [
      'half of a backup',
      (file: string) => writeFileSync(file, readFileSync(file).subarray(0, 20_000)),
      'damaged|not a usable',
    ],
    [
      'a backup with a changed row',
      (file: string) => change(file, "update users set name = 'Eve'"),
      'another checksum',
    ],
    [
      'a backup with a changed file',
      (file: string) => change(file, "update backup_files set content = 'x'"),
      'another checksum',
    ],
    ['a backup without a file', (file: string) => change(file, 'delete from backup_files'), 'missing'],
    ['a backup of a newer version', newer, 'newer version'],
  ] as const)('refuse %s before anything changes', async ([, spoil, reason]) => {
    const source = plantTree({ 'commands/own.md': 'Mine.\n' });
    succeed(source, ['users', 'create', '--id', 'bob', '--name', 'Bob', '--timezone', 'UTC']);
    const file = join(plantTree({}), 'home.backup');
    succeed(source, ['backup', file]);
    if (reason === 'not a backup') writeFileSync(file, '');
    spoil(file);
    const home = plantTree({});
    const { status, stderr } = run(home, ['restore', file]);
    expect(stderr).toMatch(new RegExp(reason));
    expect(status).toBe(1);
    expect(readdirSync(home)).toEqual([]);
  });

  it('keep the newest backups of a folder, and other files', () => {
    const home = plantTree({ 'commands/own.md': 'Mine.\n' });
    const folder = plantTree({ 'notes.txt': 'mine' });
    for (let count = 0; count < 3; count++) succeed(home, ['backup', folder, '--keep', '2']);
    const names = readdirSync(folder).sort();
    expect(names).toHaveLength(3);
    expect(names.at(-1)).toBe('notes.txt');
  });

  it.for([
    [['backup'], 'FILE'],
    [['backup', 'x.backup', '--keep', '2'], 'needs a folder'],
    [['backup', 'folder/', '--keep', '0'], 'at least 1'],
    [['restore'], 'FILE'],
  ] as const)('explain the wrong use %s', ([args, message]) => {
    const { status, stderr } = run(plantTree({}), args);
    expect(status).toBe(2);
    expect(stderr).toContain(message);
  });

  it('restore an empty home into a folder that does not exist', () => {
    const file = join(plantTree({}), 'home.backup');
    succeed(plantTree({}), ['backup', file]);
    const home = join(plantTree({}), 'new', 'home');
    succeed(home, ['restore', file]);
    expect(existsSync(join(home, 'adjutant.db'))).toBe(true);
  });

  it('never overwrite a file', () => {
    const home = plantTree({});
    const file = join(home, 'mine.backup');
    appendFileSync(file, 'precious');
    expect(run(home, ['backup', file]).stderr).toContain('exists already');
    expect(readFileSync(file, 'utf8')).toBe('precious');
  });

  it('move a home on PostgreSQL into another one, and into SQLite', async () => {
    const postgres = await startPostgres();
    onTestFinished(() => postgres.close());
    const env = { DATABASE_URL: await postgres.createDatabase('first') };
    await using program = await startFilled(env);
    const file = join(plantTree({}), 'home.backup');
    const report = JSON.parse(succeed(program.home, ['backup', file, '--json'], env)) as JsonObject;
    expect(report).toMatchObject({ engine: 'postgres' });
    const before = contentsOf(program.home, env);

    const other = { DATABASE_URL: await postgres.createDatabase('second') };
    const home = plantTree({});
    succeed(home, ['restore', file], other);
    expect(contentsOf(home, other)).toEqual(before);
    succeed(home, ['users', 'create', '--id', 'bob', '--name', 'Bob', '--timezone', 'UTC'], other);
    succeed(home, ['restore', file, '--replace'], other);
    expect(contentsOf(home, other)).toEqual(before);

    const local = plantTree({});
    succeed(local, ['restore', file]);
    expect(succeed(local, ['users', 'list'])).toContain('Ada');
  });
});

function overwrite(file: string, at: number, bytes: Buffer): void {
  const opened = openSync(file, 'r+');
  writeSync(opened, bytes, 0, bytes.length, at);
  closeSync(opened);
}

function change(file: string, statement: string): void {
  const database = new DatabaseSync(file);
  database.exec(statement);
  database.close();
}

/** Raises the version of the format, with a correct checksum. */
function newer(file: string): void {
  const database = new DatabaseSync(file);
  const [row] = database.prepare('select value from backup_manifest').all();
  const text = JSON.stringify({ ...JSON.parse(String(row!['value'])), format: 99 });

  database
    .prepare('update backup_manifest set value = ?, sha256 = ?')
    .run(text, createHash('sha256').update(text).digest('hex'));
  database.close();
}
