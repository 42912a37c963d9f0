import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import { run, succeed } from '../home-command.ts';
import { startPostgres } from '../postgres.ts';
import { plantTree, write } from '../tree.ts';

const addPerson = (home: string, id: string, env: Readonly<Record<string, string>> = {}) =>
  succeed(home, ['users', 'create', '--id', id, '--name', id, '--timezone', 'UTC'], env);
const addToken = (home: string, name: string) => succeed(home, ['tokens', 'create', name, '--scope', 'read']);

function tokensOf(home: string): readonly unknown[] {
  const { tokens } = JSON.parse(succeed(home, ['tokens', 'list', '--json'])) as { tokens: JsonObject[] };
  return tokens.map(({ name }) => name);
}

function plantBackup(home: string, ...flags: readonly string[]): string {
  const file = join(plantTree(), 'home.backup');
  succeed(home, ['backup', file, ...flags]);
  return file;
}

describe('restore --replace', () => {
  it('does not make revoked tokens valid again, and names them', () => {
    const home = plantTree();
    addPerson(home, 'ada');
    for (const name of ['phone', 'laptop', 'tablet']) addToken(home, name);
    const file = plantBackup(home);
    for (const name of ['phone', 'tablet']) succeed(home, ['tokens', 'revoke', name]);
    addToken(home, 'tablet');
    const output = succeed(home, ['restore', file, '--replace']);
    expect(tokensOf(home)).toEqual(['laptop']);
    expect(output).toMatch(/phone, tablet.*tokens create/);
  });

  it('does not bring back an earlier token of the owner', () => {
    const home = plantTree({ token: 'the-first-token' });
    addPerson(home, 'ada');
    const file = plantBackup(home, '--with-secrets');
    writeFileSync(join(home, 'token'), 'the-second-token');
    expect(succeed(home, ['restore', file, '--replace'])).toContain('the token of the owner');
    expect(readFileSync(join(home, 'token'), 'utf8')).toBe('the-second-token');
  });

  it('restores all tokens if the home has lost its folder of tokens', () => {
    const home = plantTree();
    addPerson(home, 'ada');
    addToken(home, 'phone');
    const file = plantBackup(home);
    rmSync(join(home, 'tokens'), { recursive: true });
    succeed(home, ['restore', file, '--replace']);
    expect(tokensOf(home)).toEqual(['phone']);
  });

  it('removes the files of folders that were empty at the time of the backup', () => {
    const home = plantTree();
    addPerson(home, 'ada');
    const file = plantBackup(home);
    write(home, { 'commands/later.md': 'Later.\n' });
    const report = succeed(home, ['restore', file, '--replace', '--json']);
    expect(existsSync(join(home, 'commands', 'later.md'))).toBe(false);
    const third = plantTree();
    succeed(third, ['restore', String((JSON.parse(report) as JsonObject)['replaced'])]);
    expect(readFileSync(join(third, 'commands', 'later.md'), 'utf8')).toBe('Later.\n');
  });

  it('remembers the restored file as the last backup, not the copy of what it replaced', () => {
    const home = plantTree();
    addPerson(home, 'ada');
    const file = plantBackup(home);
    succeed(home, ['restore', file, '--replace']);
    rmSync(join(home, 'adjutant.db'));
    expect(run(home, ['users', 'list']).stderr).toContain(`adjutant restore ${file} --replace`);
  });

  it('keeps the files of a folder that was outside of the home at the time of the backup', () => {
    const home = plantTree();
    addPerson(home, 'ada');
    const file = join(plantTree(), 'home.backup');
    succeed(home, ['backup', file, '--commands-dir', plantTree()]);
    write(home, { 'commands/own.md': 'Mine.\n' });
    succeed(home, ['restore', file, '--replace']);
    expect(readFileSync(join(home, 'commands', 'own.md'), 'utf8')).toBe('Mine.\n');
  });
});

it('a restore that fails leaves a PostgreSQL database as it was', async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.close());
  const source = plantTree({ 'adjutant.toml': 'log_level = "error"\n' });
  addPerson(source, 'ada');
  const file = plantBackup(source);
  const env = { DATABASE_URL: await postgres.createDatabase('present') };
  // The name has room for the ending of a new file, but not for that of a replaced one, so the last step fails.
  const config = `${'x'.repeat(230)}.toml`;
  const home = plantTree({ [config]: 'log_level = "debug"\n' });
  addPerson(home, 'bob', env);
  const { status } = run(home, ['restore', file, '--replace', '--config', join(home, config)], env);
  expect(status).toBe(1);
  expect(readFileSync(join(home, config), 'utf8')).toBe('log_level = "debug"\n');
  expect(succeed(home, ['users', 'list'], env)).toContain('bob');
});

describe('restore into a home without data', () => {
  it('keeps the files of folders that the backup has no files for', () => {
    const source = plantTree();
    addPerson(source, 'ada');
    const file = plantBackup(source);
    const home = plantTree({ 'commands/own.md': 'Mine.\n' });
    succeed(home, ['restore', file]);
    expect(readFileSync(join(home, 'commands', 'own.md'), 'utf8')).toBe('Mine.\n');
  });
});
