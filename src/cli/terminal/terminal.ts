import type { LoadedConfig } from '../../config.ts';
import type { Problem } from '../../feature.ts';
import { truncate } from '../../single-line.ts';
import { UsageError } from './usage-error.ts';

/** Streams and environment of the process. */
export interface Streams {
  readonly input: NodeJS.ReadStream;
  /** The real standard output. `process.stdout` is redirected to stderr. */
  readonly output: NodeJS.WriteStream;
  readonly errors: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What a command uses for input and output. */
export interface Terminal extends Streams {
  readonly json: boolean;
  readonly progress: Progress;
  /** Writes to standard output. */
  print(text: string): void;
  /** Writes the result: the value with --json, the text otherwise. */
  answer(value: unknown, text: string | (() => string)): void;
  /** Like `answer`, for text that only confirms a change. --quiet omits the text. */
  report(value: unknown, text: string | (() => string)): void;
  /** Writes to stderr. */
  note(text: string): void;
  /** Writes to stderr, unless --quiet or --json is given. */
  hint(text: string): void;
  /**
   * Asks before something is deleted or allowed, unless --yes is given. Without a terminal nobody can answer: the command is then
   * refused, or goes on if `inScripts` is set.
   */
  confirm(question: string, options?: ConfirmOptions): Promise<boolean>;
}

interface ConfirmOptions {
  readonly inScripts?: boolean;
  /** Said after a no. Default: that nothing was deleted. */
  readonly declined?: string;
}

/** Thrown when the user presses Ctrl-C. */
export class Interrupted extends Error {
  constructor() {
    super('interrupted');
  }
}

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
    async confirm(question, { inScripts = false, declined = 'Nothing was deleted.' } = {}) {
      if (flags['yes'] === true) return true;
      if (!streams.input.isTTY || !streams.errors.isTTY) {
        if (inScripts) return true;
        throw new UsageError(`${question}\n  Nothing was deleted. Repeat the command with --yes.`);
      }
      const { createInterface } = await import('node:readline/promises');
      const asking = createInterface({ input: streams.input, output: streams.errors });
      const answer = await asking.question(`${printable(question)} [y/N] `);
      asking.close();
      const isYes = /^y(es)?$/i.test(answer.trim());
      if (!isYes) note(`${declined}\n`);
      return isYes;
    },
  };
}

/** The colour codes that Adjutant uses. Other codes could hide text, for example as black on black. */
const allowedColours = /^\u001b\[(?:[012]|3[1236])m$/;
/** Colour codes, terminal controlCharacters characters and bidirectional overrides. */
const unsafe = /\u001b\[[\d;:]*m|\r(?!\n)|(?![\t\n\r])\p{Cc}|[\u202A-\u202E\u2066-\u2069]/gu;

/**
 * Makes text safe for a terminal. Text from files, calendars or sub-agents could otherwise move the cursor, rename the window
 * or type input.
 */
export function printable(text: string): string {
  return text.replaceAll(unsafe, (match) => {
    if (match.length === 1) return '\uFFFD';
    return allowedColours.test(match) ? match : '';
  });
}

/** Colours text if the output is a terminal with colours. */
export function paint({ output, env }: Terminal, code: number, text: string): string {
  return hasColours(output, env) ? coloured(code, text) : text;
}

function hasColours(stream: NodeJS.WriteStream, env: Terminal['env']): boolean {
  return stream.isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}

function coloured(code: number, text: string): string {
  return `\u001b[${code}m${text}\u001b[0m`;
}

/** Formats rows in columns, below their titles if there are any. On a terminal, lines and lists are cut at its size. */
export function tableText(
  terminal: Terminal,
  head: readonly string[] | undefined,
  rows: readonly (readonly unknown[])[],
): string {
  const plain = rows.map((row) => row.map((cell) => oneLine(cell == null ? '' : String(cell))));
  const widths = (head ?? plain[0] ?? []).map((title, index) =>
    Math.min(40, Math.max(head ? title.length : 0, ...plain.map((row) => row[index]!.length))),
  );
  const edge = terminal.output.isTTY ? terminal.output.columns : undefined;
  const line = (cells: readonly string[]) => {
    const text = cells
      .map((cell, index) => (index === cells.length - 1 ? cell : cell.padEnd(widths[index]!)))
      .join('  ')
      .trimEnd();
    return edge === undefined ? text : truncate(text, edge);
  };
  const room = terminal.output.isTTY && terminal.output.rows > 8 ? terminal.output.rows - 4 : plain.length;
  const left = plain.length - room;
  return [
    ...(head ? [paint(terminal, 1, line(head))] : []),
    ...plain.slice(0, room).map(line),
    ...(left > 0 ? [`… and ${left} more; with "| less" after the command, all are shown`] : []),
  ].join('\n');
}

/** Replaces control characters, which a pager or the next program could pass on to a terminal. */
function oneLine(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll(/\p{Cc}|[\u202A-\u202E\u2066-\u2069]/gu, '\uFFFD');
}

/** Shows a message, and a bar if the total is known. */
export type Show = (message: string, done?: number, total?: number) => void;

interface State {
  readonly startedAt: number;
  message: string;
  done?: number | undefined;
  total?: number | undefined;
}

const drawIntervalMs = 100;
/** Shorter work shows nothing. */
const delayMs = 300;
const spinner = ['-', '\\', '|', '/'] as const;

/** A status line at the bottom of a terminal. It is erased when the work ends. */
export class Progress {
  readonly #stream: NodeJS.WriteStream;
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #visible: boolean;
  #state: State | undefined;
  #write: (text: string) => void = () => {};
  #drawnAt: number | undefined;
  #frame = 0;

  constructor(
    stream: NodeJS.WriteStream,
    env: Readonly<Record<string, string | undefined>>,
    { silent }: { readonly silent: boolean },
  ) {
    this.#stream = stream;
    this.#env = env;
    this.#visible = stream.isTTY && !silent && !env['CI'] && env['TERM'] !== 'dumb';
  }

  /**
   * Shows the line while the work runs. Ctrl-C rejects the promise; with `onInterrupt`, the first Ctrl-C calls it instead and
   * only the second rejects. Nested work shows no line of its own.
   */
  async during<Result>(
    message: string,
    work: (show: Show) => Promise<Result>,
    onInterrupt?: () => void,
  ): Promise<Result> {
    if (this.#state !== undefined) return work(() => {});
    const state: State = { startedAt: performance.now(), message };
    this.#state = state;
    const interrupted = Promise.withResolvers<never>();
    let asked = false;
    const interrupt = () => {
      this.erase();
      if (asked || onInterrupt === undefined) interrupted.reject(new Interrupted());
      else onInterrupt();
      asked = true;
    };
    process.on('SIGINT', interrupt);
    const release = this.#visible ? this.#interceptWrites() : () => {};
    try {
      const show: Show = (text, done, total) => {
        Object.assign(state, { message: text, done, total });
        if (this.#visible) this.#draw(state);
      };
      return await Promise.race([work(show), interrupted.promise]);
    } finally {
      process.off('SIGINT', interrupt);
      release();
      this.#state = undefined;
    }
  }

  /** Erases the line, so that other output can be written. */
  erase(): void {
    if (this.#drawnAt !== undefined) this.#write('\r\u001b[K');
    this.#drawnAt = undefined;
  }

  /** Keeps the line below everything else that is written to the stream. Returns a function that restores the stream. */
  #interceptWrites(): () => void {
    const { write } = this.#stream;
    this.#stream.write = ((...args: Parameters<typeof write>) => {
      this.erase();
      return write.apply(this.#stream, args);
    }) as typeof write;
    this.#write = write.bind(this.#stream);
    const timer = setInterval(() => this.#draw(this.#state!), drawIntervalMs);
    return () => {
      clearInterval(timer);
      this.erase();
      this.#stream.write = write;
    };
  }

  #draw(state: State): void {
    const now = performance.now();
    if (now - state.startedAt < delayMs) return;
    if (this.#drawnAt !== undefined && now - this.#drawnAt < drawIntervalMs) return;
    this.#frame++;
    const line = this.#lineOf(state, Math.floor((now - state.startedAt) / 1000));
    this.#write(`\r\u001b[K${line}`);
    this.#drawnAt = now;
  }

  #lineOf({ message, done, total }: State, seconds: number): string {
    // Some terminals wrap when the last column is filled, so it stays empty.
    const width = (this.#stream.columns || 80) - 1;
    const share = total === undefined || total <= 0 ? undefined : Math.min(1, (done ?? 0) / total);
    const mark = share === undefined ? spinner[this.#frame % spinner.length]! : bar(share, width);
    const clock = seconds < 2 ? '' : `  ${elapsed(seconds)}`;
    const room = width - mark.length - 1 - clock.length;
    if (room < 4) return cut(mark, width);
    const painted = hasColours(this.#stream, this.#env) ? coloured(36, mark) : mark;
    return `${painted} ${cut(message, room)}${clock}`;
  }
}

function bar(share: number, width: number): string {
  const length = Math.min(24, Math.floor(width / 4));
  const full = Math.round(share * length);
  return `${'█'.repeat(full)}${'░'.repeat(length - full)} ${String(Math.floor(share * 100)).padStart(3)}%`;
}

function elapsed(seconds: number): string {
  if (seconds < 60) return `${seconds}s`;
  return `${Math.floor(seconds / 60)}m ${String(seconds % 60).padStart(2, '0')}s`;
}

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]|\p{Emoji_Presentation}/u;
const control = /\p{Cc}+/gu;

/** Shortens text to a number of columns and removes control characters. */
function cut(text: string, width: number): string {
  const characters = [...text.replace(control, ' ')];
  const widths = characters.map((one) => (wide.test(one) ? 2 : 1));
  if (widths.reduce((sum, one) => sum + one, 0) <= width) return characters.join('');
  let end = 0;
  for (let room = width - 1 - widths[0]!; room >= 0; room -= widths[end]!) end++;
  return `${characters.slice(0, end).join('')}…`;
}

const colours = { error: 31, warning: 33, note: 2 } as const;

/** `file:line:column: severity: message`, as compilers write it. */
export function problemLine({ file, line, column, severity, message }: Problem, terminal?: Terminal): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  const word = terminal === undefined ? severity : paint(terminal, colours[severity], severity);
  return `${place}: ${word}: ${message}\n`;
}
