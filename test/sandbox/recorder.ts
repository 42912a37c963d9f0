import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that records every connection, for data that must not arrive there. */
export interface Recorder {
  readonly url: string;
  readonly requests: readonly string[];
  close(): Promise<void>;
}

export async function startRecorder(): Promise<Recorder> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(404).end('{}');
  });
  server.on('connection', () => requests.push('connection'));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
