import { Interrupted } from './command.ts';
import { coloured, colourful } from './table.ts';

/** Says what is being done, and how much of how much where that is known. */
export type Show = (message: string, done?: number, total?: number) => void;

interface State {
  readonly startedAt: number;
  message: string;
  done?: number | undefined;
  total?: number | undefined;
}

const drawEveryMs = 100;
/** What is over sooner is not worth a line. */
const patienceMs = 300;
const turns = ['-', '\\', '|', '/'] as const;

/** One line at the bottom of a terminal that tells how long work goes on, and is gone when it is done. */
export class Progress {
  readonly #stream: NodeJS.WriteStream;
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #visible: boolean;
  #state: State | undefined;
  #write: (text: string) => void = () => {};
  #drawnAt: number | undefined;
  #turn = 0;

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
   * Shows the line as long as the work lasts, which Ctrl-C ends: at once, or as `onInterrupt` wants it and at once
   * the second time. Work within other work is part of it and has no line of its own.
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
    const release = this.#visible ? this.#hold() : () => {};
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

  /** Makes room for something else, which stays. */
  erase(): void {
    if (this.#drawnAt !== undefined) this.#write('\r\u001b[K');
    this.#drawnAt = undefined;
  }

  /** Whatever else is written to the stream meanwhile stands above the line. */
  #hold(): () => void {
    const { write } = this.#stream;
    this.#stream.write = ((...args: Parameters<typeof write>) => {
      this.erase();
      return write.apply(this.#stream, args);
    }) as typeof write;
    this.#write = write.bind(this.#stream);
    const timer = setInterval(() => this.#draw(this.#state!), drawEveryMs);
    return () => {
      clearInterval(timer);
      this.erase();
      this.#stream.write = write;
    };
  }

  #draw(state: State): void {
    const now = performance.now();
    if (now - state.startedAt < patienceMs) return;
    if (this.#drawnAt !== undefined && now - this.#drawnAt < drawEveryMs) return;
    this.#turn++;
    const line = this.#lineOf(state, Math.floor((now - state.startedAt) / 1000));
    this.#write(`\r\u001b[K${line}`);
    this.#drawnAt = now;
  }

  #lineOf({ message, done, total }: State, seconds: number): string {
    // The last column stays free: some terminals go to the next line when it is filled.
    const width = (this.#stream.columns || 80) - 1;
    const share = total === undefined || total <= 0 ? undefined : Math.min(1, (done ?? 0) / total);
    const mark = share === undefined ? turns[this.#turn % turns.length]! : bar(share, width);
    const clock = seconds < 2 ? '' : `  ${elapsed(seconds)}`;
    const room = width - mark.length - 1 - clock.length;
    if (room < 4) return cut(mark, width);
    const painted = colourful(this.#stream, this.#env) ? coloured(36, mark) : mark;
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

/** As much of a text as fits in so many columns; what could steer the terminal is left out. */
function cut(text: string, width: number): string {
  const signs = [...text.replace(control, ' ')];
  const widths = signs.map((sign) => (wide.test(sign) ? 2 : 1));
  if (widths.reduce((sum, one) => sum + one, 0) <= width) return signs.join('');
  let end = 0;
  for (let room = width - 1 - widths[0]!; room >= 0; room -= widths[end]!) end++;
  return `${signs.slice(0, end).join('')}…`;
}
