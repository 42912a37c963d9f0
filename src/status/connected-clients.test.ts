import { expect, it } from 'vitest';
import { connectedClients } from './connected-clients.ts';

const connection = (name: string, protocolVersion: string, connectedAt: number) => ({
  client: { name, version: '1', protocolVersion, capabilities: {} },
  connectedAt,
});

it('lists a client without sessions once, and every session of the others', () => {
  const clients = connectedClients(
    [
      connection('page', 'new', 5_000),
      connection('codex', 'old', 2_000),
      connection('codex', 'old', 3_000),
      connection('page', 'new', 1_000),
      connection('other', 'new', 4_000),
    ],
    'new',
  );
  expect(clients.map(({ name, since }) => `${name} ${Date.parse(since) / 1000}`)).toEqual([
    'page 1',
    'codex 2',
    'codex 3',
    'other 4',
  ]);
});
