import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { componentFile } from '../components.ts';
import { type Desktop, missingDesktop, startDesktop } from '../desktop.ts';
import { startMessagesModel } from '../model/messages-model.ts';
import type { Model } from '../model/responses-model.ts';
import { answer, script } from '../model/turn.ts';
import { bundle, initialize } from '../program.ts';
import { StdioPeer } from '../stdio-peer.ts';

// The first hour in a real terminal: an empty home, Claude Code as the only agent and client, and a desktop with a real
// notification service. `newcomer.test.ts` tells the same story in a browser, with Codex, to the same end.

// `script` of util-linux gives a program a terminal.
const hasTerminal = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux');
const hasDesktop = missingDesktop.length === 0;

describe.skipIf(!hasTerminal)('a terminal (needs script of util-linux)', () => {
  const home = mkdtempSync(join(tmpdir(), 'adjutant-first-hour-'));
  const programs = join(home, 'programs');
  let env: Record<string, string>;
  let desktop: Desktop | undefined;
  let model: Omit<Model, 'config'>;

  beforeAll(async () => {
    mkdirSync(join(home, 'tmp'));
    mkdirSync(programs);
    symlinkSync(join(componentFile('.bin'), 'claude'), join(programs, 'claude'));
    // What `npm install -g` does.
    symlinkSync(bundle, join(programs, 'adjutant'));
    if (hasDesktop) desktop = await startDesktop();
    model = await startMessagesModel();
    env = {
      ...desktop?.env,
      ...{ HOME: home, TMPDIR: join(home, 'tmp'), TZ: 'Europe/Berlin', TERM: 'xterm', SHELL: '/bin/sh' },
      PATH: [programs, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter),
      ...{ ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'sk-ant-test-key-000000' },
    };
  }, 120_000);
  afterAll(async () => {
    desktop?.close();
    await model?.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 20 });
  });

  /** Types a line into a terminal of 80 columns. Resolves to what the screen shows, without colours. */
  async function type(line: string) {
    const file = join(home, 'typed');
    writeFileSync(file, `stty cols 80 rows 24; ${line}\n`);
    const child = spawn('script', ['-qec', `sh '${file}'`, '/dev/null'], { cwd: home, env });
    let screen = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      screen += text;
    });
    const [code] = await once(child, 'close');
    const text = screen.replaceAll(/\r\u001b\[K[^\r\n]*(?=\r\u001b\[K)|\u001b\[[\d;]*[mK]|\r/g, '');
    return { code: code as number, text };
  }

  it('connects the client with the command that the list of clients shows', {
    timeout: 60_000,
  }, async () => {
    const listed = await type('adjutant install');
    const [, command = ''] = /^Claude Code +(.+)$/m.exec(listed.text) ?? [];
    expect([listed.code, command]).toEqual([0, 'adjutant install claude']);
    const connected = await type(command);
    expect(connected).toMatchObject({ code: 0, text: expect.stringContaining('Restart Claude Code') });
    expect((await type('adjutant install')).text).toMatch(/^Claude Code +✓ connected$/m);
  });

  it.skipIf(!hasDesktop)(
    `reminds on the desktop, while the connected client runs (missing: ${missingDesktop.join(', ') || 'nothing'})`,
    { timeout: 180_000 },
    async () => {
      const shown = () => desktop!.shown();
      const { code, text } = await type('adjutant remind take the bread out in 12 seconds');
      expect(text).toMatch(
        /^✓ take the bread out: (?:today|tomorrow) \d\d:\d\d \(Europe\/Berlin\), on this desktop$/m,
      );
      expect([code, text]).toEqual([0, expect.stringMatching(/^! Nothing is running that sends reminders/m)]);
      expect(text).not.toContain('not set up');
      expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
      expect((await type('adjutant today')).text).toMatch(/^\d\d:\d\d {2}reminder {2}take the bread out/m);

      const file = JSON.parse(readFileSync(join(home, '.claude.json'), 'utf8'));
      const entry = file.mcpServers.adjutant as { command: string; args: string[] };
      await using client = new StdioPeer(entry.args, { cwd: home, env }, entry.command);
      client.send(initialize());
      await vi.waitFor(() => expect(shown()).toContain("summary: 'take the bread out"), {
        timeout: 120_000,
        interval: 200,
      });
      expect(shown()).toContain("appname: 'Adjutant'");
      const listed = await type('adjutant notifications list --days-back 1 --json');
      expect(JSON.parse(listed.text).notifications).toMatchObject([{ channel: 'desktop', status: 'sent' }]);
      expect(shown().match(/summary: 'take the bread out/g)).toHaveLength(1);
    },
  );

  it('gives a first task to the only agent, without a setting', { timeout: 120_000 }, async () => {
    const agents = await type('adjutant agents');
    expect(agents.text).toMatch(/^[✓!] claude: .*, signed in \(used by default\)$/m);
    const task = `Count the files. ${script(answer({ summary: 'There are five files.' }))}`;
    writeFileSync(join(home, 'task'), task);
    const run = await type('adjutant delegate "$(cat task)"');
    expect([run.code, run.text]).toEqual([0, expect.stringContaining('There are five files.')]);
    const doctor = await type('adjutant doctor');
    expect(doctor.text).toMatch(/^[✓!] Agent claude: .*signed in/m);
    expect(doctor.text).not.toMatch(/sub-agents cannot run/);
  });
});
