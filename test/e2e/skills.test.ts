import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createServer } from '../../src/app.ts';
import { loadConfig } from '../../src/config.ts';
import { importComponent } from '../components.ts';
import { startServer } from '../conformance/endpoint.ts';
import { runScenario, skillScenarios } from '../conformance/suite.ts';
import { bundle } from '../program.ts';
import { plantTree, until, write } from '../tree.ts';

const prompt = '---\ndescription: "Greets: politely"\ntags: [skill]\n---\nSay hello to {{input}}.\n';

/** A home with two skills, one of them with a subfolder, and a prompt with the tag "skill". */
function plantHome(): string {
  const home = plantTree({
    'commands/greet.md': prompt,
    'adjutant.toml': '[skills]\nfolders = ["skills"]\n',
  });
  cpSync(join(import.meta.dirname, '../conformance/skills'), join(home, 'skills'), { recursive: true });
  return home;
}

interface Listing {
  readonly skills: readonly { readonly uri: string; readonly frontmatter: object }[];
}
interface SkillsClient {
  readonly supported: boolean;
  readonly directoryRead: boolean;
  list(): Promise<Listing>;
  get(uri: string): Promise<{ readonly skill: Listing['skills'][number] }>;
  read(
    skill: Listing['skills'][number],
    ref?: string,
  ): Promise<{ readonly verified: boolean; readonly text: string; readonly body: string }>;
  readDirectory(uri: string): Promise<{ readonly resources: readonly { readonly name: string }[] }>;
}
interface Client {
  connect(transport: unknown): Promise<void>;
  close(): Promise<void>;
  setNotificationHandler(method: string, handler: () => void): void;
  callTool(params: object): Promise<{ readonly structuredContent: { readonly problems: object[] } }>;
}
type Constructor<Made> = new (...args: readonly unknown[]) => Made;

/** The official client with its skills extension, connected to the built program. */
async function connect(home: string, version: '2025-11-25' | '2026-07-28') {
  const modules = ['', '/stdio', '/ext/skills'].map((path) =>
    importComponent(`@modelcontextprotocol/client${path}`),
  );
  const { Client, StdioClientTransport, SkillsClient } = Object.assign(
    {},
    ...(await Promise.all(modules)),
  ) as {
    readonly Client: Constructor<Client>;
    readonly StdioClientTransport: Constructor<object>;
    readonly SkillsClient: Constructor<SkillsClient>;
  };
  const pin = version === '2026-07-28' && { versionNegotiation: { mode: { pin: version } } };
  const client = new Client({ name: 'official', version: '1' }, { capabilities: {}, ...pin });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [bundle, 'serve', '--home', home],
      env: { HOME: home, PATH: process.env['PATH']! },
      stderr: 'ignore',
    }),
  );
  onTestFinished(() => client.close());
  return { client, skills: new SkillsClient(client) };
}

it.for(['2025-11-25', '2026-07-28'] as const)(
  'lets the official client list, get, browse and verify skills at %s',
  async (version) => {
    const { skills } = await connect(plantHome(), version);
    expect(skills).toMatchObject({ supported: true, directoryRead: true });
    const { skills: entries } = await skills.list();
    expect(entries.map(({ uri }) => uri)).toEqual([
      'skill://code-review/SKILL.md',
      'skill://prompts/greet/SKILL.md',
      'skill://release-notes/SKILL.md',
    ]);
    expect((await skills.get(entries[0]!.uri)).skill).toEqual(entries[0]);
    for (const entry of entries) expect(await skills.read(entry)).toMatchObject({ verified: true });
    expect((await skills.read(entries[1]!)).body).toContain('Say hello to {{input}}.');
    const checklist = await skills.read(entries[0]!, 'references/checklist.md');
    expect(checklist).toMatchObject({ verified: true, text: expect.stringContaining('Does a test fail') });
    const { resources } = await skills.readDirectory('skill://code-review');
    expect(resources.map(({ name }) => name)).toEqual(['SKILL.md', 'references']);
    await expect(skills.get('skill://nothing/SKILL.md')).rejects.toMatchObject({ code: -32602 });
  },
);

it('tells the official client of a change and lists problems in the status', async () => {
  const home = plantHome();
  const { client, skills } = await connect(home, '2025-11-25');
  let changes = 0;
  client.setNotificationHandler('notifications/resources/list_changed', () => {
    changes++;
  });
  expect((await skills.list()).skills).toHaveLength(3);
  rmSync(join(home, 'skills/release-notes'), { recursive: true });
  await until(() => changes > 0);
  expect((await skills.list()).skills).toHaveLength(2);

  mkdirSync(join(home, 'skills/pipe'));
  execFileSync('mkfifo', [join(home, 'skills/pipe/SKILL.md')]);
  write(home, { 'skills/notes/SKILL.md': '---\nname: notes\ndescription: Notes\n---\n' });
  await until(async () => (await skills.list()).skills.some(({ uri }) => uri.includes('notes')));
  const { structuredContent } = await client.callTool({ name: 'server_status', arguments: {} });
  expect(structuredContent.problems).toContainEqual({
    file: join(home, 'skills/pipe/SKILL.md'),
    line: 1,
    severity: 'error',
    message: 'this is not a file',
    rule: 'invalid-file',
    remedy: 'correct the file at this place',
    source: `claude-skills ${join(home, 'skills')}`,
  });
});

it('passes the skills scenarios of the official suite with all features', { timeout: 120_000 }, async () => {
  const home = plantHome();
  const { config } = await loadConfig({ argv: ['--home', home], env: { HOME: home }, cwd: home });
  const server = createServer('standard', config);
  await using endpoint = await startServer(server);
  for (const [scenario, checks] of Object.entries(skillScenarios)) {
    const score = await runScenario(endpoint.url, scenario);
    expect(score, score.output).toMatchObject({ passed: checks, checks, warnings: 0 });
  }
});

it('does not declare the extension when the settings allow no skill', async () => {
  const home = plantTree({ 'adjutant.toml': '[skills]\nprompts = "none"\n' });
  const { skills } = await connect(home, '2026-07-28');
  expect(skills.supported).toBe(false);
});
