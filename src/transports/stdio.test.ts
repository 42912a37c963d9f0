import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { standard } from '../contracts/standard.ts';
import { Server } from '../engine/server.ts';
import { serveStdio } from './stdio.ts';

const messages = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `{"jsonrpc":"2.0","id":${from + index},"method":"ping"}\n`);

/** Serves the chunks, which arrive without a pause, and returns the ids of the replies. */
async function serve(chunks: readonly string[], isFirstAnswered = false): Promise<readonly number[]> {
  const input = new PassThrough();
  let output = '';
  const written = {
    write(text: string) {
      output += text;
      return true;
    },
    once: () => {},
  };
  const server = new Server({ contract: standard, features: [] });
  const served = serveStdio(server, input, written, 1024 * 1024, isFirstAnswered);
  for (const chunk of chunks) input.write(chunk);
  input.end();
  await served;
  await server.close();
  return output
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { readonly id: number }).id);
}

it('answers messages that arrive together in their order, also if the input ends at once', async () => {
  const ids = [...Array(100).keys()];
  expect(await serve([messages(0, 100).join('')])).toEqual(ids);
  const chunks = [messages(0, 9), messages(9, 60), messages(60, 100)].map((some) => some.join(''));
  expect(await serve(chunks)).toEqual(ids);
  // The end of the input completes the last message.
  expect(await serve([messages(0, 100).join('').trimEnd()])).toEqual(ids);
});

it('leaves out the reply to the first message only, even if a later one is answered earlier', async () => {
  const refused = `{"jsonrpc":"2.0","id":7,"method":"${'m'.repeat(300)}"}\n`;
  expect(await serve([messages(0, 1)[0] + refused], true)).toEqual([7]);
});
