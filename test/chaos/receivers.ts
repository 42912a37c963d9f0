import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** A mail server and a receiver of webhooks. They never fail, so that every missing message is the sender's fault. */
export interface Receivers {
  readonly smtpUrl: string;
  readonly webhookUrl: string;
  /** How often each notification arrived, by its id. */
  readonly arrivals: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

export async function startReceivers(): Promise<Receivers> {
  const arrivals = new Map<string, number>();
  const arrived = (id: string) => arrivals.set(id, (arrivals.get(id) ?? 0) + 1);
  const hooks = createServer((request, response) => {
    request.resume().on('end', () => {
      arrived(String(request.headers['idempotency-key']));
      response.writeHead(204).end();
    });
  });
  const mail = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _, done) {
      let text = '';
      stream.on('data', (chunk: Buffer) => {
        text += chunk;
      });
      stream.on('end', () => {
        arrived(decodeURIComponent(/^Message-ID: <(.*)@/im.exec(text)?.[1] ?? 'unknown'));
        done();
      });
    },
  });
  // A killed sender resets its connection.
  mail.on('error', () => {});
  for (const server of [hooks, mail.server]) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
  const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;
  return {
    smtpUrl: `smtp://127.0.0.1:${portOf(mail.server)}`,
    webhookUrl: `http://127.0.0.1:${portOf(hooks)}/`,
    arrivals,
    async close() {
      hooks.closeAllConnections();
      hooks.close();
      await new Promise<void>((resolve) => mail.close(() => resolve()));
    },
  };
}
