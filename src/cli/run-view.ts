import { setTimeout as pause } from 'node:timers/promises';
import type { ToolAnswer } from '../api.ts';
import { eventsText } from '../delegate/run/run-report.ts';
import type { LocalClient } from './terminal/command.ts';
import type { Show, Terminal } from './terminal/terminal.ts';

type Event = ToolAnswer<'tail_run'>['events'][number];

const followIntervalMs = 300;

/** Prints events as they happen. The text of messages and the output of commands appear piece by piece. */
export class LiveView {
  readonly #terminal: Terminal;
  /** Items whose text is already on the screen. */
  readonly #shown = new Set<string>();
  /** The item whose line is not finished yet. */
  #open: string | undefined;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  show(events: readonly Event[]): void {
    for (const event of events) {
      if (this.#terminal.json) this.#terminal.print(`${JSON.stringify(event)}\n`);
      else if (event.kind?.startsWith('delta.')) this.#continue(event);
      else if (event.text !== '') this.#line(event);
    }
  }

  end(status: string): number {
    this.#close();
    this.#terminal.hint(`${status}\n`);
    return status === 'completed' ? 0 : 1;
  }

  #continue({ item, text, time }: Event): void {
    if (this.#open !== item) {
      this.#close();
      this.#terminal.print(`${time?.slice(11, 19)} `);
    }
    this.#open = item;
    if (item !== undefined) this.#shown.add(item);
    this.#terminal.print(text);
  }

  #line(event: Event): void {
    this.#close();
    const isShown = event.item !== undefined && this.#shown.has(event.item);
    if (!isShown) this.#terminal.print(`${eventsText([event])}\n`);
    // The end of a command has an exit code, which its output does not show.
    else if (event.exit_code !== undefined) {
      const { output: _, ...line } = event;
      this.#terminal.print(`${eventsText([line])}\n`);
    }
  }

  #close(): void {
    if (this.#open !== undefined) this.#terminal.print('\n');
    this.#open = undefined;
  }
}

/** Prints the events of a run until it ends. */
export async function follow(
  client: LocalClient,
  run_id: string,
  limit: number,
  { terminal, show }: { readonly terminal: Terminal; readonly show: Show },
): Promise<number> {
  let answer = await client.call('tail_run', { run_id, limit });
  for (;;) {
    const { value } = answer;
    if (terminal.json) terminal.print(`${JSON.stringify(value)}\n`);
    else if (value.events.some(({ text }) => text !== '')) terminal.print(`${eventsText(value.events)}\n`);
    if (value.status !== 'running') return 0;
    show('running');
    const after = value.next;
    do {
      await pause(followIntervalMs);
      answer = await client.call('tail_run', { run_id, after, limit: 1000 });
    } while (answer.value.status === 'running' && answer.value.next === after);
  }
}
