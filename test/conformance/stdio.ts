// Serves the fixtures with our engine over stdio.
import { standard } from '../../src/contracts/standard.ts';
import { Server } from '../../src/engine/server.ts';
import { serveStdio } from '../../src/transports/stdio.ts';
import { createFixtures } from './fixtures.ts';

const server = new Server({ contract: standard, features: [createFixtures()] });
await serveStdio(server, process.stdin, process.stdout, 4 * 1024 * 1024);
await server.close();
