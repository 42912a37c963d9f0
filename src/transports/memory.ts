import type { Server } from '../engine/server.ts';
import { isObject, type JsonObject } from '../json.ts';
import type { Access } from '../toolsets/access.ts';

export interface MemoryClient {
  /** Sends any JSON value and resolves to the reply, serialized as on a real connection. */
  exchange(message: unknown): Promise<unknown>;
  request(method: string, params?: JsonObject): Promise<JsonObject>;
  notify(method: string, params?: JsonObject): Promise<void>;
  close(): void;
}

/** The error in a reply. */
class RemoteError extends Error {
  readonly code: number;
  readonly data: unknown;
  constructor(code: number, message: string, data: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export interface MemoryOptions {
  readonly onNotification?: (method: string, params: JsonObject) => void;
  /** Answers requests of the server, such as elicitation. */
  readonly onRequest?: (method: string, params: JsonObject) => Promise<JsonObject>;
  readonly initialize?: JsonObject;
  /** What the client may use. Default: the server's access. */
  readonly access?: Access;
}

/** Connects a client in the same process. It uses the same protocol as every other client. */
export function connectMemory(server: Server, options: MemoryOptions = {}): MemoryClient {
  const wire = (value: unknown) => JSON.parse(JSON.stringify(value));
  const session = server.connect((sent) => {
    const message = wire(sent) as JsonObject;
    const params = (isObject(message['params']) ? message['params'] : {}) as JsonObject;
    if (!('id' in message)) return options.onNotification?.(String(message['method']), params);
    void (
      options.onRequest?.(String(message['method']), params) ?? Promise.reject(new Error('not supported'))
    ).then(
      (result) => session.receive({ jsonrpc: '2.0', id: message['id'], result }),
      (error: Error) =>
        session.receive({
          jsonrpc: '2.0',
          id: message['id'],
          error: { code: -32601, message: error.message },
        }),
    );
  }, options);
  let ids = 0;
  return {
    async exchange(message) {
      const reply = await session.receive(wire(message));
      return reply === undefined ? undefined : wire(reply);
    },
    async request(method, params = {}) {
      const reply = wire(await session.receive(wire({ jsonrpc: '2.0', id: ++ids, method, params })));
      if (isObject(reply.error))
        throw new RemoteError(
          Number(reply.error['code']),
          String(reply.error['message']),
          reply.error['data'],
        );
      return reply.result;
    },
    async notify(method, params = {}) {
      await session.receive(wire({ jsonrpc: '2.0', method, params }));
    },
    close: () => session.close(),
  };
}
