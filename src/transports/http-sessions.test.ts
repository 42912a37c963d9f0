import { once } from 'node:events';
import {
  createServer as createListener,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { standard } from '../contracts/standard.ts';
import { Server } from '../engine/server.ts';
import type { JsonObject } from '../json.ts';
import { defineBareTool } from '../tool.ts';
import { EventStream } from './event-stream.ts';
import { type HttpEndpoint, serveHttp } from './http.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

type Headers = Readonly<Record<string, string>>;

/** Sends a request and returns its response unread. */
async function send(url: string, message: unknown, headers: Headers = {}): Promise<IncomingMessage> {
  const accept = 'application/json, text/event-stream';
  const sent = request(url, {
    method: message === undefined ? 'GET' : 'POST',
    headers: { accept, 'content-type': 'application/json', ...headers },
    agent: false,
  });
  sent.end(message === undefined ? undefined : JSON.stringify(message));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.on('error', () => {});
  return response;
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** The messages of a response, which is either a stream or a single reply. */
async function messagesOf(response: IncomingMessage): Promise<readonly JsonObject[]> {
  const text = await textOf(response);
  if (!response.headers['content-type']?.includes('event-stream')) return [JSON.parse(text)];
  return [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data!));
}

/** Reads until the first event, whose id allows to resume the stream, and disconnects. */
async function firstEventId(response: IncomingMessage): Promise<string> {
  let text = '';
  let id: string | undefined;
  const closed = once(response.socket, 'close');
  for await (const chunk of response) {
    text += chunk;
    id = /^id: (.+)$/m.exec(text)?.[1];
    if (id !== undefined) break;
  }
  await closed;
  return id!;
}

const call = (id: number, args: object = {}, name = 'report') => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args, _meta: { progressToken: id } },
});

/** A server with a tool that reports its progress and returns a text of the given length. */
async function open(limits: { sessionBytes: number; serverBytes: number }) {
  const called: number[] = [];
  const leaving = new Map<number, PromiseWithResolvers<void>>();
  const report = defineBareTool({
    name: 'report',
    description: 'Reports.',
    inputSchema: {
      type: 'object',
      properties: {
        length: { type: 'integer', default: 0 },
        number: { type: 'integer', default: 0 },
        waits: { type: 'boolean', default: false },
      },
    },
    async call({ length = 0, number = 0, waits = false }, context) {
      called.push(number);
      context.progress(1);
      if (waits) await leaving.get(number)?.promise;
      return { content: [{ type: 'text', text: 'x'.repeat(length) }] };
    },
  });
  const server = new Server({ contract: standard, features: [{ name: 'reports', tools: [report] }] });
  const endpoint: HttpEndpoint = await serveHttp({
    host: '127.0.0.1',
    port: 0,
    allowedHosts: [],
    maxMessageBytes: 1 << 20,
    replyLimits: limits,
    serverFor: () => server,
    page: async (_, response) => void response.writeHead(404).end(),
  });
  closing.push(async () => {
    await endpoint.close();
    await server.close();
  });
  const url = `${endpoint.url}/mcp`;
  return {
    url,
    called,
    leaving,
    async begin(protocolVersion = '2025-11-25'): Promise<Headers> {
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } };
      const response = await send(url, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
      await textOf(response);
      return { 'mcp-session-id': String(response.headers['mcp-session-id']) };
    },
  };
}

describe('replies that a client has not read', () => {
  it('are dropped if there are too many, the oldest first, and the client is told', async () => {
    const { url, begin, leaving } = await open({ sessionBytes: 250_000, serverBytes: 1_000_000 });
    const session = await begin();
    const ids: string[] = [];
    for (const number of [1, 2, 3]) {
      leaving.set(number, Promise.withResolvers());
      const response = await send(url, call(number, { number, length: 100_000, waits: true }), session);
      ids.push(await firstEventId(response));
    }
    for (const { resolve } of leaving.values()) {
      // The server is in this process, and notices closed connections before it serves another request.
      await textOf(await send(url, { jsonrpc: '2.0', id: 9, method: 'ping' }, session));
      resolve();
    }
    const resumed: JsonObject[] = [];
    for (const id of ids) {
      const messages = await messagesOf(await send(url, undefined, { ...session, 'last-event-id': id }));
      resumed.push(messages.at(-1)!);
    }
    expect(resumed[0]).toMatchObject({ id: 1, error: { message: expect.stringContaining('was dropped') } });
    expect(resumed.slice(1)).toMatchObject([
      { id: 2, result: {} },
      { id: 3, result: {} },
    ]);
  });

  it('let further requests of their session wait, until they are read', async () => {
    const { url, begin, called } = await open({ sessionBytes: 1_000_000, serverBytes: 100_000_000 });
    const [session, other] = [await begin(), await begin()];
    // More than the buffers of the system hold.
    const unread = await send(url, call(1, { number: 1, length: 30_000_000 }), session);
    await textOf(await send(url, call(2, { number: 2 }), other));
    const waiting = send(url, call(3, { number: 3 }), session);
    for (let round = 0; round < 3; round++)
      await textOf(await send(url, { jsonrpc: '2.0', id: 9, method: 'ping' }, other));
    await textOf(await send(url, call(4, { number: 4 }), other));
    expect(called).toEqual([1, 2, 4]);
    expect((await messagesOf(unread)).at(-1)).toMatchObject({ id: 1, result: {} });
    expect((await messagesOf(await waiting)).at(-1)).toMatchObject({ id: 3, result: {} });
    expect(called).toEqual([1, 2, 4, 3]);
  });

  it('of several sessions do not keep a server from serving others', async () => {
    const { url, begin } = await open({ sessionBytes: 40_000_000, serverBytes: 50_000_000 });
    const hoarders = [await begin(), await begin(), await begin()];
    for (const session of hoarders) await send(url, call(1, { length: 30_000_000 }), session);
    const reply = await messagesOf(await send(url, call(1, { length: 10 }), await begin()));
    expect(reply.at(-1)).toMatchObject({ id: 1, result: { content: [{ text: 'xxxxxxxxxx' }] } });
  });
});

it('a batch is refused in part if the server holds too many replies', async () => {
  const { url, begin } = await open({ sessionBytes: 1_000_000, serverBytes: 5_000_000 });
  const session = await begin('2025-03-26');
  const batch = Array.from({ length: 40 }, (_, id) => call(id, { length: 200_000 }));
  const [replies] = (await messagesOf(await send(url, batch, session))).slice(-1) as unknown as [
    JsonObject[],
  ];
  expect(replies).toHaveLength(40);
  const refused = replies.filter((reply) => 'error' in reply);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]).toMatchObject({
    error: { message: expect.stringContaining('was not carried out. Read the replies') },
  });
});

it('a stream writes only as fast as its client reads', async () => {
  const stream = new EventStream('s', { isResumable: true });
  let response!: ServerResponse;
  const listener = createListener((_, given) => {
    response = given;
    stream.attach(given, {});
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  closing.push(async () => {
    listener.closeAllConnections();
    listener.close();
  });
  const { port } = listener.address() as AddressInfo;
  const reader = await send(`http://127.0.0.1:${port}/`, undefined);
  const text = 'x'.repeat(100_000);
  for (let number = 0; number < 200; number++) stream.send({ number, text });
  expect(response.writableLength).toBeLessThan(1_000_000);
  stream.end();
  const received = await messagesOf(reader);
  expect(received.map(({ number }) => number)).toEqual(Array.from({ length: 200 }, (_, number) => number));
});
