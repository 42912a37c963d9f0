import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { standard } from '../../src/contracts/standard.ts';
import { Server } from '../../src/engine/server.ts';
import { serveStdio } from '../../src/transports/stdio.ts';
import { createFixtures } from '../conformance/fixtures.ts';
import { createRandom, noise } from './noise.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

export interface HeapFindings {
  /** Heap size in bytes after garbage collection: after the first flood and after the last. */
  readonly before: number;
  readonly after: number;
  readonly sessions: number;
}

/** Runs several sessions full of noise on an engine in this process, and measures what they leave in memory. */
export async function floodEngine(count: number, seed: number): Promise<HeapFindings> {
  const random = createRandom(seed);
  const server = new Server({ contract: standard, features: [createFixtures()] });
  const floods = 5;
  const heaps: number[] = [];
  for (let flood = 0; flood < floods; flood++) {
    const input = new PassThrough();
    const output = new PassThrough();
    output.resume();
    const served = serveStdio(server, input, output, 64 * 1024);
    for (let sent = 0; sent < count / floods; sent++) {
      if (!input.write(Buffer.concat([noise(random, 64 * 1024), Buffer.from('\n')])))
        await once(input, 'drain');
    }
    input.end();
    await served;
    for (let round = 0; round < 3; round++) {
      await new Promise((resolve) => setImmediate(resolve));
      collect();
    }
    heaps.push(process.memoryUsage().heapUsed);
  }
  const { size: sessions } = server.sessions;
  await server.close();
  return { before: heaps[0]!, after: heaps.at(-1)!, sessions };
}
