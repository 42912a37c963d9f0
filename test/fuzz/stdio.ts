import { join } from 'node:path';
import { isObject, type JsonObject } from '../../src/json.ts';
import { greeting, initialize, Program } from '../program.ts';
import { createRandom, noise } from './noise.ts';

export interface Findings {
  readonly noise: number;
  readonly valid: number;
  /** Valid requests without exactly one correct answer. */
  readonly unanswered: readonly string[];
  /** Replies with an internal error. */
  readonly internal: readonly JsonObject[];
  readonly exitCode: number | null;
  /** Memory usage after the first tenth and at the end. */
  readonly before: Memory;
  readonly after: Memory;
}

/** Heap and resident size in bytes, after garbage collection. */
export interface Memory {
  readonly heap: number;
  readonly resident: number;
}

const limit = 64 * 1024;
/** Number of noise messages between two valid requests. */
const stride = 8;

const validRequests = [
  { method: 'tools/list', params: {}, expected: '"expand_prompt"' },
  { method: 'prompts/get', params: { name: 'greet', arguments: { input: 'you' } }, expected: 'hello to you' },
  {
    method: 'tools/call',
    params: { name: 'expand_prompt', arguments: { command: 'greet', input: 'me' } },
    expected: 'hello to me',
  },
];

export interface Flood {
  readonly framing: 'lines' | 'headers';
  readonly version: '2025-11-25' | '2026-07-28';
}
export const floods: readonly Flood[] = [
  { framing: 'lines', version: '2025-11-25' },
  { framing: 'headers', version: '2025-11-25' },
  { framing: 'lines', version: '2026-07-28' },
];

/** Floods the built program with noise and sends valid requests in between. */
export async function floodStdio(
  count: number,
  { framing, version }: Flood,
  seed: number,
): Promise<Findings> {
  const random = createRandom(seed);
  await using program = new Program(['serve', '--max-message-bytes', String(limit)], {
    commands: greeting,
    nodeFlags: ['--expose-gc', '--require', join(import.meta.dirname, 'heap-report.cjs')],
  });
  const frame = (body: Buffer) =>
    framing === 'lines'
      ? Buffer.concat([body, Buffer.from('\n')])
      : Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
  const write = async (body: Buffer) => {
    if (!program.child.stdin.write(frame(body)))
      await new Promise((resolve) => program.child.stdin.once('drain', resolve));
  };
  const modern = version === '2026-07-28';
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const ask = async (index: number) => {
    const { method, params } = validRequests[index % validRequests.length]!;
    const message = {
      jsonrpc: '2.0',
      id: `valid-${index}`,
      method,
      params: modern ? { ...params, _meta } : params,
    };
    await write(Buffer.from(JSON.stringify(message)));
  };

  // The first message fixes the revision of the connection.
  if (!modern) await write(Buffer.from(JSON.stringify(initialize(version, 'initialize'))));
  let asked = 0;
  /** Waits until everything sent so far is answered, then measures the memory. */
  const measure = async (): Promise<Memory> => {
    await ask(asked++);
    await program.until(({ id }) => id === `valid-${asked - 1}`);
    const seen = program.stderr.length;
    program.child.kill('SIGUSR2');
    const [, heap, resident] = await program.untilStderr(
      new RegExp(`^[^]{${seen}}heap (\\d+) resident (\\d+)`),
    );
    return { heap: Number(heap), resident: Number(resident) };
  };
  let before = await measure();
  for (let sent = 0; sent < count; sent++) {
    await write(noise(random, limit));
    if (sent % stride === 0) await ask(asked++);
    if (sent === Math.floor(count / 10)) before = await measure();
  }
  const after = await measure();
  const { messages, code } = await program.end();

  const answers = new Map<unknown, JsonObject[]>();
  for (const message of messages) {
    if (typeof message['id'] === 'string')
      answers.set(message['id'], [...(answers.get(message['id']) ?? []), message]);
  }
  const unanswered = Array.from({ length: asked }, (_, index) => index).filter((index) => {
    const [answer, ...more] = answers.get(`valid-${index}`) ?? [];
    const isCorrect = JSON.stringify(answer?.['result'])?.includes(
      validRequests[index % validRequests.length]!.expected,
    );
    return !isCorrect || more.length > 0;
  });
  return {
    noise: count,
    valid: asked,
    unanswered: unanswered.map((index) => `valid-${index}: ${JSON.stringify(answers.get(`valid-${index}`))}`),
    internal: messages.filter(({ error }) => isObject(error) && error['message'] === 'Internal error'),
    exitCode: code,
    before,
    after,
  };
}
