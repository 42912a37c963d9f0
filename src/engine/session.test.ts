import { expect, it } from 'vitest';
import { standard } from '../contracts/standard.ts';
import { Failure } from '../failure.ts';
import type { Feature } from '../feature.ts';
import { defineTool } from '../tool.ts';
import { connectMemory } from '../transports/memory.ts';
import { Server } from './server.ts';

/** Calls a tool that waits for its abort signal. `reason` resolves to the reason of the abort. */
function startWaiting() {
  const started = Promise.withResolvers<void>();
  const reason = Promise.withResolvers<Failure>();
  const feature: Feature = {
    name: 'waiting',
    tools: [
      defineTool({
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
