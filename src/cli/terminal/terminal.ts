import type { LoadedConfig } from '../../config.ts';
import type { Streams, Terminal } from './command.ts';
import { printable } from './printable.ts';
import { Progress } from './progress.ts';

/** Creates the terminal of a command, according to its flags --json and --quiet. */
export function createTerminal(streams: Streams, flags: LoadedConfig['flags']): Terminal {
  const json = flags['json'] === true;
  const silent = json || flags['quiet'] === true;
  const progress = new Progress(streams.errors, streams.env, { silent });
  const write = (stream: NodeJS.WriteStream, text: string) => {
    stream.write(stream.isTTY ? printable(text) : text);
  };
  const print = (text: string) => {
    progress.erase();
    write(streams.output, text);
  };
  const note = (text: string) => write(streams.errors, text);
  const answer: Terminal['answer'] = (value, text) => {
    const written = json ? JSON.stringify(value, null, 2) : typeof text === 'string' ? text : text();
    if (written !== '') print(written.endsWith('\n') ? written : `${written}\n`);
  };
  return {
    ...streams,
    json,
    progress,
    print,
    answer,
    report: silent && !json ? () => {} : answer,
    note,
    hint: silent ? () => {} : note,
  };
}
