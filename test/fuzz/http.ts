import { connect } from 'node:net';
import { greeting, Program } from '../program.ts';
import { createChance, noise } from './noise.ts';

export interface HttpFindings {
  readonly noise: number;
  readonly valid: number;
  /** How often each status was answered to noise. */
  readonly statuses: Readonly<Record<number, number>>;
  readonly unanswered: number;
  readonly log: string;
}

const limit = 64 * 1024;

/** Floods the built program with noise as bodies, headers and raw bytes over HTTP. */
export async function floodHttp(count: number, seed: number): Promise<HttpFindings> {
  const chance = createChance(seed);
  const args = ['serve', '--http', '--port', '0', '--max-message-bytes', String(limit)];
  await using program = new Program(args, { commands: greeting });
  const [, url, token] = await program.untilStderr(/Page: (\S+)\/#token=(\S+)/);
  const post = (body: Buffer | string, headers: Record<string, string> = {}) =>
    fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, ...headers },
      body: body as string,
      signal: AbortSignal.timeout(20_000),
    });
  const statuses: Record<number, number> = {};
  let unanswered = 0;
  let asked = 0;
  for (let said = 0; said < count; said++) {
    if (chance.below(20) === 0) await shout(new URL(url!), noise(chance, limit));
    else {
      const response = await post(noise(chance, limit), strangeHeaders(chance));
      statuses[response.status] = (statuses[response.status] ?? 0) + 1;
      // A stream may stay open for as long as its session does.
      await response.body?.cancel();
    }
    if (said % 8 !== 0) continue;
    asked++;
    const reply = await post(JSON.stringify({ jsonrpc: '2.0', id: said, method: 'tools/list' }));
    if (!(await reply.text()).includes('expand_prompt')) unanswered++;
  }
  return { noise: count, valid: asked, statuses, unanswered, log: program.stderr };
}

function strangeHeaders(chance: ReturnType<typeof createChance>): Record<string, string> {
  const values = ['2026-07-28', '2025-11-25', '1900-01-01', 'tools/call', '=?base64?!!?=', 'x', ''];
  const names = [
    'mcp-protocol-version',
    'mcp-session-id',
    'mcp-method',
    'mcp-name',
    'last-event-id',
    'accept',
  ];
  return Object.fromEntries(
    names.filter(() => chance.below(4) === 0).map((name) => [name, chance.pick(values)]),
  );
}

/** Bytes that are not even HTTP. */
function shout({ hostname, port }: URL, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.end(bytes));
    socket.on('error', () => {});
    socket.on('close', () => resolve());
    socket.resume();
  });
}
