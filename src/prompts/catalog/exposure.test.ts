import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { placesIn } from '../../../test/prompts/open-prompts.ts';
import { plantTree } from '../../../test/tree.ts';
import { MountSource } from '../mounts/mount.ts';
import { Catalog } from './catalog.ts';
import { Exposure } from './exposure.ts';
import { Shelf } from './shelf.ts';
import { Usage } from './usage.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

it('uses of a prompt change the list on the next day, and only for new clients', async () => {
  const home = plantTree({});
  const names = Array.from({ length: 20 }, (_, index) => `p${index + 10}`);
  const path = plantTree(Object.fromEntries(names.map((name) => [`${name}/system.md`, 'x'])));
  const { documents } = placesIn(home);
  const catalog = new Catalog([new MountSource({ format: 'fabric', path })]);
  const usage = new Usage(documents, home);
  const exposure = new Exposure(
    catalog,
    { rules: ['used', 'others'], limit: 5 },
    new Shelf(documents),
    usage,
  );
  const client = {};
  const list = async (of: object) => {
    const chosen = await exposure.choose(await catalog.list(), of);
    return chosen.map(({ definition }) => definition.name);
  };
  const first = await list(client);
  expect(first).not.toContain('p29');
  usage.record('p29', 'tester');
  await usage.flush();
  expect(await list(client)).toEqual(first);
  expect(await list({})).toEqual(first);
  vi.setSystemTime(Date.now() + 86_400_000);
  expect(await list(client)).toEqual(first);
  expect(await list({})).toContain('p29');
  catalog.close();
  await documents.close();
});
