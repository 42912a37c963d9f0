import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LoadedConfig, loadConfig } from '../src/config.ts';
import { type Provider, startProvider } from './provider.ts';

/** An empty home folder and test servers, for tests of the doctor's checks. */
export interface Checkup extends AsyncDisposable {
  readonly folder: string;
  load(env?: Readonly<Record<string, string>>): Promise<LoadedConfig>;
  /** Listens on a free port until the end of the test. */
  listen(server: Server): Promise<number>;
  provider(...answer: Parameters<typeof startProvider>): Promise<Provider>;
  /** A port on which nothing listens. */
  deadPort(): Promise<number>;
  afterwards(close: () => unknown): void;
}

export function createCheckup(): Checkup {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-checkup-'));
  const cleanups: (() => unknown)[] = [];
  const close = (server: Server) => new Promise((resolve) => server.close(resolve));
  const open = async (server: Server) => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as { port: number }).port;
  };
  return {
    folder,
    load: (env = {}) => loadConfig({ argv: ['--home', folder], env, cwd: folder }),
    async listen(server) {
      cleanups.push(() => close(server));
      return open(server);
    },
    async provider(...answer) {
      const started = await startProvider(...answer);
      cleanups.push(started.close);
      return started;
    },
    async deadPort() {
      const server = createServer();
      const port = await open(server);
      await close(server);
      return port;
    },
    afterwards: (cleanup) => cleanups.push(cleanup),
    async [Symbol.asyncDispose]() {
      for (const cleanup of cleanups) await cleanup();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
