import type { LoadedConfig } from '../../config.ts';
import type { Command, Terminal } from '../terminal/command.ts';
import { paint } from '../terminal/table.ts';
import { type Check, checks } from './checks.ts';

export interface Finding {
  readonly title: string;
  readonly state: 'good' | 'warning' | 'bad';
  readonly detail: string;
  /** How to fix it. */
  readonly remedy?: string;
}

const colours = { good: 32, warning: 33, bad: 31 } as const;
const marks = { good: '✓', warning: '!', bad: '✗' } as const;

export const doctor: Command = {
  name: 'doctor',
  summary: 'Check that everything works, and say how to fix what does not.',
  usage: 'doctor [FLAGS]',
  flags: {
    json: { type: 'boolean', description: 'Print the findings as JSON.' },
    quiet: { type: 'boolean', short: 'q', description: 'Print only problems.' },
  },
  settings: [
    'home',
    'config',
    'http.host',
    'http.port',
    'assistant.database_url',
    'delivery.smtp_url',
    'delivery.ntfy_url',
    'delivery.call_url',
    'assistant.model_url',
  ],
  async run(loaded, terminal) {
    const findings: Finding[] = [];
    await terminal.progress.during('checking', async (show) => {
      for (const [done, check] of checks.entries()) {
        show(`checking: ${check.title}`, done, checks.length);
        for (const finding of await perform(check, loaded, terminal)) {
          findings.push(finding);
          if (!terminal.json && (loaded.flags['quiet'] !== true || finding.state !== 'good'))
            terminal.print(findingLine(finding, terminal));
        }
      }
    });
    if (terminal.json) terminal.answer({ findings }, '');
    return findings.some(({ state }) => state === 'bad') ? 1 : 0;
  },
};

/** Turns an error in a check into a finding. */
async function perform(check: Check, loaded: LoadedConfig, terminal: Terminal): Promise<readonly Finding[]> {
  try {
    return await check.perform(loaded, terminal);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return [{ title: check.title, state: 'bad', detail }];
  }
}

function findingLine({ title, state, detail, remedy }: Finding, terminal: Terminal): string {
  const mark = paint(terminal, colours[state], marks[state]);
  return `${mark} ${title}: ${detail}\n${remedy === undefined ? '' : `    → ${remedy}\n`}`;
}
