import type { Client } from '../context.ts';
import type { ConnectedClient } from './status.ts';

interface Connection {
  readonly client: Client;
  readonly connectedAt: number;
}

/**
 * Who is connected, since when. In the revision without sessions every request stands for itself, and the one that asks is
 * one of them: those of one client are told as one.
 */
export function connectedClients(
  connections: readonly Connection[],
  sessionless: string,
): readonly ConnectedClient[] {
  const clients = new Map<string, ConnectedClient>();
  const oldestFirst = connections.toSorted((one, other) => one.connectedAt - other.connectedAt);
  for (const [index, { client, connectedAt }] of oldestFirst.entries()) {
    const { name, version, protocolVersion: protocol } = client;
    const key = protocol === sessionless ? JSON.stringify([name, version]) : String(index);
    if (!clients.has(key))
      clients.set(key, { name, version, protocol, since: new Date(connectedAt).toISOString() });
  }
  return [...clients.values()];
}
