import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createStore } from '../../src/store/store.ts';
import { fill, person } from '../assistant-rows.ts';
import { componentFile } from '../components.ts';
import { eventually } from '../delegate/eventually.ts';
import { type Model, startResponsesModel } from '../model/responses-model.ts';
import { answer, script } from '../model/turn.ts';
import { axeViolations, PageServer, shows } from '../page/page-server.ts';
import { bundle } from '../program.ts';

/** The real Codex asks for permission, and a person allows it on a phone, with the link in a mail. */
const server = new PageServer();
const work = join(server.home, 'work');
const mails: string[] = [];
const mailServer = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onData(stream, _, done) {
    let text = '';
    stream.on('data', (chunk: Buffer) => {
      text += chunk;
    });
    stream.on('end', () => {
      mails.push(text.replaceAll(/=\r?\n/g, ''));
      done();
    });
  },
});
let model: Model;
let env: Record<string, string>;

async function portOf(listener: { listen(port: number, host: string): unknown; address(): unknown }) {
  listener.listen(0, '127.0.0.1');
  await once(listener as never, 'listening');
  return (listener.address() as AddressInfo).port;
}

beforeAll(async () => {
  model = await startResponsesModel();
  const free = createServer();
  const port = await portOf(free);
  await new Promise((resolve) => free.close(resolve));
  const [codexHome, temporary] = ['codex', 'tmp'].map((name) => join(server.home, name)) as [string, string];
  for (const folder of [codexHome, temporary, work]) mkdirSync(folder);
  execFileSync('git', ['init', '-q'], { cwd: work });
  writeFileSync(join(codexHome, 'config.toml'), model.config);
  env = {
    HOME: server.home,
    CODEX_HOME: codexHome,
    TMPDIR: temporary,
    PATH: [componentFile('.bin'), process.env['PATH']].join(delimiter),
    ADJUTANT_DELEGATE_APPROVALS: 'ask',
    ADJUTANT_DELIVERY_SMTP_URL: `smtp://127.0.0.1:${await portOf(mailServer.server)}`,
    ADJUTANT_DELIVERY_PUBLIC_URL: `http://127.0.0.1:${port}`,
  };
  const store = createStore(join(server.home, 'adjutant.db'));
  await fill(store, { users: [person('ada', { phone_e164: null })] });
  await store.close();
  await server.start(env, ['--port', String(port)]);
});
afterAll(async () => {
  await server.stop();
  await new Promise<void>((resolve) => mailServer.close(resolve));
  await model.close();
});

async function runProgram(...args: readonly string[]): Promise<Record<string, unknown>> {
  const { stdout } = await promisify(execFile)(process.execPath, [bundle, ...args, '--json'], {
    cwd: work,
    env: { ...env, ADJUTANT_HOME: server.home },
  });
  return JSON.parse(stdout);
}

it('allows a command with the link in a mail, and the run goes on', async () => {
  const outside = join(server.home, 'made-outside');
  const asks = {
    tool: 'exec_command',
    arguments: {
      cmd: `touch ${outside}`,
      sandbox_permissions: 'require_escalated',
      justification: 'why not',
    },
  };
  const desk = await server.open();
  await desk.getByRole('link', { name: 'Runs' }).click();
  await desk.getByRole('link', { name: 'New run' }).click();
  await desk.getByLabel('Task').fill(script(asks, answer({ summary: 'It went on.' })));
  await desk.getByLabel(/^Working folder/).fill(work);
  await desk.getByLabel('Sandbox').selectOption('workspace-write');
  await desk.getByRole('button', { name: 'Start' }).click();

  const mail = await eventually(() => {
    expect(mails).toHaveLength(1);
    return mails[0]!;
  });
  expect(mail).toContain('Subject: work: the agent asks for permission');
  expect(mail).not.toContain('made-outside');
  const link = /^Review and decide: (\S+)/m.exec(mail)![1]!;

  const phone = await server.open(link, { viewport: { width: 390, height: 844 } });
  await shows(phone, `touch ${outside}`);
  await shows(phone, 'why not');
  await shows(phone, /outside the sandbox of the agent/);
  expect(await axeViolations(phone)).toEqual([]);
  const isWide = await phone.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
  expect([isWide, existsSync(outside)]).toEqual([false, false]);
  await phone.getByRole('button', { name: 'Allow once', exact: true }).click();
  await shows(phone, 'Allowed. The agent goes on.');
  await shows(desk, 'It went on.');
  expect(existsSync(outside)).toBe(true);
  await phone.goto(link);
  await shows(phone, 'Allowed. The agent goes on.');

  const { entries } = (await runProgram('audit', 'list')) as { entries: { action: string; actor: string }[] };
  expect(entries.filter(({ action }) => action === 'answer_approval').map(({ actor }) => actor)).toEqual([
    'ada, by a link',
  ]);
});
