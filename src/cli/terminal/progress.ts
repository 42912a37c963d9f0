import { Interrupted } from './command.ts';
import { coloured, hasColours } from './table.ts';

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
