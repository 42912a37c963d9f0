import { readFileSync } from 'node:fs';
import { createRequire, Module } from 'node:module';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { bundle } from '../program.ts';

const text = readFileSync(bundle, 'latin1');

it('is one file of which every part can be loaded', () => {
  const launcher = text
    .slice(text.indexOf("'use strict'"), text.indexOf('\n/*\n'))
    .replace("load('./main.js');", 'return { load, places };');
  const launch = new Function('require', 'module', '__filename', '__dirname', launcher);
  const { load, places } = launch(createRequire(bundle), new Module(bundle), bundle, dirname(bundle)) as {
    load(name: string): object;
    places: Readonly<Record<string, readonly [number, number]>>;
  };
  const names = Object.keys(places).filter((name) => name !== './main.js');
  expect(names.length).toBeGreaterThan(1);
  for (const name of names) expect(load(name), name).toBeTypeOf('object');
});

it('is of one-byte characters throughout, which Node reads fastest', () => {
  expect(/[^\0-\x7f]/.exec(text)).toBeNull();
});

it('names no place of the machine it was built on', () => {
  expect(text).not.toContain(dirname(dirname(bundle)));
});
