import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AssistantOptions, createAssistant } from '../src/assistant/assistant.ts';
import type { ContractName } from '../src/contracts/contract.ts';
import { contracts } from '../src/contracts/contracts.ts';
import { Server } from '../src/engine/server.ts';
import type { JsonObject } from '../src/json.ts';
import { connectMemory, type MemoryClient, type MemoryOptions } from '../src/transports/memory.ts';
import { channelConfig } from './channel-config.ts';

/** A Monday morning in Berlin. */
export const monday = Date.parse('2026-11-16T08:00:00Z');

export interface TestAssistant extends AsyncDisposable {
  now: number;
  readonly file: string;
  readonly server: Server;
  readonly client: MemoryClient;
  /** Returns the structured result of a tool; throws its error message if it fails. */
  call(tool: string, args?: JsonObject): Promise<JsonObject>;
  connect(contract: ContractName, options?: MemoryOptions): MemoryClient;
}

interface TestOptions extends Partial<Omit<AssistantOptions, 'channels'>> {
  readonly file?: string;
  readonly memory?: MemoryOptions;
  /** Overrides the default channels. */
  readonly channels?: Partial<AssistantOptions['channels']>;
}

/** Opens an assistant with its own database and a clock that the test controls. */
export function openAssistant(options: TestOptions = {}): TestAssistant {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-assistant-'));
  const file = options.file ?? join(folder, 'adjutant.db');
  const servers: Server[] = [];
  const createFeature = (contract: ContractName) =>
    createAssistant({
      unpaged: contract === 'assistant',
      databaseUrl: file,
      calendars: {
        privateHosts: [],
        passwordsFile: join(folder, 'passwords'),
        maxBytes: 10_000_000,
        intervalMs: 900_000,
      },
      toolTimeoutMs: 20_000,
      policy: { name: 'rules', timeoutMs: 5000 },
      clock: () => opened.now,
      ...options,
      channels: channelConfig(join(folder, 'outbox'), options.channels),
    });
  const serve = (contract: ContractName) => {
    const server = new Server({ contract: contracts[contract], features: [createFeature(contract)] });
    servers.push(server);
    return server;
  };
  const server = serve('standard');
  const client = connectMemory(server, options.memory);
  const opened: TestAssistant = {
    now: monday,
    file,
    server,
    client,
    async call(name, args = {}) {
      const result = await client.request('tools/call', { name, arguments: args });
      if (result['isError']) throw new Error((result['content'] as { text: string }[])[0]!.text);
      return result['structuredContent'] as JsonObject;
    },
    connect: (contract, memory) => connectMemory(serve(contract), memory),
    async [Symbol.asyncDispose]() {
      for (const one of servers) await one.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return opened;
}
