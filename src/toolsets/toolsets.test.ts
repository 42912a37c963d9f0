import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createServer } from '../app.ts';
import { loadConfig } from '../config.ts';
import type { Server } from '../engine/server.ts';
import { extensionMethods, methodWays, promptWays, resourceWays } from './other-ways.ts';
import { toolNames } from './toolsets.ts';

let home: string;
let server: Server;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'adjutant-toolsets-'));
  const { config } = await loadConfig({ argv: ['--home', home], env: { HOME: home }, cwd: home });
  server = createServer('standard', config);
});
afterAll(async () => {
  await server.close();
  rmSync(home, { recursive: true, force: true });
});

describe('the tables of toolsets', () => {
  it('have a tool for every method, extension, prompt provider and resource of standard', () => {
    const { features } = server;
    const methods = features.flatMap((feature) => Object.keys(feature.methods ?? {}));
    const extensions = features.flatMap((feature) => Object.keys(feature.extensions ?? {}));
    const prompts = features.filter((feature) => feature.prompts).map(({ name }) => name);
    const templates = features.flatMap((feature) => feature.resources?.templates ?? []);
    expect(Object.keys(methodWays).toSorted()).toEqual(methods.toSorted());
    // The views inside a chat are resources, so `resourceWays` decides about them.
    const needed = extensions.filter((id) => id !== 'io.modelcontextprotocol/ui');
    expect(Object.keys(extensionMethods).toSorted()).toEqual(needed.toSorted());
    expect(Object.keys(promptWays).toSorted()).toEqual(prompts.toSorted());
    expect(
      templates.filter(({ uriTemplate }) => !resourceWays.some(({ pattern }) => pattern.test(uriTemplate))),
    ).toEqual([]);
    const named = [
      ...Object.values(methodWays).map(({ tool }) => tool),
      ...Object.values(promptWays).flatMap(({ list, get }) => [list, get]),
      ...resourceWays.flatMap(({ list, read }) => [list, read]),
    ];
    expect(named.filter((name) => !toolNames.includes(name))).toEqual([]);
  });

  it('mark every method that does what a writing tool does as writing', () => {
    for (const { tool, writes } of Object.values(methodWays)) {
      const { annotations } = server.offeredTools.get(tool)!.tool;
      expect([tool, writes !== true]).toEqual([tool, annotations?.readOnlyHint === true]);
    }
  });
});
