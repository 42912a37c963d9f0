import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { standard } from '../../src/contracts/standard.ts';
import { Server } from '../../src/engine/server.ts';
import { serveStdio } from '../../src/transports/stdio.ts';
import { createFixtures } from '../conformance/fixtures.ts';
import { createChance, noise } from './noise.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

export interface HeapFindings {
  /** Bytes in use after a collection, with one flood behind us and with the last. */
  readonly before: number;
  readonly after: number;
  readonly sessions: number;
}

/** Sessions full of noise, one after another, on an engine in this process; what is left of them when they are over. */
export async function floodEngine(count: number, seed: number): Promise<HeapFindings> {
  const chance = createChance(seed);
  const server = new Server({ contract: standard, features: [createFixtures()] });
  const floods = 5;
  const heaps: number[] = [];
  for (let flood = 0; flood < floods; flood++) {
    const input = new PassThrough();
    const output = new PassThrough();
    output.resume();
    const served = serveStdio(server, input, output, 64 * 1024);
    for (let said = 0; said < count / floods; said++) {
      if (!input.write(Buffer.concat([noise(chance, 64 * 1024), Buffer.from('\n')])))
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
