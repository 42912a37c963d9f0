import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ContractName, contractNames } from '../../src/contracts/contract.ts';
import type { JsonObject } from '../../src/json.ts';
import { initialize } from '../program.ts';
import { type Peer, transports } from './peer.ts';

/** `String(value)` throws. */
const hostile = { toString: 1 };
const prefix = 'io.modelcontextprotocol/';
const modern = (more: object) => ({
  _meta: {
    [`${prefix}protocolVersion`]: '2026-07-28',
    [`${prefix}clientCapabilities`]: {},
    ...more,
  },
});

const wrongModernParts = [
  modern({ [`${prefix}protocolVersion`]: hostile }),
  modern({ [`${prefix}clientInfo`]: { name: hostile, version: '1' } }),
  modern({ [`${prefix}clientInfo`]: { name: 'test', version: hostile } }),
];

const methodsWithNames: Readonly<Record<ContractName, readonly string[]>> = {
  standard: ['tools/call', 'prompts/get', 'resources/read', 'resources/subscribe'],
  commands: ['tools/call'],
  jsonl: ['prompts/get'],
  twig: ['prompts/get'],
  delegate: ['tools/call'],
  assistant: ['tools/call', 'resources/read'],
};

const begin = (clientInfo: object, protocolVersion: unknown = '2025-06-18') => ({
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo },
});

/** Requests with a value of the wrong type in a place that is read before the parameters are validated. */
function requestsWithWrongTypes(contract: ContractName): readonly { method: unknown; params: object }[] {
  return [
    begin({ name: hostile, version: '1' }),
    begin({ name: 'test', version: hostile }),
    begin({ name: 'test', version: '1' }, hostile),
    ...methodsWithNames[contract].flatMap((method) =>
      [hostile, 7, null, ['a']].map((value) => ({ method, params: { name: value, uri: value } })),
    ),
    ...(contract === 'standard' ? wrongModernParts.map((params) => ({ method: 'tools/list', params })) : []),
  ];
}

async function withPeer(
  transport: keyof typeof transports,
  contract: ContractName,
  use: (peer: Peer) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-envelope-'));
  try {
    const peer = await transports[transport]({ contract, argv: ['--home', folder], env: { HOME: folder } });
    try {
      await use(peer);
    } finally {
      await peer.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const outcome = ({ id, error }: JsonObject) => [id, (error as JsonObject | undefined)?.['code'] ?? 'ok'];

describe.for(contractNames)('contract %s', (contract) => {
  it.for(['memory', 'stdio', 'http'] as const)(
    'refuses values of the wrong type with the id of the request over %s, and keeps serving',
    async (transport) => {
      await withPeer(transport, contract, async (peer) => {
        const ask = async (request: object) => outcome((await peer.exchange(request)) as JsonObject);
        const requests = requestsWithWrongTypes(contract);
        // The server must also survive a wrong first message, which it answers before its features are loaded.
        for (const [id, request] of requests.entries())
          expect(await ask({ jsonrpc: '2.0', id, ...request }), JSON.stringify(request)).toEqual([
            id,
            -32602,
          ]);
        expect(await ask({ jsonrpc: '2.0', id: 'm', method: hostile })).toEqual(['m', -32600]);
        expect(await ask(initialize('2025-03-26', 'i'))).toEqual(['i', 'ok']);
        if (contract === 'standard') {
          const batch = requests.map((request, id) => ({ jsonrpc: '2.0', id, ...request }));
          const replies = (await peer.exchange(batch)) as JsonObject[];
          expect(replies.map(outcome)).toEqual(requests.map((_, id) => [id, -32602]));
        }
        // Contracts without tools do not know the method.
        if (!methodsWithNames[contract].includes('tools/call'))
          expect(
            await ask({ jsonrpc: '2.0', id: 't', method: 'tools/call', params: { name: hostile } }),
          ).toEqual(['t', -32601]);
        // A server that a drop-in contract replaces does not know these parts, and ignores them.
        const method = methodsWithNames[contract].includes('tools/call') ? 'tools/list' : 'prompts/list';
        for (const params of contract === 'standard' ? [] : wrongModernParts)
          expect(await ask({ jsonrpc: '2.0', id: 'p', method, params })).toEqual(['p', 'ok']);
        expect(await ask(initialize('2025-03-26', 'last'))).toEqual(['last', 'ok']);
      });
    },
  );
});
