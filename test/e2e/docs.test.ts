import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { expect, it } from 'vitest';
import { hasRadicale, password, startRadicale } from '../caldav/radicale.ts';
import { job } from '../delegate/autopilot-task.ts';
import { claude, codexShim } from '../delegate/workbench.ts';
import { blocksOf } from '../docs-block.ts';
import { type PageSetup, testPage } from '../docs-runner.ts';
import { startChatModel } from '../model/chat-model.ts';
import { startResponsesModel } from '../model/responses-model.ts';
import { answer, script } from '../model/turn.ts';
import { startPostgres } from '../postgres.ts';
import { bundle } from '../program.ts';
import { write } from '../tree.ts';

/** The real codex with a local model, and a project to work in. */
async function withCodex(home: string): Promise<PageSetup> {
  const model = await startResponsesModel();
  write(home, { '.codex/config.toml': model.config, 'shop/README.md': '# A shop\n' });
  execFileSync('git', ['init', '-q'], { cwd: join(home, 'shop') });
  mkdirSync(join(home, 'bin'));
  symlinkSync(codexShim, join(home, 'bin/codex'));
  const claim = answer({ deliverables: [{ path: 'parser.js', description: 'The parser' }] });
  return {
    cwd: 'shop',
    // Long enough for codex to answer, and short enough to end the call that hangs.
    env: { ADJUTANT_DELEGATE_ANSWER_WITHIN_SECONDS: '8' },
    replacements: {
      'Rewrite the shop': `Rewrite the shop ${script({ hang: true })}`,
      'Repair the parser': `Repair the parser ${script(claim)}`,
      '/opt/codex/bin/codex': codexShim,
      '/srv/shop': join(home, 'shop'),
    },
    close: () => model.close(),
  };
}

const holidays = `BEGIN:VCALENDAR
VERSION:2.0
BEGIN:VEVENT
UID:new-year@example.com
SUMMARY:New Year
DTSTART;VALUE=DATE:20300101
END:VEVENT
END:VCALENDAR
`;

/** A calendar folder, a calendar URL and, if Radicale is installed, a CalDAV account. */
async function withCalendars(home: string): Promise<PageSetup> {
  write(home, { 'calendars/holidays.ics': holidays });
  const web = createServer((_, response) => response.end(holidays));
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  const { port } = web.address() as AddressInfo;
  const account = hasRadicale ? await startRadicale() : undefined;
  await account?.send('MKCALENDAR', '/ann/home/');
  return {
    env: { ADJUTANT_CALENDARS_PRIVATE_HOSTS: '127.0.0.1' },
    replacements: {
      'https://example.com': `http://127.0.0.1:${port}`,
      'caldavs://dav.example.com': account?.url.replace('http', 'caldav') ?? '',
      'dav.example.com': '127.0.0.1',
      'correct horse': password,
    },
    missingPrograms: hasRadicale ? [] : ['Radicale'],
    async close() {
      web.close();
      await account?.close();
    },
  };
}

const setups: Readonly<Record<string, (home: string) => PageSetup | Promise<PageSetup>>> = {
  'reference/agents.md': withCodex,
  'explanation/assistant.md': async () => {
    const plan = [{ offset_minutes: -105, channel: 'email', urgency: 'normal' }];
    const reasoning = 'a board meeting, across town';
    const model = await startChatModel(() => JSON.stringify({ notify: true, plan, reasoning }));
    return {
      replacements: { 'http://localhost:11434/v1': model.url },
      close: () => model[Symbol.asyncDispose](),
    };
  },
  'explanation/autopilot.md': async (home) => {
    const setup = await withCodex(home);
    const plan = (should_delegate: boolean, reason: string, ...jobs: object[]) =>
      script({ say: JSON.stringify({ should_delegate, reason, jobs }) });
    const parts = [
      job('parser', { title: 'Refactor the parser' }),
      job('docs', { title: 'Rewrite the docs', depends_on: ['parser'] }),
    ];
    return {
      ...setup,
      env: { ADJUTANT_DELEGATE_ANSWER_WITHIN_SECONDS: '60' },
      replacements: {
        ...setup.replacements,
        'Refactor the parser and rewrite its docs': `Refactor the parser and rewrite its docs ${plan(true, 'It has two parts.', ...parts)}`,
        'Fix the typo in README.md': `Fix the typo in README.md ${plan(false, 'It is one word in one file.')}`,
      },
    };
  },
  'guides/keep-calendars-in-sync.md': withCalendars,
  'guides/run-it-for-a-family.md': withCalendars,
  'guides/connect-a-client.md': (home) => {
    mkdirSync(join(home, 'bin'));
    symlinkSync(codexShim, join(home, 'bin/codex'));
    symlinkSync(claude, join(home, 'bin/claude'));
    return {};
  },
  'explanation/delegate.md': withCodex,
  'reference/runs.md': withCodex,
  'reference/delivery.md': async () => {
    const inbox = new SMTPServer({ disabledCommands: ['AUTH', 'STARTTLS'] });
    await new Promise<void>((resolve) => void inbox.listen(0, '127.0.0.1', resolve));
    const { port } = inbox.server.address() as AddressInfo;
    return {
      replacements: { 'smtp://127.0.0.1:1025': `smtp://127.0.0.1:${port}` },
      close: () => new Promise((resolve) => inbox.close(() => resolve())),
    };
  },
  'guides/use-prompts-in-the-shell.md': (home) => {
    write(home, { 'notes.txt': 'let y = 2\n' });
    execFileSync('git', ['init', '-q'], { cwd: home });
    return {};
  },
  'explanation/prompts.md': (home) => {
    write(home, {
      'libraries/design/drawing.svg': '<svg/>',
      'libraries/design/guide.md': '# Guide\n',
      'libraries/design/prompts/question.md': 'What of the {{ focus }}?\n',
    });
    return {};
  },
  'guides/run-several-servers.md': async (home) => {
    const user = ['users', 'create', '--name', 'Ada', '--home', home];
    execFileSync(process.execPath, [bundle, ...user]);
    const server = await startPostgres();
    const url = await server.createDatabase('adjutant');
    return {
      replacements: { 'postgres://adjutant:secret@db.example.com/adjutant': url },
      close: () => server.close(),
    };
  },
};

const pages = globSync('docs/**/*.md').sort();
for (const page of pages) testPage(page, setups[page.replace('docs/', '')]);
testPage('CONTRIBUTING.md');

it('every example is run except for these', () => {
  const skipped = [...pages, 'README.md', 'CONTRIBUTING.md'].flatMap((page) =>
    blocksOf(page).flatMap(({ notRun }) => (notRun === undefined ? [] : [`${page}: ${notRun}`])),
  );
  expect(skipped).toEqual([
    'docs/contributing/architecture.md: a picture',
    'docs/contributing/releasing.md: it changes the clone and publishes',
    'docs/explanation/assistant.md: the next example begins with an empty home',
    'docs/explanation/delegate.md: they need a run in progress',
    'docs/explanation/delegate.md: they need a request in progress',
    'docs/explanation/delegate.md: they need a run that changed files',
    'docs/guides/connect-a-client.md: needs Gemini CLI and VS Code',
    'docs/guides/keep-calendars-in-sync.md: it needs a CalDAV server',
    'docs/guides/keep-calendars-in-sync.md: it needs an account',
    'docs/guides/keep-calendars-in-sync.md: it needs an account',
    'docs/guides/keep-calendars-in-sync.md: it needs a calendar on a server',
    'docs/guides/keep-it-running.md: systemd or launchd would start it',
    'docs/guides/let-an-agent-work-overnight.md: systemd or launchd would start it',
    'docs/guides/move-from-another-server.md: needs a client',
    'docs/guides/operate.md: needs root and systemd',
    'docs/guides/operate.md: needs Docker',
    'docs/guides/operate.md: needs nginx and a certificate',
    'docs/guides/operate.md: needs Prometheus',
    'docs/guides/remind-me-on-my-phone.md: it would send a message',
    'docs/guides/remind-me-on-my-phone.md: systemd or launchd would start it',
    'docs/guides/run-it-for-a-family.md: systemd or launchd would start it',
    'docs/guides/run-several-servers.md: needs Docker',
    'docs/guides/run-several-servers.md: needs nginx and a certificate',
    'docs/guides/sign-in-with-oauth.md: needs an authorization server',
    'docs/tutorial.md: the program that is being tested is installed already',
    'docs/tutorial.md: the result depends on the clients of the machine',
    'docs/tutorial.md: needs an account for Codex',
    'README.md: this test is part of it',
    ...Array<string>(2).fill('CONTRIBUTING.md: they are what runs this'),
    ...Array<string>(5).fill('CONTRIBUTING.md: a test compiles it'),
  ]);
});
