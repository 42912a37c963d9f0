import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { contractNames } from '../../src/contracts/contract.ts';
import { mismatch } from './match.ts';
import { type PeerOptions, transports } from './peer.ts';
import { renderResult } from './rendering.ts';
import { parseTranscript, type Scene } from './transcript.ts';

/** Copies the scene's fixture and runs its `setup.ts`, if it has one. */
async function prepare(scene: Scene, folder: string): Promise<Pick<PeerOptions, 'argv' | 'env'>> {
  const { fixture } = scene;
  if (fixture === undefined) return { argv: ['--home', folder], env: { HOME: folder } };
  const source = join('test/fixtures', fixture.as === 'home' ? 'homes' : 'users', fixture.name);
  cpSync(source, folder, { recursive: true });
  const setup = join(source, 'setup.ts');
  if (existsSync(setup)) await (await import(pathToFileURL(resolve(setup)).href)).setup(folder);
  return { argv: fixture.as === 'home' ? ['--home', folder] : [], env: { HOME: folder } };
}

async function replay(
  scene: Scene,
  open: (typeof transports)['memory'],
  contract: PeerOptions['contract'],
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-scene-'));
  try {
    const { rendering } = scene;
    if (rendering !== undefined) {
      expect(await renderResult(rendering.tool, rendering.result)).toBe(rendering.text);
      return;
    }
    const peer = await open({ contract, ...(await prepare(scene, folder)) });
    try {
      for (const { line, sent, expected, elided } of scene.exchanges) {
        const difference = mismatch(expected, await peer.exchange(sent), elided);
        if (difference !== undefined) throw new Error(`${contract}.transcript:${line}: ${difference}`);
      }
    } finally {
      await peer.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const present = contractNames.filter((name) => existsSync(`test/contracts/${name}.transcript`));

describe.each(present)('the contract %s', (contract) => {
  const scenes = parseTranscript(`test/contracts/${contract}.transcript`);
  describe.each(Object.keys(transports) as (keyof typeof transports)[])('over %s', (transport) => {
    for (const scene of scenes) {
      it(
        scene.pending === undefined ? scene.title : `${scene.title} (pending: ${scene.pending})`,
        async () => {
          const replayed = replay(scene, transports[transport], contract);
          if (scene.pending === undefined) return replayed;
          await expect(replayed, 'the scene passes now: remove "@ pending"').rejects.toThrow();
        },
      );
    }
  });
});
