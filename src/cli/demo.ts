import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { toolAction } from './client/tool-command.ts';
import { type Action, type Command, toggle, UsageError } from './terminal/command.ts';
import { Interrupted, type Streams, type Terminal } from './terminal/terminal.ts';

const load: Action = {
  summary: 'Load sample data for every feature',
  flags: { tour: toggle('Show every feature in a minute, in a temporary folder') },
  examples: ['demo', 'demo --tour'],
  async run({ connect, flags, terminal }) {
    if (flags['tour'] === true) {
      if (terminal.json) throw new UsageError('demo --tour prints text for people; leave out --json');
      const { runProgram } = await import('./program.ts');
      return runTour(terminal, runProgram);
    }
    const client = await connect();
    const { value } = await client.call('load_demo', {});
    terminal.report(
      value,
      `Loaded ${counts(value)} Open the page with adjutant serve --http. Remove them with adjutant demo remove.`,
    );
    return 0;
  },
};

const remove = toolAction({
  tool: 'remove_demo',
  summary: 'Remove the sample data',
  flags: { yes: toggle('Do not ask', { short: 'y' }) },
  examples: ['demo remove', 'demo remove --yes'],
  changes: true,
  confirm: (_, __, terminal) => terminal.confirm('Remove all sample data?', { inScripts: true }),
  show: (value) => `Removed ${counts(value)}${value.kept === undefined ? '' : ` ${value.kept}`}`,
});

export const demo: Command = {
  name: 'demo',
  summary: 'Load sample data for every feature, or remove it',
  actions: { load, remove },
};

function counts({ prompts, events, runs }: { prompts: number; events: number; runs: number }): string {
  return `${prompts} prompts, ${events} events, ${runs} runs.`;
}

/** Runs a command line of the program. Resolves to the exit code. */
type RunCommand = (argv: readonly string[], streams: Streams, cwd: string) => Promise<number>;

/** A part of the tour: what it shows, and the commands that show it. */
interface Stop {
  readonly text: string;
  readonly commands: readonly (readonly string[])[];
}

/** Placeholders for words that are known only when the command runs. */
const [recorded, inHalfAnHour] = ['RECORDED', 'IN HALF AN HOUR'];

const readingMs = 4_000;

/** The reminder is due this long after its event was created: after the plan was read. */
const dueMs = 6_000;

const stops: readonly Stop[] = [
  {
    text: 'The tour uses a temporary folder with sample data, so nothing of yours is touched.',
    commands: [command('demo')],
  },
  {
    text: 'PROMPTS. Every Markdown file in a folder is a prompt. Clients see a change at once; in a chat, write :demo-research tidal power.',
    commands: [command('prompts list'), command('prompts render demo-research', 'input=tidal power')],
  },
  {
    text: 'SUB-AGENTS. adjutant delegate "…" gives a task to Codex or another agent. This run was recorded, so that the tour needs no account.',
    commands: [command('runs list'), command('runs tail', recorded)],
  },
  {
    text: 'CALENDAR. Sam has a call in half an hour and wants a reminder 30 minutes before, even in quiet hours (!). Without a mail server, it is written to a folder.',
    commands: [
      command('users create --id sam --name Sam --email sam@example.com --timezone UTC'),
      command(
        'events create sam --id call --reminders 30m! --start',
        inHalfAnHour,
        '--title',
        'Call with Grace',
      ),
      command('notifications plan sam'),
      command('worker --once'),
      command('notifications outbox'),
    ],
  },
];

function command(line: string, ...more: readonly string[]): readonly string[] {
  return [...line.split(' '), ...more];
}

/** Shows every feature in about a minute, with real commands on sample data in a temporary folder. */
async function runTour(terminal: Terminal, runCommand: RunCommand): Promise<number> {
  const home = await mkdtemp(join(tmpdir(), 'adjutant-tour-'));
  const streams = {
    ...terminal,
    env: {
      ...Object.fromEntries(Object.entries(terminal.env).filter(([name]) => !name.startsWith('ADJUTANT_'))),
      ADJUTANT_HOME: home,
    },
  };
  const interrupt = new AbortController();
  const onInterrupt = () => interrupt.abort();
  process.once('SIGINT', onInterrupt);
  try {
    for (const { text, commands } of stops) {
      terminal.print(`${text}\n\n`);
      for (const template of commands) {
        const words = await Promise.all(template.map((word) => fillIn(word, home)));
        terminal.print(`$ adjutant ${words.map(quoted).join(' ')}\n`);
        const code = await runCommand(words, streams, home);
        if (code !== 0) return code;
        terminal.print('\n');
        // A program does not need the time to read.
        const waitMs = terminal.output.isTTY ? readingMs : words.includes('plan') ? dueMs : 0;
        await pause(waitMs, undefined, { signal: interrupt.signal });
      }
    }
    terminal.print(
      'The folder is removed now. Next: adjutant install codex (or claude, cursor …), or adjutant serve --http for the page.\n',
    );
    return 0;
  } catch (error) {
    if (interrupt.signal.aborted) throw new Interrupted();
    throw error;
  } finally {
    process.off('SIGINT', onInterrupt);
    await rm(home, { recursive: true, force: true });
  }
}

async function fillIn(word: string, home: string): Promise<string> {
  if (word === inHalfAnHour)
    return new Date(Date.now() + dueMs + 30 * 60_000).toISOString().replace(/\.\d+/, '');
  // The oldest run is the one with recorded events.
  return word === recorded ? (await readdir(join(home, 'runs'))).toSorted()[0]! : word;
}

function quoted(word: string): string {
  if (/^[\w./:=@!-]+$/.test(word)) return word;
  const [, name = '', value] = /^(\w+=)?(.*)$/s.exec(word)!;
  return `${name}${JSON.stringify(value)}`;
}
