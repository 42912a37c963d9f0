import { standard } from '../../src/contracts/standard.ts';
import { Server } from '../../src/engine/server.ts';
import { serveHttp } from '../../src/transports/http.ts';
import { createFixtures } from './fixtures.ts';
import { createFixtureSkills } from './skills.ts';

export interface FixtureEndpoint extends AsyncDisposable {
  readonly url: string;
}

/** Serves the fixtures with our engine over HTTP. */
export function startFixtures(): Promise<FixtureEndpoint> {
  const features = [createFixtures(), createFixtureSkills()];
  return startServer(new Server({ contract: standard, features }));
}

/** Serves over HTTP without a token, because the suite cannot send one. */
export async function startServer(server: Server): Promise<FixtureEndpoint> {
  const endpoint = await serveHttp({
    host: '127.0.0.1',
    port: 0,
    allowedHosts: [],
    maxMessageBytes: 4 * 1024 * 1024,
    serverFor: (contract) => (contract === undefined ? server : undefined),
    page: async (_, response) => void response.writeHead(404).end(),
  });
  return {
    url: `${endpoint.url}/mcp`,
    async [Symbol.asyncDispose]() {
      await endpoint.close();
      await server.close();
    },
  };
}
