import { setTimeout as pause } from 'node:timers/promises';
import type { ToolAnswer, ToolArguments } from '../api.ts';
import type { LoadedConfig } from '../config.ts';
import { eventsText } from '../delegate/record/run-report.ts';
import type { LocalClient } from './client/local-client.ts';
import { type Terminal, UsageError } from './terminal/command.ts';

/** What a command about a run in progress gets. */
export interface LiveInvocation {
  readonly run_id: string;
  /** The words after the run id. */
  readonly text: string;
  readonly flags: LoadedConfig['flags'];
}

type LiveAction = (client: LocalClient, invocation: LiveInvocation, terminal: Terminal) => Promise<number>;
type Event = ToolAnswer<'tail_run'>['events'][number];
type Sandbox = NonNullable<ToolArguments<'fork_run'>['sandbox']>;

const watchIntervalMs = 150;

/** The subcommands of `runs` that show a run in progress, or send something to its agent. */
export const liveActions: Readonly<Record<string, LiveAction>> = {
  async steer(client, { run_id, text }, terminal) {
    if (text === '') throw new UsageError('runs steer needs a message for the agent');
    return report(await client.call('steer_run', { run_id, message: text }), terminal);
  },
  async interrupt(client, { run_id, text }, terminal) {
    const message = text === '' ? {} : { message: text };
    return report(await client.call('steer_run', { run_id, interrupt: true, ...message }), terminal);
  },
  async fork(client, { run_id, text, flags }, terminal) {
    if (text === '') throw new UsageError('runs fork needs a task for the new run');
    const turn = flags['turn'] === undefined ? {} : { turn: Number(flags['turn']) };
    const sandbox = flags['sandbox'] === undefined ? {} : { sandbox: flags['sandbox'] as Sandbox };
    const answer = await client.call('fork_run', { run_id, task: text, ...turn, ...sandbox });
    terminal.answer(answer.value, answer.text);
    return answer.value.status === 'completed' ? 0 : 1;
  },
  approve: (client, invocation, terminal) =>
    decide(client, invocation, invocation.flags['for-run'] === true ? 'allow_run' : 'allow_once', terminal),
  refuse: (client, invocation, terminal) => decide(client, invocation, 'refuse', terminal),
  async watch(client, { run_id }, terminal) {
    const view = new LiveView(terminal);
    for (let after = 0; ; ) {
      const { value } = await client.call('tail_run', { run_id, after, limit: 1000, deltas: true });
      view.show(value.events);
      if (value.status !== 'running' && value.next === after) return view.end(value.status);
      if (value.next === after) await pause(watchIntervalMs);
      after = value.next;
    }
  },
};

/** Answers a request. Its id can be left out if the run has only one. */
async function decide(
  client: LocalClient,
  { run_id, text, flags }: LiveInvocation,
  decision: 'allow_once' | 'allow_run' | 'refuse',
  terminal: Terminal,
): Promise<number> {
  const request = text === '' ? await onlyRequest(client, run_id) : { run_id, approval_id: text };
  const reason = flags['reason'] === undefined ? {} : { reason: String(flags['reason']) };
  return report(await client.call('answer_approval', { ...request, decision, ...reason }), terminal);
}

async function onlyRequest(
  client: LocalClient,
  run_id: string,
): Promise<{ readonly run_id: string; readonly approval_id: string }> {
  const { value } = await client.call('list_approvals', {});
  // The jobs of an autopilot ask under ids of their own.
  const own = value.approvals.filter((request) => `${request.run_id}/`.startsWith(`${run_id}/`));
  const [first, ...others] = own;
  if (first !== undefined && others.length === 0) return { run_id: first.run_id, approval_id: first.id };
  throw new UsageError(
    own.length === 0
      ? `run ${run_id} asks for no permission`
      : `run ${run_id} has several requests; name one of ${own.map((one) => (one.run_id === run_id ? one.id : `${one.run_id} ${one.id}`)).join(', ')}`,
  );
}

function report(
  { value, text }: { readonly value: unknown; readonly text: string },
  terminal: Terminal,
): number {
  terminal.report(value, text);
  return 0;
}

/** Prints events as they happen. The text of messages and the output of commands appear piece by piece. */
class LiveView {
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
