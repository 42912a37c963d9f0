import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Balancer, startBalancer } from '../balancer.ts';
import { type ClientKind, clientKinds, connectOfficial } from '../official-client.ts';
import { type Postgres, startPostgres } from '../postgres.ts';
import { Program } from '../program.ts';

// Two servers with one database behind a load balancer.
const folder = mkdtempSync(join(tmpdir(), 'adjutant-balancer-'));
const token = 'a-token-that-both-machines-share';
let postgres: Postgres;
let machines: Program[];
let balancer: Balancer;
beforeAll(async () => {
  postgres = await startPostgres();
  const url = await postgres.createDatabase('shared');
  const file = join(folder, 'token');
  writeFileSync(file, token, { mode: 0o600 });
  machines = [0, 1].map(
    () =>
      new Program(['serve', '--http', '--port', '0', '--token-file', file], { env: { DATABASE_URL: url } }),
  );
  const addresses = machines.map(
    async (machine) => (await machine.untilStderr(/Page: (http:\S+?)\/?(?:#|\s|$)/))[1]!,
  );
  balancer = await startBalancer(await Promise.all(addresses));
});
afterAll(async () => {
  await balancer?.[Symbol.asyncDispose]();
  for (const machine of machines ?? []) await machine[Symbol.asyncDispose]();
  await postgres?.close();
  rmSync(folder, { recursive: true, force: true });
});

const connect = (kind: ClientKind) =>
  connectOfficial(kind, { url: `${balancer.url}/mcp`, headers: { authorization: `Bearer ${token}` } });
const isModern = (kind: ClientKind) => kind === 'v2 at 2026-07-28';

describe.each(clientKinds)('behind a load balancer, the official client %s', (kind) => {
  const name = `greet_${clientKinds.indexOf(kind)}`;

  it('finds the same prompts and users on both servers, and is asked for missing arguments', async () => {
    await using client = await connect(kind);
    const before = balancer.turns.length;
    await client.callTool({
      name: 'create_prompt',
      arguments: {
        name,
        title: 'Greet',
        arguments: [{ name: 'name', required: true }],
        text: 'Say hello to {{name}}.',
      },
    });
    await client.callTool({ name: 'create_user', arguments: { id: name, name: 'Ada' } });
    for (let round = 0; round < 4; round++) {
      const { prompts } = (await client.listPrompts()) as { prompts: { name: string }[] };
      expect(prompts.map((prompt) => prompt.name)).toContain(name);
      const { contents } = (await client.readResource({ uri: `resources://users/${name}` })) as {
        contents: { text: string }[];
      };
      expect(contents[0]?.text).toContain('Ada');
      const asked = await client.getPrompt({ name });
      expect(JSON.stringify(asked)).toContain('Say hello to Ada.');
    }
    // Requests without a session go to both servers. All requests of a session go to the same one.
    expect(new Set(balancer.turns.slice(before)).size).toBe(isModern(kind) ? 2 : 1);
  });

  it('is notified of changes on the other server', async () => {
    await using client = await connect(kind);
    await using other = await connect(kind);
    let notifications = 0;
    await client.watch('prompts', () => {
      notifications += 1;
    });
    let round = 0;
    await vi.waitFor(
      async () => {
        await other.callTool({
          name: 'update_prompt',
          arguments: { name, title: `Greet ${++round}` },
        });
        expect(notifications).toBeGreaterThan(0);
      },
      { timeout: 20_000, interval: 200 },
    );
  });
});

describe('when one of two servers crashes', () => {
  it('clients without a session continue, and clients with one must reconnect', async () => {
    await using modern = await connect('v2 at 2026-07-28');
    const sessions = await Promise.all([connect('v1'), connect('v1')]);
    machines[0]!.child.kill('SIGKILL');
    await once(machines[0]!.child, 'exit');
    for (let round = 0; round < 4; round++) await modern.callTool({ name: 'list_users', arguments: {} });
    const ends = await Promise.allSettled(sessions.map((client) => client.listPrompts()));
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const lost = ends.find((end) => end.status === 'rejected');
    expect(String(lost?.reason)).toMatch(/404|[Ss]ession/);
    await using again = await connect('v1');
    await again.listPrompts();
    for (const client of sessions) await client[Symbol.asyncDispose]();
  });
});
