import { existsSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run, succeed } from '../home-command.ts';
import { bundle } from '../program.ts';
import { StdioPeer } from '../stdio-peer.ts';
import { plantTree } from '../tree.ts';

type Loss = readonly [state: string, lose: (file: string) => void];
const losses: readonly Loss[] = [
  ['missing', (file) => rmSync(file)],
  [
    'empty',
    (file) => {
      writeFileSync(file, '');
      utimesSync(file, new Date(0), new Date(0));
    },
  ],
];
const justEmptied: Loss = ['empty since a moment ago', (file) => writeFileSync(file, '')];

/** Stores a person, makes a backup, and loses the database. */
function plantLost(home: string, lose: (file: string) => void): { folder: string; database: string } {
  const folder = plantTree();
  const database = join(home, 'adjutant.db');
  succeed(home, ['users', 'create', '--id', 'ada', '--name', 'Ada', '--timezone', 'UTC']);
  succeed(home, ['backup', `${folder}/`]);
  for (const suffix of ['-wal', '-shm']) rmSync(`${database}${suffix}`, { force: true });
  lose(database);
  return { folder, database };
}

describe('a lost database', () => {
  it.for([...losses, justEmptied])(
    'that is %s is not backed up by the command, and the last good backup stays',
    ([, lose]) => {
      const home = plantTree();
      const { folder } = plantLost(home, lose);
      const before = readdirSync(folder);
      const { status, stderr } = run(home, ['backup', `${folder}/`, '--keep', '1']);
      expect([status, stderr]).toEqual([1, expect.stringMatching(/The database .* is (missing|empty)/)]);
      expect(readdirSync(folder)).toEqual(before);
    },
  );

  it.for(losses)(
    'that is %s is not backed up by a server, and the last good backup stays',
    async ([, lose]) => {
      const home = plantTree();
      const { folder } = plantLost(home, lose);
      const before = readdirSync(folder);
      const daily = ['--backup-daily-dir', folder, '--set', 'backup.keep=1'];
      await using server = new StdioPeer(
        [bundle, 'serve', '--http', '--port', '0', '--home', home, ...daily],
        {
          env: { PATH: process.env['PATH'], HOME: home },
        },
      );
      await server.untilStderr(/daily backup .* failed .*is (missing|empty)/s);
      expect(readdirSync(folder)).toEqual(before);
    },
  );

  it.for([...losses, justEmptied])('that is %s is restored with --replace', ([, lose]) => {
    const home = plantTree({ 'commands/own.md': 'Mine.\n' });
    const { folder, database } = plantLost(home, lose);
    const [name] = readdirSync(folder);
    succeed(home, ['restore', join(folder, name!), '--replace']);
    expect(existsSync(database)).toBe(true);
    expect(succeed(home, ['users', 'list'])).toContain('Ada');
  });
});
