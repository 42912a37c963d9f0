import { createServer } from '../app.ts';
import type { LoadedConfig } from '../config.ts';
import type { JsonObject } from '../json.ts';
import { connectMemory } from '../transports/memory.ts';
import { version } from '../version.ts';
import type { Terminal } from './command.ts';

/** A tool's answer as a command needs it: for people and for programs. */
export interface Answer {
  readonly text: string;
  readonly value: JsonObject;
}

export interface Door extends AsyncDisposable {
  /** Calls a tool; what it refuses is thrown. */
  call(tool: string, args: JsonObject): Promise<Answer>;
  request(method: string, params: JsonObject): Promise<JsonObject>;
}

/** Commands go through the same door as every client: they speak MCP to the engine, in memory. */
export async function openDoor(
  { config, origins }: LoadedConfig,
  terminal: Terminal,
  onNotification: (method: string, params: JsonObject) => void = () => {},
): Promise<Door> {
  const server = createServer('standard', config, { origins, env: terminal.env });
  const client = connectMemory(server, { onNotification });
  await client.request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'adjutant', version },
  });
  return {
    async call(tool, args) {
      const result = await client.request('tools/call', {
        name: tool,
        arguments: args,
        _meta: { progressToken: tool },
      });
      const text = (result['content'] as { text?: string }[]).map((part) => part.text ?? '').join('\n');
      if (result['isError'] === true) throw new Error(text);
      return { text, value: (result['structuredContent'] ?? {}) as JsonObject };
    },
    request: (method, params) => client.request(method, params),
    [Symbol.asyncDispose]: () => server.close(),
  };
}
