import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { standard } from '../contracts/standard.ts';
import { Server } from '../engine/server.ts';
import { type Opening, serveStdio } from './stdio.ts';

const messages = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `{"jsonrpc":"2.0","id":${from + index},"method":"ping"}\n`);

/** Serves the chunks, which arrive without a pause, and returns the ids of the replies. */
async function serve(chunks: readonly string[], opening?: Opening): Promise<readonly number[]> {
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
  const served = serveStdio(server, input, written, 1024 * 1024, opening);
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

it('serves the messages that came before it, and leaves out the replies that were sent', async () => {
  const opening = { chunks: [Buffer.from(messages(0, 3).join(''))], answered: new Set([0, 2]) };
  const refused = `{"jsonrpc":"2.0","id":7,"method":"${'m'.repeat(300)}"}\n`;
  expect((await serve([refused], opening)).toSorted()).toEqual([1, 7]);
  // Only the first reply with the id is left out.
  expect((await serve([messages(0, 1)[0]!], opening)).toSorted()).toEqual([0, 1]);
});

it('serves a client that has ended its input already', async () => {
  const input = new PassThrough();
  input.end();
  input.resume();
  await once(input, 'end');
  const server = new Server({ contract: standard, features: [] });
  const replies: string[] = [];
  const output = { write: (text: string) => replies.push(text) > 0, once: () => {} };
  const opening = { chunks: [Buffer.from(messages(0, 1)[0]!)], answered: new Set<number>() };
  await serveStdio(server, input, output, 1024, opening);
  expect(replies).toEqual(['{"jsonrpc":"2.0","id":0,"result":{}}\n']);
  await server.close();
});
