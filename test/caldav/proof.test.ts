import { describe, expect, it } from 'vitest';
import { corpus } from './corpus.ts';
import { editCorpus, proofServers, race } from './proof.ts';

it('the corpus has at least a hundred different objects', () => {
  expect(new Set(corpus.map(({ text }) => text)).size).toBeGreaterThanOrEqual(100);
});

for (const [name, { isInstalled, start }] of Object.entries(proofServers))
  describe.skipIf(!isInstalled)(`write-back to ${name}${isInstalled ? '' : ' (not installed)'}`, () => {
    it('loses no update of three writers and keeps all other properties byte for byte', {
      timeout: 120_000,
    }, async () => {
      const server = await start();
      try {
        const edited = await editCorpus(server, server.exact ? 1 : 7);
        // Cyrus takes no empty properties.
        const rejected = edited.rejected.filter((one) => !/^caldavsynchronizer.*No value for X/.test(one));
        expect({ ...edited, rejected }).toMatchObject({ rejected: [], damaged: [] });
        if (!server.spoils) expect(edited.spoiled).toEqual([]);
        expect(edited.objects).toBeGreaterThanOrEqual(server.exact ? 100 : 14);
        if (server.losesWrites) return;
        const { lost, succeeded, refused } = await race(server, 4);
        expect(lost).toEqual([]);
        expect([succeeded, refused]).toEqual([10, 2]);
        // Without a collision, the races would prove nothing.
        if (server.refusals) expect(server.refusals()).toBeGreaterThan(0);
      } finally {
        await server.close();
      }
    });
  });
