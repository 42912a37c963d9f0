import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { hasExited, ownerName } from './owner.ts';

const [pid, place] = ownerName().split('-');

it('has not exited if it is this process, under any of its names', () => {
  const names = [ownerName(), ownerName()];
  expect(new Set(names).size).toBe(2);
  expect(names.map(hasExited)).toEqual([false, false]);
});

it('has exited if its process is gone', () => {
  const module = JSON.stringify(new URL('owner.ts', import.meta.url).href);
  const program = `console.log((await import(${module})).ownerName())`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  expect(stdout).toContain(`-${place}-`);
  expect(hasExited(stdout.trim())).toBe(true);
});

it('has exited if this process has its id, as after the restart of a container', () => {
  expect(hasExited(`${pid}-${place}-earlier-1`)).toBe(true);
});

it.each([
  ['another container, in which programs have the same ids', `${pid}-000000000000-other-1`],
  ['another container, with an id that is free here', '4000000-000000000000-other-1'],
  ['a process that runs', `${process.ppid}-${place}-other-1`],
  ['an earlier version', `${pid}-0a1b2c3d-0000-4000-8000-000000000000`],
  ['nobody', ''],
])('may be alive if it is %s', (_, owner) => {
  expect(hasExited(owner)).toBe(false);
});
