import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Checkup, createCheckup } from '../../../test/checkup.ts';
import { checkDisks, checkPort } from './checks-machine.ts';

let home: Checkup;
beforeEach(() => {
  home = createCheckup();
});
afterEach(() => home[Symbol.asyncDispose]());

describe('the port', () => {
  const check = async (port: number, host = '127.0.0.1') =>
    checkPort((await home.load({ ADJUTANT_HTTP_PORT: String(port), ADJUTANT_HTTP_HOST: host })).config);

  it('is reported as free or as used by another program', async () => {
    expect(await check(await home.deadPort())).toMatchObject([{ state: 'good' }]);
    const port = await home.listen(createServer((socket) => socket.resume().end('SSH-2.0\r\n')));
    expect(await check(port)).toMatchObject([
      { state: 'warning', detail: `${port} on 127.0.0.1 is used by another program` },
    ]);
  });

  it('is reported with a hint to --host if the address is not of this machine', async () => {
    expect(await check(await home.deadPort(), '192.0.2.1')).toMatchObject([
      { state: 'warning', remedy: expect.stringContaining('--host') },
    ]);
  });
});

it('reports the free space on the disk', async () => {
  const [first] = await checkDisks((await home.load({})).config);
  expect(first).toMatchObject({
    title: 'Disk',
    detail: expect.stringMatching(/^[\d.]+ [MG]B free on the disk of \//),
  });
});
