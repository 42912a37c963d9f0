import { expect, it } from 'vitest';
import { standard } from '../contracts/standard.ts';
import { Failure } from '../failure.ts';
import { defineTool, type Feature } from '../feature.ts';
import { connectMemory } from '../transports/memory.ts';
import { Server } from './server.ts';

/** A tool that waits for its signal and leaves the reason behind. */
function waiting() {
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

it('lets a tool tell a client that has gone from one that has changed its mind', async () => {
  const left = waiting();
  await left.started;
  left.client.close();
  expect(await left.reason).toMatchObject({ kind: 'cancelled', data: { disconnected: true } });

  const undecided = waiting();
  await undecided.started;
  await undecided.client.notify('notifications/cancelled', { requestId: 1, reason: 'enough' });
  const reason = await undecided.reason;
  expect(reason).toBeInstanceOf(Failure);
  expect(reason).toMatchObject({ kind: 'cancelled', message: 'enough', data: undefined });
});
