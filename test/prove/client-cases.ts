// Gives the recorded prompts to the real clients and compares what their models receive with the records in
// test/fixtures/client-cases. `npm run prove -- client-cases [CLIENT]`
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { type Body, type RealClient, realClients, textsOf } from '../clients/clients.ts';
import { outputOf } from '../clients/matrix.ts';
import { installNewest } from '../clients/newest.ts';
import { componentFile } from '../components.ts';

interface RecordedCase {
  readonly body: string;
  readonly typed: string;
  readonly received: string;
  readonly arguments?: string;
}

interface Setting {
  /** The name of the records. */
  readonly name: string;
  readonly client: RealClient;
  readonly program: () => string;
  readonly configuration?: string;
  /** The file of a command, relative to the home folder. */
  readonly file: (name: string) => string;
  readonly command: (name: string, typed: string, home: string) => readonly string[];
}

const { codex, claude, gemini, qwen, opencode } = realClients;
const ofTests = (client: RealClient) => () => componentFile(`.bin/${client.program}`);
const slash = (name: string, typed: string) => `/${name}${typed === '' ? '' : ` ${typed}`}`;
const claudeFile = (name: string) => `.claude/commands/${name}.md`;
const claudeCommand = (name: string, typed: string) => ['-p', slash(name, typed)];
const settings: readonly Setting[] = [
  {
    name: 'claude-code',
    client: claude,
    program: () => installNewest(claude),
    file: claudeFile,
    command: claudeCommand,
  },
  {
    name: 'claude-code-old',
    client: claude,
    program: ofTests(claude),
    file: claudeFile,
    command: claudeCommand,
  },
  {
    name: 'codex-skills',
    client: codex,
    program: ofTests(codex),
    configuration: '.codex/config.toml',
    file: (name) => `.agents/skills/${name}/SKILL.md`,
    command: (name, typed, home) => codex.task(`$${name} ${typed}`.trim(), home),
  },
  {
    name: 'gemini',
    client: gemini,
    program: ofTests(gemini),
    configuration: '.gemini/settings.json',
    file: (name) => `.gemini/commands/${name}.toml`,
    command: (name, typed) => ['-m', 'gemini-2.5-flash', '-p', slash(name, typed)],
  },
  {
    name: 'qwen',
    client: qwen,
    program: ofTests(qwen),
    file: (name) => `.qwen/commands/${name}.toml`,
    command: (name, typed) => ['--auth-type', 'openai', '-p', slash(name, typed)],
  },
  {
    name: 'opencode',
    client: opencode,
    program: () => installNewest(opencode),
    configuration: '.config/opencode/opencode.json',
    file: (name) => `.opencode/command/${name}.md`,
    // The program would put an argument with blanks in quotes.
    command: (name, typed) => ['run', '--command', name, ...(typed === '' ? [] : typed.split(' '))],
  },
];

/** The texts of the user's messages in a request, of each API. */
function userTexts(body: Body): readonly string[] {
  const messages = (body['contents'] ?? body['messages'] ?? body['input'] ?? []) as {
    role?: string;
    content?: unknown;
    parts?: unknown;
  }[];
  return messages
    .filter(({ role }) => role === 'user')
    .flatMap(({ content, parts }) => {
      const all = content ?? parts;
      return Array.isArray(all)
        ? all.map((part) => textsOf((part as { text?: unknown }).text))
        : [textsOf(all)];
    });
}

/** Codex puts a skill between tags. No client sends a blank text. */
function isReceived(texts: readonly string[], { body, received }: RecordedCase): boolean {
  if (received.trim() === '') return !texts.some((text) => text.includes(body));
  return texts.some((text) => text === received || text.includes(`\n${received}\n</skill>`));
}

function contentOf(file: string, { body, arguments: declared }: RecordedCase): string {
  if (file.endsWith('.toml')) return `prompt = ${JSON.stringify(body)}`;
  if (file.endsWith('SKILL.md')) return `---\nname: x\ndescription: d\n---\n${body}`;
  return declared === undefined ? body : `---\narguments: ${declared}\n---\n${body}`;
}

async function compare(setting: Setting): Promise<void> {
  const { client, command, configuration } = setting;
  const records = join(import.meta.dirname, '..', 'fixtures', 'client-cases', `${setting.name}.json`);
  const { cases } = JSON.parse(readFileSync(records, 'utf8')) as { cases: readonly RecordedCase[] };
  const program = setting.program();
  const home = mkdtempSync(join(tmpdir(), 'adjutant-cases-'));
  const model = await client.startModel();
  const path = [dirname(process.execPath), dirname(program), process.env['PATH'] ?? ''].join(delimiter);
  const env = { HOME: home, PATH: path, CI: 'true', NO_COLOR: '1', ...client.env?.(model) };
  const write = (file: string, content: string) => {
    mkdirSync(dirname(join(home, file)), { recursive: true });
    writeFileSync(join(home, file), content);
  };
  try {
    if (configuration !== undefined) write(configuration, configuration.endsWith('.json') ? '{}' : '');
    client.configure?.(home, model);
    let equal = 0;
    for (const one of cases) {
      write(setting.file('x'), contentOf(setting.file('x'), one));
      const before = model.requests.length;
      const output = await outputOf(program, command('x', one.typed, home), home, env);
      const texts = model.requests.slice(before).flatMap(({ body }) => userTexts(body));
      if (isReceived(texts, one)) equal++;
      else
        console.log(
          `${setting.name}: ${JSON.stringify(one)}\n  received: ${JSON.stringify(texts.slice(-4))}${texts.length === 0 ? output.slice(-500) : ''}`,
        );
    }
    console.log(`${setting.name}: ${equal} of ${cases.length} cases are as recorded`);
    if (equal < cases.length) process.exitCode = 1;
  } finally {
    await model.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  }
}

for (const setting of settings)
  if (process.argv[2] === undefined || process.argv[2] === setting.name) await compare(setting);
