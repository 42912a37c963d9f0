import type { Client } from '../context.ts';
import type { ConnectedClient } from './status.ts';

interface Connection {
  readonly client: Client;
  readonly connectedAt: number;
}

/**
 * Lists the connected clients. In the revision without sessions, every request is a connection of its own, so the connections
 * of one client are merged.
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
