import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { outputOf } from '../clients/matrix.ts';
import { componentFile } from '../components.ts';
import { type Desktop, missingDesktop, startDesktop } from '../desktop.ts';
import { type Model, startResponsesModel } from '../model/responses-model.ts';
import { answer, type Turn } from '../model/turn.ts';
import { type Browser, openBrowser } from '../page/browser.ts';
import { unexplained, Walk } from '../page/walk.ts';
import { bundle } from '../program.ts';

// `npm run record:newcomer` sets it.
const folder = process.env['MODE'] === 'record' ? join('recordings', 'newcomer') : undefined;
let home: string;
let programs: string;
let env: Readonly<Record<string, string>>;
/** Types a command into the newcomer's shell. */
const shell = (program: string, ...args: readonly string[]) => outputOf(program, args, home, env);

/** What the newcomer's model does. */
const scripts: Readonly<Record<string, readonly Turn[]>> = {
  ':explain recursion': [
    {
      tool: 'expand_prompt',
      server: 'adjutant',
      arguments: { command: 'explain', input: 'recursion' },
    },
    { say: 'A function that calls itself.' },
  ],
  'Count the files': [
    { shell: 'ls -A | wc -l' },
    { ...answer({ summary: 'There are five files.' }), afterMs: 3000 } as Turn,
  ],
};
let model: Model | undefined;
let server: ChildProcess | undefined;
let browser: Browser | undefined;
let desktop: Desktop | undefined;

/** An empty home, the server in it, and a model and a browser of the newcomer. A retry begins with others. */
async function begin(): Promise<{ readonly model: Model; readonly browser: Browser }> {
  await end();
  home = mkdtempSync(join(tmpdir(), 'adjutant-newcomer-'));
  programs = mkdtempSync(join(tmpdir(), 'adjutant-programs-'));
  const path = [programs, dirname(process.execPath), componentFile('.bin'), process.env['PATH']];
  // Codex has no sandbox if its files are in the folder for temporary files.
  const temporary = join(home, 'tmp');
  env = { HOME: home, PATH: path.join(delimiter), TMPDIR: temporary, NO_COLOR: '1', TZ: noonZone() };
  mkdirSync(temporary);
  // What `npm install -g` does.
  writeFileSync(join(programs, 'adjutant'), `#!/bin/sh\nexec '${process.execPath}' '${bundle}' "$@"\n`);
  chmodSync(join(programs, 'adjutant'), 0o755);
  model = await startResponsesModel(scripts);
  if (missingDesktop.length === 0) desktop = await startDesktop();
  server = spawn('adjutant', ['serve', '--http', '--port', '0'], {
    env: { ...env, ...desktop?.env },
    cwd: home,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let printed = '';
  while (!printed.includes('Page: ')) printed += (await once(server.stderr!, 'data'))[0];
  browser = await openBrowser();
  return { model, browser };
}
async function end(): Promise<void> {
  await browser?.close();
  server?.kill();
  desktop?.close();
  await model?.close();
  for (const one of [home, programs])
    if (one !== undefined) rmSync(one, { recursive: true, force: true, maxRetries: 20 });
}
afterAll(end);

/** A zone in which it is about noon, so that the quiet hours of a new person do not matter. */
function noonZone(): string {
  const offset = 12 - new Date().getUTCHours();
  return `Etc/GMT${offset > 0 ? `-${offset}` : `+${-offset}`}`;
}

/** On the page, it means what somebody types into a terminal, and not a prompt in a file. */
const everyday = 'command';

/** The words of the glossary of the documentation. */
function glossary(): readonly string[] {
  const [, table = ''] = readFileSync('docs/README.md', 'utf8').split('## Glossary');
  return [...table.matchAll(/^\| ([^|]+) \|/gm)]
    .map(([, word]) => word!)
    .slice(2)
    .filter((word) => word !== everyday);
}

it('leads a newcomer from an empty home to a prompt in a client, a reminder and a run', {
  timeout: 240_000,
}, async () => {
  const { model, browser } = await begin();
  // Codex on the newcomer's machine works already, with a model of its own.
  mkdirSync(join(home, '.codex'));
  writeFileSync(join(home, '.codex', 'config.toml'), model.config);
  const address = (await shell('adjutant', 'open', '--print')).trim();
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    timezoneId: noonZone(),
  });
  context.setDefaultTimeout(15_000);
  const walk = await Walk.from(address, await context.newPage(), folder);

  await walk.press('link', 'Get started');
  await walk.sees('Adjutant is not installed in any client', 40_000);
  await walk.record('First screen');
  await walk.press('button', 'Connect Codex');
  await walk.sees(/mcp_servers\.adjutant/);
  await walk.record('Change of a client');
  await walk.press('button', 'Make this change');
  await walk.done('Connect a client');
  await walk.record('Client connected');

  await walk.press('link', 'Create a prompt');
  await walk.fill('Name', 'explain');
  await walk.fill('Title', 'Explain something');
  await walk.fill('Text', 'Explain {{topic}} to a beginner in five sentences.');
  await walk.record('New prompt');
  await walk.press('button', 'Create');
  await walk.fill('topic', 'recursion');
  await walk.sees('Explain recursion to a beginner in five sentences.');
  await walk.record('First prompt');
  const written = await walk.code(/^:explain recursion$/);
  const read = ['exec', '--skip-git-repo-check', '-s', 'read-only'];
  expect(await shell('codex', ...read, written)).toContain('A function that calls itself.');
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('Explain recursion to a beginner in five');

  await walk.press('link', 'Get started');
  await walk.done('Save and use your first prompt');
  await walk.record('Prompt used');
  await walk.press('link', 'Set a reminder for yourself');
  await walk.fill('Remind me of', 'Take the bread out');
  await walk.fill('When', 'in 20 seconds');
  await walk.record('First reminder');
  await walk.press('button', 'Remind me');
  const answered = await walk.sees(/^Reminder of “Take the bread out”/);
  // The server sends reminders, also the first one, with which its database begins.
  expect(await answered.textContent()).not.toMatch(/Nothing is running/);
  await walk.record('Reminder set');

  await walk.press('link', 'Calendar');
  await walk.sees('New event');
  await walk.record('Calendar');
  await walk.press('button', 'New event');
  await walk.fill('Title', 'Tea with Grace');
  const start = Number(await walk.valueOf('Start time')) + 60;
  await walk.choose('Start time', String(start));
  // Due within the next minute.
  const now = (Date.now() / 60_000) % 60;
  const minutes = Math.floor(start - (12 * 60 + now) - 0.1);
  await walk.fill('Reminders', `${minutes}m`);
  await walk.record('New event');
  await walk.press('button', 'Add event');
  await walk.press('button', /^Tea with Grace/);
  await walk.sees('planned');
  await walk.record('Event with a planned reminder');

  await walk.press('link', 'Get started');
  await walk.press('link', 'Start a run');
  await walk.fill('Task', 'Count the files in this folder.');
  await walk.fill('Working folder', home);
  await walk.record('New run');
  await walk.press('button', 'Start run');
  await walk.sees(/ls -A/, 60_000);
  await walk.record('Run in progress');
  await walk.sees('There are five files.', 60_000);
  await walk.record('Finished run');

  await walk.press('link', 'Calendar');
  await walk.press('button', /^Tea with Grace/);
  await walk.sees(/, sent$/, 90_000);
  await walk.press('button', /^More about this reminder/);
  await walk.press('button', 'Read message');
  await walk.sees(/^Hello \w+/);
  await walk.record('Reminder');
  await walk.press('link', 'Server');
  await walk.sees(/a function of the server/);
  await walk.record('Server');
  await walk.press('link', 'Calendar');
  await walk.press('button', 'More about this calendar');
  await walk.press('link', 'Messages and plan');
  await walk.sees(/outbox/i);
  await walk.record('Messages and plan');
  await walk.press('link', 'Get started');
  for (const step of ['Watch your first run', 'Get your first reminder']) await walk.done(step);
  await walk.record('First steps done');
  await walk.press('link', 'Server');
  await walk.sees(/problems? found/, 40_000);
  await walk.record('Server');

  expect(unexplained(walk.screens, glossary())).toEqual([]);
  expect(walk.screens.filter(({ ways }) => ways.length === 0)).toEqual([]);
});

it.skipIf(missingDesktop.length > 0)(
  `shows both reminders on the desktop, once each (missing: ${missingDesktop.join(', ') || 'nothing'})`,
  { timeout: 180_000 },
  async () => {
    const shown = () => desktop!.shown();
    for (const title of ['Take the bread out', 'Tea with Grace'])
      await vi.waitFor(() => expect(shown().split(`summary: '${title}`)).toHaveLength(2), {
        timeout: 120_000,
        interval: 200,
      });
    expect(shown()).toContain("appname: 'Adjutant'");
  },
);
