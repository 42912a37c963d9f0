import { type HttpCase, type RawRequest, statusOf, type Target } from '../http.ts';

const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
/** Requests that are in progress at the same time. */
const parallel = 20;

/** Sends the same request many times. */
export function repeated(
  name: string,
  expected: readonly string[],
  request: (target: Target) => RawRequest,
): HttpCase {
  return { name, expected, run: (target, count) => many(count, () => target.send(request(target))) };
}

async function many(count: number, send: (index: number) => Promise<string>): Promise<readonly string[]> {
  const answers: string[] = [];
  let next = 0;
  const work = async () => {
    for (let index = next++; index < count; index = next++) answers.push(await send(index));
  };
  await Promise.all(Array.from({ length: parallel }, work));
  return answers;
}

const smuggledHosts = [
  'evil.com@localhost',
  'localhost@evil.com',
  'localhost.evil.com',
  'localhost:80@evil.com',
  'localhost/evil.com',
  'localhost#evil.com',
  'localhost\\evil.com',
  'localhost.',
  '%6cocalhost',
  '0x7f.1',
  '2130706433',
  '[::ffff:127.0.0.1]',
  'localhost, evil.com',
];

const batch = JSON.stringify(
  Array.from({ length: 1_000 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list' })),
);
const deep = 100_000;

/** Kinds of requests and what each must be answered with. Tokens of every wrong kind are in `http-tokens.ts`. */
export const httpCases: readonly HttpCase[] = [
  repeated('no token', ['401', '429'], () => ({ headers: { authorization: undefined }, body: ping })),
  repeated('wrong token', ['401', '429'], () => ({
    headers: { authorization: 'Bearer not-the-token-of-this-server' },
    body: ping,
  })),
  repeated('token in the query', ['401', '429'], ({ token }) => ({
    path: `/mcp?token=${token}&access_token=${token}`,
    headers: { authorization: undefined },
    body: ping,
  })),
  {
    name: 'smuggled Host headers',
    expected: ['403'],
    run: (target, count) =>
      many(count, (index) =>
        target.send({ headers: { host: smuggledHosts[index % smuggledHosts.length]! }, body: ping }),
      ),
  },
  repeated('two Host headers', ['400', '403'], () => ({ lines: ['Host: evil.com'], body: ping })),
  repeated('absolute addresses of other hosts', ['404'], () => ({ path: 'http://evil.com/mcp', body: ping })),
  repeated('foreign origins', ['403'], () => ({
    headers: { origin: 'https://localhost@evil.com' },
    body: ping,
  })),
  {
    ...repeated('batches of 1,000 tools/list', ['200', '429'], () => ({ body: batch })),
    count: 24,
  },
  {
    ...repeated('bodies over the limit', ['413'], () => ({ body: ' '.repeat(5 * 1024 * 1024) })),
    count: 100,
  },
  repeated('JSON nested 100,000 deep', ['200', '400'], () => ({
    body: `${'['.repeat(deep)}${']'.repeat(deep)}`,
  })),
  repeated('names of 100,000 characters', ['200'], () => ({
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'm'.repeat(100_000) }),
  })),
  repeated('headers over 16 KB', ['431', 'closed'], () => ({
    lines: Array.from({ length: 200 }, (_, index) => `x-flood-${index}: ${'x'.repeat(200)}`),
    body: ping,
  })),
  {
    name: 'idle connections',
    // The oldest are closed once there are too many. A new one may find all others in use.
    expected: ['closed', 'open', '503'],
    run: (target, count) => held(target, 2 * count, ''),
  },
  {
    name: 'slow headers',
    expected: ['closed', 'open', '503'],
    run: (target, count) => held(target, count, 'POST /mcp HTTP/1.1\r\nHost: localhost\r\n'),
  },
  {
    name: 'slow bodies without a token',
    expected: ['401', '429', '503'],
    run: (target, count) =>
      many(count, async () =>
        statusOf(
          await target.open('POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n{'),
        ),
      ),
  },
  {
    name: 'slow bodies with the token',
    expected: ['open', 'closed', '503'],
    count: 200,
    run: (target, count) =>
      held(
        target,
        count,
        `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${target.token}\r\nContent-Length: 1000000\r\n\r\n{`,
      ),
  },
];

/** Opens connections, keeps them open for a moment, and reports what the server did with each. */
async function held({ open }: Target, count: number, text: string): Promise<readonly string[]> {
  const sockets = [];
  for (let index = 0; index < count; index++) {
    const socket = await open(text);
    let answer = '';
    socket.on('data', (chunk) => {
      answer ||= /^HTTP\/1\.1 (\d+)/.exec(String(chunk))?.[1] ?? '';
    });
    sockets.push({ socket, answer: () => answer || (socket.closed ? 'closed' : 'open') });
  }
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  const answers = sockets.map(({ answer }) => answer());
  for (const { socket } of sockets) socket.destroy();
  return answers;
}
