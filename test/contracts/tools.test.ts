import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ContractName } from '../../src/contracts/contract.ts';
import { initialize } from '../program.ts';
import { transports } from './peer.ts';

async function toolsReply(contract: ContractName): Promise<unknown> {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-tools-'));
  try {
    const peer = await transports.memory({ contract, argv: ['--home', folder], env: { HOME: folder } });
    try {
      await peer.exchange(initialize('2025-06-18'));
      return await peer.exchange({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    } finally {
      await peer.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

// The texts and schemas of `standard` may change; what a drop-in contract lists must not.
describe('tools/list of a drop-in contract', () => {
  it.each(['commands', 'jsonl', 'twig', 'delegate', 'assistant'] as const)(
    'keeps its bytes in %s',
    async (contract) => {
      const golden = readFileSync(`test/contracts/${contract}.tools.json`, 'utf8');
      expect(JSON.stringify(await toolsReply(contract))).toBe(JSON.stringify(JSON.parse(golden)));
    },
  );
});
