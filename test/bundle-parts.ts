import { readFileSync } from 'node:fs';
import { createRequire, Module } from 'node:module';
import { dirname } from 'node:path';

/** Loads every part of a bundle, as the program would at one time or another. */
export function loadParts(bundle: string): Readonly<Record<string, unknown>> {
  const text = readFileSync(bundle, 'latin1');
  const launcher = text
    .slice(text.indexOf("'use strict'"), text.indexOf('\n/*\n'))
    .replace("load('./main.js');", 'return { load, places };');
  const launch = new Function('require', 'module', '__filename', '__dirname', launcher);
  const { load, places } = launch(createRequire(bundle), new Module(bundle), bundle, dirname(bundle)) as {
    load(name: string): object;
    places: Readonly<Record<string, readonly [number, number]>>;
  };
  const names = Object.keys(places).filter((name) => name !== './main.js');
  return Object.fromEntries(names.map((name) => [name, load(name)]));
}
