import type { Finding } from '../../feature.ts';
import { single, toggle } from '../terminal/command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { paint } from '../terminal/terminal.ts';
import { checks, runChecks } from './checks.ts';

const colours = { good: 32, warning: 33, bad: 31 } as const;
const marks = { good: '✓', warning: '!', bad: '✗' } as const;

export const doctor = single('doctor', {
  summary: 'Check that everything works, and say how to fix what does not',
  flags: { quiet: toggle('Print only problems', { short: 'q' }) },
  examples: ['doctor', 'doctor --quiet'],
  async run({ loaded, terminal }) {
    const findings: Finding[] = [];
    await terminal.progress.during('checking', async (show) => {
      await runChecks(loaded, terminal, (check, done, found) => {
        show(`checking: ${check.title}`, done, checks.length);
        for (const finding of found) {
          findings.push(finding);
          if (!terminal.json && (loaded.flags['quiet'] !== true || finding.state !== 'good'))
            terminal.print(findingLine(finding, terminal));
        }
      });
    });
    if (terminal.json) terminal.answer({ findings }, '');
    return findings.some(({ state }) => state === 'bad') ? 1 : 0;
  },
});

function findingLine({ title, state, detail, remedy }: Finding, terminal: Terminal): string {
  const mark = paint(terminal, colours[state], marks[state]);
  return `${mark} ${title}: ${detail}\n${remedy === undefined ? '' : `    → ${remedy}\n`}`;
}
