import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createEndpoint } from './assistant/policy/models.ts';
import { ask } from './assistant/sending/probe.ts';
import type { ChatModel } from './chat-model.ts';
import { fetchJson } from './identity/authorization-server.ts';
import { askModel, streamAnswer } from './prompts/testing/test-model.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A model, or another server, whose reply never ends. */
async function endless(piece: string, type = 'application/json'): Promise<ChatModel> {
  server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': type });
    const send = () => {
      while (!response.destroyed && response.write(piece));
      if (!response.destroyed) response.once('drain', send);
    };
    send();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, model: 'endless', timeoutMs: 25_000 };
}

const spaces = ' '.repeat(10_000);
const messages = [{ role: 'user', content: 'Hello' }] as const;
const tooLong = /the reply is longer than 1048576 characters/;

describe('a reply that never ends', () => {
  it('is refused when it judges an answer', async () => {
    await expect(askModel(await endless(spaces), messages)).rejects.toThrow(tooLong);
  });

  it('is refused when it plans notifications', async () => {
    const model = createEndpoint(await endless(spaces));
    const [answer] = await model.ask(
      [{ key: 'a', system: '', user: '', facts: {} }],
      new AbortController().signal,
    );
    expect(answer).toEqual({ error: expect.stringMatching(tooLong) });
  });

  it('is refused when an authorization server sends it', async () => {
    const { url } = await endless(spaces);
    await expect(fetchJson(url)).rejects.toThrow(tooLong);
  });

  it('is cut off when doctor asks a provider', async () => {
    const { url } = await endless(spaces);
    expect(await ask(url, '/models')).toEqual({ host: new URL(url).host, status: 200, body: undefined });
  });

  it.each([
    ['without a stream', spaces, 'application/json'],
    ['in one line', spaces, 'text/event-stream'],
    [
      'in many lines',
      `data: ${JSON.stringify({ choices: [{ delta: { content: spaces } }] })}\n\n`,
      'text/event-stream',
    ],
  ])('is refused while a prompt is tried, %s', async (_, piece, type) => {
    const answer = streamAnswer(await endless(piece, type), messages, () => {}, new AbortController().signal);
    await expect(answer).rejects.toThrow(tooLong);
  });
});
