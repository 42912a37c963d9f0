import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { Pace, turnOfEventLoop } from './pace.ts';

function beBusy(milliseconds: number): void {
  for (const until = performance.now() + milliseconds; performance.now() < until; );
}

it('a turn of the event loop reads requests that arrived during the work before', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const client = connect((server.address() as { port: number }).port, '127.0.0.1');
  const [socket] = await accepted;
  const received: string[] = [];
  socket.on('data', (chunk) => received.push(`${chunk}`));
  client.write('first');
  // The work starts while a request is handled, as in the server.
  await once(socket, 'data');
  client.write('second');
  beBusy(50);
  await turnOfEventLoop();
  expect(received).toEqual(['first', 'second']);
  client.write('third');
  const pace = new Pace();
  beBusy(50);
  await pace.pause;
  expect(received).toEqual(['first', 'second', 'third']);
  client.destroy();
  socket.destroy();
  server.close();
});
