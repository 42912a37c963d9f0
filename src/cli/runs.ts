import { setTimeout as pause } from 'node:timers/promises';
import type { ToolAnswer, ToolArguments } from '../api.ts';
import type { LoadedConfig } from '../config.ts';
import { eventsText, overviewLine } from '../delegate/record/run-report.ts';
import { inCommandWords } from './client/command-words.ts';
import { type Answer, type LocalClient, openLocalClient } from './client/local-client.ts';
import { type Command, parseNumber, UsageError, unknownSubcommand } from './terminal/command.ts';
import type { Show, Terminal } from './terminal/terminal.ts';

/** What a command about a run in progress gets. */
interface LiveInvocation {
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
const liveActions: Readonly<Record<string, LiveAction>> = {
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

type Action = (client: LocalClient, invocation: Invocation, terminal: Terminal) => Promise<number>;

interface Invocation {
  readonly id: string | undefined;
  readonly flags: LoadedConfig['flags'];
}

const followIntervalMs = 300;

const actions: Readonly<Record<string, Action>> = {
  async list(client, { flags }, terminal) {
    const limit = parseNumber(flags['limit'], 'limit') ?? 20;
    const answer = await client.call('list_runs', { limit });
    const { runs: listed } = answer.value;
    return print(
      { ...answer, text: listed.map(overviewLine).join('\n') || 'There are no runs yet.' },
      terminal,
    );
  },
  async show(client, invocation, terminal) {
    const run_id = await runId(client, invocation);
    const { value, text } = await client.call('show_run', { run_id, full: true });
    // Until it ends, the report of a run contains no words of its agent, only of the server.
    const isOpen = value.status === 'running' || value.status === 'interrupted';
    return print({ value, text: isOpen ? inCommandWords(text) : text }, terminal);
  },
  async cancel(client, invocation, terminal) {
    const run_id = await runId(client, invocation);
    return print(await client.call('cancel_run', { run_id, reason: 'cancelled by hand' }), terminal);
  },
  async apply(client, invocation, terminal) {
    return printChanges(
      await client.call('apply_run', { run_id: await runId(client, invocation) }),
      terminal,
    );
  },
  async undo(client, invocation, terminal) {
    return printChanges(await client.call('undo_run', { run_id: await runId(client, invocation) }), terminal);
  },
  async stats(client, { flags }, terminal) {
    const days = parseNumber(flags['days'], 'days');
    return print(await client.call('run_statistics', days === undefined ? {} : { days }), terminal);
  },
  async clean(client, { flags }, terminal) {
    const older_than_days = parseNumber(flags['older-than-days'], 'older-than-days');
    const keep = parseNumber(flags['keep'], 'keep');
    const args = {
      ...(older_than_days !== undefined && { older_than_days }),
      ...(keep !== undefined && { keep }),
    };
    return print(await client.call('clean_runs', args), terminal);
  },
  async tail(client, invocation, terminal) {
    const run_id = await runId(client, invocation);
    const limit = parseNumber(invocation.flags['limit'], 'limit') ?? 50;
    if (invocation.flags['follow'] !== true) {
      const { value } = await client.call('tail_run', { run_id, limit });
      return print({ value, text: eventsText(value.events) }, terminal);
    }
    return terminal.progress.during('following', (show) => follow(client, run_id, limit, { terminal, show }));
  },
};

/** Prints the events of a run until it ends. */
async function follow(
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

export const runs: Command = {
  name: 'runs',
  summary: 'List, show, watch, steer, compare, cancel, apply, undo and delete runs of sub-agents.',
  usage:
    'runs list|show|tail|watch|steer|interrupt|fork|compare|approve|refuse|cancel|apply|undo|clean|stats [RUN_ID[/JOB]|last] [TEXT] [FLAGS]',
  maxWords: Number.POSITIVE_INFINITY,
  flags: {
    limit: { type: 'string', short: 'n', description: 'list, tail: maximum number of lines.' },
    follow: {
      type: 'boolean',
      short: 'f',
      description: 'tail: follow the run until it ends. With --json, each update is one line.',
    },
    days: { type: 'string', description: 'stats: number of days up to today (30).' },
    'older-than-days': { type: 'string', description: 'clean: minimum age of the runs to delete (30).' },
    turn: { type: 'string', description: 'fork: last turn of the run to keep. Default: all.' },
    sandbox: {
      type: 'string',
      short: 's',
      description: 'fork, compare: sandbox mode (fork: read-only, compare: workspace-write).',
      values: ['read-only', 'workspace-write', 'danger-full-access'],
    },
    candidate: {
      type: 'string',
      multiple: true,
      description: 'compare: AGENT or AGENT:MODEL that does the task. Repeated for each.',
    },
    check: {
      type: 'string',
      multiple: true,
      description: 'compare: command to run on each result. Can be repeated.',
    },
    judge: { type: 'string', description: 'compare: AGENT or AGENT:MODEL that chooses the winner.' },
    deliver: {
      type: 'string',
      description: 'compare: whose changes to deliver (none).',
      values: ['none', 'winner'],
    },
    'for-run': { type: 'boolean', description: 'approve: also allow the same for the rest of the run.' },
    reason: { type: 'string', description: 'refuse: reason, for the agent.' },
    keep: { type: 'string', description: 'clean: number of newest runs to keep (0).' },
  },
  settings: ['home', 'config', 'delegate.runs_dir'],
  async run(loaded, terminal) {
    const [name = 'list', id, ...words] = loaded.positionals;
    if (name === 'compare') {
      return compareRuns([id ?? '', ...words].join(' ').trim(), loaded, terminal);
    }
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
    const live = Object.hasOwn(liveActions, name) ? liveActions[name] : undefined;
    if (action === undefined && live === undefined)
      throw unknownSubcommand('runs', name, [
        ...Object.keys(actions),
        ...Object.keys(liveActions),
        'compare',
      ]);
    if (id !== undefined && ['list', 'clean', 'stats'].includes(name))
      throw new UsageError(`runs ${name} does not take "${id}"`);
    if (words.length > 0 && (live === undefined || name === 'watch'))
      throw new UsageError(`runs ${name} does not take "${words.join(' ')}"`);
    await using client = await openLocalClient(loaded, terminal);
    if (live !== undefined) {
      const run_id = await runId(client, { id, flags: loaded.flags });
      return await live(client, { run_id, text: words.join(' '), flags: loaded.flags }, terminal);
    }
    return await action!(client, { id, flags: loaded.flags }, terminal);
  },
};

async function runId(client: LocalClient, { id }: Invocation): Promise<string> {
  if (id === undefined) throw new UsageError('name a run by its id, or use "last"');
  // A job of an autopilot is `RUN_ID/JOB`.
  const [run, ...job] = id.split('/');
  if (run !== 'last') return id;
  const { value } = await client.call('list_runs', { limit: 1 });
  const [newest] = value.runs;
  if (newest === undefined) throw new UsageError('there are no runs yet');
  return [newest.run_id, ...job].join('/');
}

/** The exit code is 1 if some files stay as they are. */
function printChanges(answer: Answer<'apply_run' | 'undo_run'>, terminal: Terminal): number {
  print(answer, terminal);
  return answer.value.conflicts.length === 0 ? 0 : 1;
}

function print({ text, value }: Answer, terminal: Terminal): number {
  terminal.answer(value, text);
  return 0;
}

type CompareArguments = ToolArguments<'delegate_compare'>;

/** Gives a task to several agents and prints their results side by side. */
async function compareRuns(task: string, loaded: LoadedConfig, terminal: Terminal): Promise<number> {
  const { flags, config } = loaded;
  const names = (flags['candidate'] ?? []) as readonly string[];
  if (task === '') throw new UsageError('runs compare needs a task');
  if (names.length < 2)
    throw new UsageError('name at least two candidates: --candidate codex --candidate claude:opus');
  const { judge, deliver, sandbox } = flags;
  // On the command line a call waits for its run to end.
  const patient = { ...loaded, config: { ...config, 'delegate.answer_within_seconds': 0 } };
  let runId: string | undefined;
  await using client = await openLocalClient(patient, terminal, {
    startsRuns: true,
    onNotification(method, { data }) {
      if (method === 'notifications/message')
        runId ??= /^delegate_\w+\/(\S+): started/.exec(String(data))?.[1];
    },
  });
  const { value, text } = await client.call(
    'delegate_compare',
    {
      task,
      cwd: process.cwd(),
      candidates: names.map(toCandidate),
      checks: (flags['check'] ?? []) as readonly string[] as CompareArguments['checks'] & {},
      ...(deliver !== undefined && { deliver: deliver as CompareArguments['deliver'] & {} }),
      ...(sandbox !== undefined && { sandbox: sandbox as CompareArguments['sandbox'] & {} }),
      ...(judge !== undefined && { judge: toCandidate(String(judge)) }),
    },
    {
      doing: 'comparing',
      onInterrupt() {
        if (runId !== undefined)
          client.call('cancel_run', { run_id: runId, reason: 'interrupted' }).catch(() => {});
      },
    },
  );
  terminal.answer(value, text);
  return value.status === 'completed' ? 0 : 1;
}

/** `AGENT` or `AGENT:MODEL`. */
function toCandidate(text: string): { agent: string; model?: string } {
  const at = text.indexOf(':');
  return at < 0 ? { agent: text } : { agent: text.slice(0, at), model: text.slice(at + 1) };
}
