import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { clientKinds, connectOfficial, type OfficialClient, type Target } from '../official-client.ts';
import { bundle, greeting, Program } from '../program.ts';
import { until, write } from '../tree.ts';

const transports = ['stdio', 'http'] as const;
const matrix = clientKinds.flatMap((kind) => transports.map((transport) => [kind, transport] as const));

/** By default, clients list fewer prompts than this test creates. */
const lists = ['--prompts-expose-limit', '500'];

let program: Program;
let programs: Readonly<Record<(typeof transports)[number], Target>>;
beforeAll(async () => {
  program = new Program(['serve', '--http', '--port', '0', ...lists], { commands: greeting });
  const { url, token } = await program.listening();
  const { home } = program;
  programs = {
    stdio: {
      command: process.execPath,
      args: [bundle, 'serve', '--home', home, ...lists],
      env: { HOME: home, PATH: process.env['PATH']! },
    },
    http: { url: `${url}/mcp`, headers: { authorization: `Bearer ${token}` } },
  };
});
afterAll(() => program[Symbol.asyncDispose]());

const command = (text: string) => `---\ndescription: ${text}\n---\n${text}\n`;

describe.for(matrix)('the official client %s over %s', ([kind, transport]) => {
  it('is notified of changed files and gets them on its next request', async () => {
    const { home } = program;
    await using client = await connectOfficial(kind, programs[transport]);
    const names = async () =>
      ((await client.listPrompts())['prompts'] as readonly { name: string }[]).map(({ name }) => name).sort();
    let notifications = 0;
    await client.watch('prompts', () => notifications++);
    const before = await names();
    /** Makes a change and checks the list after it. */
    const change = async (make: () => void, expected: (names: readonly string[]) => void) => {
      const earlier = notifications;
      make();
      // From 2026-07-28 on, lists carry a caching hint, so that the client asks again only after the notification. A late
      // notification of the last change does not count: the list that follows it is the old one, and is cached again.
      if (kind.includes('2026')) await vi.waitFor(async () => expected(await names()), 10_000);
      else expected(await names());
      await until(() => notifications > earlier);
    };

    // Editors save to a temporary file and then rename it.
    await change(
      () => {
        writeFileSync(join(home, 'commands', '.new.tmp'), command('An editor was here'));
        renameSync(join(home, 'commands', '.new.tmp'), join(home, 'commands', 'edited.md'));
      },
      (listed) => expect(listed).toEqual([...before, 'edited'].sort()),
    );

    const library = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [`libraries/pulled/prompts/p${index}.md`, `Text ${index}`]),
    );
    const manifest = Object.keys(library).map((_, index) => `[prompts.p${index}]\ndescription = "P"\n`);
    await change(
      () => write(home, { ...library, 'libraries/pulled/twig.toml': manifest.join('') }),
      (listed) => expect(listed).toHaveLength(before.length + 101),
    );

    await change(
      () => {
        rmSync(join(home, 'libraries'), { recursive: true });
        rmSync(join(home, 'commands', 'edited.md'));
      },
      (listed) => expect(listed).toEqual(before),
    );
  });

  it('is notified of a change by another client and cannot overwrite it unseen', async () => {
    await using one = await connectOfficial(kind, programs[transport]);
    // Over stdio, this client starts another process on the same files.
    await using other = await connectOfficial(kind, programs[transport]);
    const name = `shared_${transport}_${clientKinds.indexOf(kind)}`;
    const call = (client: OfficialClient, tool: string, fields: object) =>
      client.callTool({ name: tool, arguments: { name, ...fields } });
    const revisionFor = async (client: OfficialClient) =>
      ((await client.getPrompt({ name }))['_meta'] as Record<string, string>)['adjutant/revision'];
    await call(one, 'create_prompt', { title: 'Shared', text: 'One' });
    await other.listPrompts();
    let notifications = 0;
    await other.watch('prompts', () => notifications++);
    expect(await revisionFor(other)).toBe('1');

    const first = await call(one, 'update_prompt', { text: 'Two', expected_revision: '1' });
    expect(first).toMatchObject({ structuredContent: { success: true, revision: '2' } });
    await until(() => notifications > 0);
    expect(await other.getPrompt({ name })).toMatchObject({ messages: [{ content: { text: 'Two' } }] });
    expect(await call(other, 'update_prompt', { text: 'Lost', expected_revision: '1' })).toMatchObject({
      isError: true,
      _meta: { 'adjutant/failure': { kind: 'conflict', data: { current_revision: '2' } } },
    });
    expect(await revisionFor(one)).toBe('2');
    await call(one, 'delete_prompt', { expected_revision: '2' });
  });
});
