import { expect, it } from 'vitest';
import { standard } from '../contracts/standard.ts';
import { Failure } from '../failure.ts';
import type { Feature } from '../feature.ts';
import { defineBareTool } from '../tool.ts';
import { connectMemory } from '../transports/memory.ts';
import { Server } from './server.ts';

/** Calls a tool that waits for its abort signal. `reason` resolves to the reason of the abort. */
function startWaiting() {
  const started = Promise.withResolvers<void>();
  const reason = Promise.withResolvers<Failure>();
  const feature: Feature = {
    name: 'waiting',
    tools: [
      defineBareTool({
        name: 'wait',
        description: 'Waits.',
        inputSchema: { type: 'object' },
        call: (_, { signal }) =>
          new Promise<never>(() => {
            signal.addEventListener('abort', () => reason.resolve(signal.reason));
            started.resolve();
          }),
      }),
    ],
  };
  const client = connectMemory(new Server({ contract: standard, features: [feature] }));
  void client.exchange({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait' } });
  return { client, started: started.promise, reason: reason.promise };
}

it('gives a tool different abort reasons for a disconnected and for a cancelling client', async () => {
  const disconnected = startWaiting();
  await disconnected.started;
  disconnected.client.close();
  expect(await disconnected.reason).toMatchObject({ kind: 'cancelled', data: { disconnected: true } });

  const cancelling = startWaiting();
  await cancelling.started;
  await cancelling.client.notify('notifications/cancelled', { requestId: 1, reason: 'enough' });
  const reason = await cancelling.reason;
  expect(reason).toBeInstanceOf(Failure);
  expect(reason).toMatchObject({ kind: 'cancelled', message: 'enough', data: undefined });
});

it('starts a tool before it serves a cancellation that arrives together with the call', async () => {
  // Loads the validator, for which the first call waits.
  await startWaiting().started;
  const { client, reason } = startWaiting();
  void client.notify('notifications/cancelled', { requestId: 1, reason: 'enough' });
  expect(await reason).toMatchObject({ kind: 'cancelled', message: 'enough' });
});

it('cancels a request whose client gives a reason that is not a text', async () => {
  const { client, started, reason } = startWaiting();
  await started;
  await client.notify('notifications/cancelled', { requestId: 1, reason: { toString: 1 } });
  expect(await reason).toMatchObject({ kind: 'cancelled', message: 'The client cancelled the request.' });
});

it('fails a call whose question the client answers with an error without a text', async () => {
  const asking = defineBareTool({
    name: 'ask',
    description: 'Asks.',
    inputSchema: { type: 'object' },
    async call(_, context) {
      const params = { message: 'Name?', requestedSchema: { type: 'object', properties: {} } };
      await context.ask({ name: { method: 'elicitation/create', params } });
      return {};
    },
  });
  const server = new Server({ contract: standard, features: [{ name: 'asking', tools: [asking] }] });
  const session = server.connect((question) => {
    const error = { code: 1, message: { toString: 1 } };
    queueMicrotask(() => void session.receive({ jsonrpc: '2.0', id: question['id'], error }));
  });
  const begin = { protocolVersion: '2025-11-25', capabilities: { elicitation: {} } };
  await session.receive({ jsonrpc: '2.0', id: 0, method: 'initialize', params: begin });
  const reply = await session.receive({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'ask' },
  });
  expect(reply).toMatchObject({
    id: 1,
    result: {
      isError: true,
      content: [{ text: 'The client answered with an error: it has no message' }],
    },
  });
});
