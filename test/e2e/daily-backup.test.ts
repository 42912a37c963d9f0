import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { succeed } from '../home-command.ts';
import { bundle } from '../program.ts';
import { StdioPeer } from '../stdio-peer.ts';
import { plantTree, until } from '../tree.ts';

/** A home with a person, and the environment of programs that note each process and its arguments in a file. */
function plant() {
  const home = plantTree();
  succeed(home, ['users', 'create', '--id', 'ada', '--name', 'Ada', '--timezone', 'UTC']);
  const folder = plantTree();
  const notes = join(plantTree(), 'processes');
  writeFileSync(notes, '');
  const preload = join(plantTree(), 'preload.mjs');
  writeFileSync(
    preload,
    `import { appendFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
if (isMainThread) appendFileSync(${JSON.stringify(notes)}, process.pid + ' ' + process.argv.slice(2).join(' ') + '\\n');`,
  );
  const start = (...args: readonly string[]) =>
    new StdioPeer([bundle, ...args, '--home', home, '--backup-daily-dir', folder], {
      env: {
        ...{ PATH: process.env['PATH'], HOME: home, TZ: 'UTC' },
        NODE_OPTIONS: `--import=${pathToFileURL(preload).href}`,
      },
    });
  const backups = () =>
    readFileSync(notes, 'utf8')
      .split('\n')
      .filter((line) => / backup /.test(line));
  return { home, folder, start, backups };
}

describe('the backup of the day', () => {
  it('is written by another process, which gets the settings of the flags', async () => {
    const { folder, start, backups } = plant();
    await using server = start('serve', '--http', '--port', '0');
    await server.untilStderr(/wrote the backup of the day/);
    expect(backups()).toHaveLength(1);
    expect(backups()[0]).not.toMatch(new RegExp(`^${server.child.pid} `));
    const other = plantTree();
    succeed(other, ['restore', join(folder, readdirSync(folder)[0]!)]);
    expect(succeed(other, ['users', 'list'])).toContain('Ada');
  });

  it('is the last backup in the metrics', async () => {
    const { home, start } = plant();
    const startedSeconds = Math.floor(Date.now() / 1000);
    await using server = start('serve', '--http', '--port', '0');
    const [, url] = await server.untilStderr(/Page: (\S+?)\/ /);
    const token = readFileSync(join(home, 'token'), 'utf8').trim();
    const measured = async () => {
      const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
      return Number(/^adjutant_last_backup_timestamp_seconds (\d+)$/m.exec(await response.text())?.[1]);
    };
    await server.untilStderr(/wrote the backup of the day/);
    expect(await measured()).toBeGreaterThanOrEqual(startedSeconds);
  });

  it('is written once by a server and a worker that start together', async () => {
    const { folder, start, backups } = plant();
    await using server = start('serve', '--http', '--port', '0');
    await using worker = start('worker');
    await until(() => /wrote the backup of the day/.test(server.stderr + worker.stderr));
    expect(backups()).toHaveLength(1);
    expect(readdirSync(folder)).toHaveLength(1);
  });

  it('fails with the reason of the command, and the server goes on', async () => {
    const { folder, start } = plant();
    rmSync(folder, { recursive: true });
    writeFileSync(folder, 'a letter');
    await using server = start('serve', '--http', '--port', '0');
    await server.untilStderr(/the daily backup in .* failed.*(EEXIST|ENOTDIR)/s);
    expect(server.child.exitCode).toBe(null);
    expect(readFileSync(folder, 'utf8')).toBe('a letter');
  });
});
