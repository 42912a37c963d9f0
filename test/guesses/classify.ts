// Classifies first guesses at the command line: node test/guesses/classify.ts FILE
//
// FILE has one guess per line, without the name of the program; lines with # are comments. Each runs in an empty home with the
// built program. "worked": exit code 0. "named": the message names a right command or flag, one of those behind "=>", separated by "|".
// Text in quotes is a part of the message, for a right command about something that an empty home does not have.
// "dead end": everything else, also a message that names only other commands.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from '../program.ts';

export type Outcome = 'worked' | 'named' | 'dead end';

export interface Guess {
  readonly line: string;
  readonly outcome: Outcome;
  readonly output: string;
}

/** A line of a file with guesses. */
interface Asked {
  readonly line: string;
  /** The beginnings of right commands, or texts in quotes. Without any, the guess has to work. */
  readonly right: readonly string[];
}

export function classifyGuesses(asked: readonly Asked[]): readonly Guess[] {
  const home = mkdtempSync(join(tmpdir(), 'adjutant-guesses-'));
  writeFileSync(join(home, 'foo.md'), 'Say {{what}}.\n');
  try {
    return asked.map(({ line, right }) => {
      const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);
      const { status, stdout, stderr } = spawnSync(process.execPath, [bundle, ...words], {
        cwd: home,
        env: { HOME: home, PATH: '/usr/bin:/bin' },
        encoding: 'utf8',
        input: '',
        timeout: 60_000,
      });
      // The help of a command is no answer.
      const named = [...stderr.matchAll(/adjutant ((?!--help)[a-z][^\n]*)/g)]
        .map(([, command]) => command!)
        .filter((command) => !/^[a-z]+ --help/.test(command));
      const names = right.some((one) => {
        if (one.startsWith('"')) return `${stdout}${stderr}`.includes(one.slice(1, -1));
        return one.startsWith('--')
          ? stderr.includes(` ${one}`)
          : named.some((command) => command.startsWith(one));
      });
      return {
        line,
        outcome: status === 0 ? 'worked' : names ? 'named' : 'dead end',
        output: stdout + stderr,
      };
    });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

export function readGuesses(file: string): readonly Asked[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => {
      const [guess = '', right] = line.split('=>').map((part) => part.trim());
      return {
        line: guess.replace(/^adjutant\s+/, ''),
        right: right?.split('|').map((one) => one.trim()) ?? [],
      };
    });
}

if (import.meta.main) {
  const guesses = classifyGuesses(readGuesses(process.argv[2]!));
  for (const { line, outcome, output } of guesses)
    console.log(
      `${outcome.padEnd(8)}  ${line}${outcome === 'dead end' ? `\n    ${output.trim().replaceAll('\n', '\n    ')}` : ''}`,
    );
  const count = (outcome: Outcome) => guesses.filter((one) => one.outcome === outcome).length;
  console.log(
    `${guesses.length} guesses: ${count('worked')} worked, ${count('named')} named the command, ${count('dead end')} dead ends`,
  );
}
