import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ToolAnswer, ToolArguments } from '../api.ts';
import { eventsText, overviewLine } from '../delegate/run/run-report.ts';
import { inCommandWords } from './client/command-words.ts';
import { type Answer, type LocalClient, openLocalClient } from './client/local-client.ts';
import { toolArguments } from './client/tool-command.ts';
import { compare } from './compare.ts';
import { follow, LiveView } from './run-view.ts';
import {
  type Action,
  type Command,
  number,
  numberFlag,
  sandboxes,
  text,
  textFlag,
  toggle,
  UsageError,
  type Use,
} from './terminal/command.ts';
import type { Terminal } from './terminal/terminal.ts';

/** How an action on a run was called. */
interface RunUse extends Use {
  readonly client: LocalClient;
  readonly run_id: string;
  /** The words after the run id. */
  readonly message: string;
  /** The same words as names of files. */
  readonly paths: { readonly paths?: string[] };
}

const watchIntervalMs = 150;

const run = { RUN: 'the id of a run, RUN/JOB for a job of an autopilot, or last' };
const count = number('COUNT', 'Most lines', { short: 'n' });

/** An action on one run. */
function runAction(work: (use: RunUse) => Promise<number>, action: Omit<Action, 'run'>): Action {
  return {
    args: 'RUN',
    ...action,
    notes: { ...run, ...action.notes },
    async run(use) {
      const [id = '', ...words] = use.words;
      const paths = words.length > 0 ? { paths: words } : {};
      await using client = await openLocalClient(use.loaded, use.terminal);
      return await work({ ...use, client, run_id: await runId(client, id), message: words.join(' '), paths });
    },
  };
}

/** An action on all runs. */
function listAction(
  work: (client: LocalClient, use: Use) => Promise<number>,
  action: Omit<Action, 'run'>,
): Action {
  return {
    ...action,
    async run(use) {
      await using client = await openLocalClient(use.loaded, use.terminal);
      return await work(client, use);
    },
  };
}

const forkFlags = {
  turn: number('NUMBER', 'Last turn of the run to keep; all, unless given'),
  sandbox: text('MODE', 'What the agent may change; read-only, unless given', {
    short: 's',
    values: sandboxes,
  }),
};

/** The flags of `runs list` that select runs. */
const filterFlags = {
  status: text('STATUS', 'Only runs with this status, such as failed'),
  folder: text('FOLDER', 'Only runs in this folder or below it'),
  agent: text('AGENT', 'Only runs of this agent'),
  text: text('TEXT', 'Only runs with this text in task, summary or error'),
  since: text('TIME', 'Only runs from this date or time on'),
  until: text('TIME', 'Only runs up to this date or time'),
};
type Filter = Omit<ToolArguments<'list_runs'>, 'limit' | 'before'>;

const applyFlags = {
  take: text('VERSION', 'Version to use in conflicts; both with conflict markers, unless given', {
    values: ['run', 'folder'],
  }),
  commits: toggle("Only make a branch of the agent's commits"),
};

export const runs: Command = {
  name: 'runs',
  summary: 'Watch, steer, review and undo what agents do',
  actions: {
    list: listAction(
      async (client, { flags, terminal }) => {
        const names = Object.keys(filterFlags).filter((name) => flags[name] !== undefined);
        const wanted = Object.fromEntries(names.map((name) => [name, textFlag(flags, name)])) as Filter;
        const folder = wanted.folder === undefined ? {} : { folder: resolve(wanted.folder) };
        const limit = numberFlag(flags, 'limit') ?? 20;
        const answer = await client.call('list_runs', { limit, ...wanted, ...folder });
        const none = names.length > 0 ? 'No run matches.' : 'There are no runs yet.';
        const text = answer.value.runs.map(overviewLine).join('\n') || none;
        return print({ ...answer, text }, terminal);
      },
      {
        summary: 'List runs, the newest first',
        flags: { limit: count, ...filterFlags },
        examples: ['runs list', 'runs list -n 5', 'runs list --status failed --folder .'],
      },
    ),
    show: runAction(
      async ({ client, run_id, terminal }) => {
        const { value, text } = await client.call('show_run', { run_id, full: true });
        // Until it ends, the report of a run contains no words of its agent, only of the server.
        const isOpen = value.status === 'running' || value.status === 'interrupted';
        return print({ value, text: isOpen ? inCommandWords(text) : text }, terminal);
      },
      { summary: 'Show the result of a run', examples: ['runs show last', 'runs show last --json'] },
    ),
    tail: runAction(
      async ({ client, run_id, flags, terminal }) => {
        const limit = numberFlag(flags, 'limit') ?? 50;
        if (flags['follow'] === true)
          return terminal.progress.during('following', (show) =>
            follow(client, run_id, limit, { terminal, show }),
          );
        const { value } = await client.call('tail_run', { run_id, limit });
        return print({ value, text: eventsText(value.events) }, terminal);
      },
      {
        summary: 'Show the last events of a run',
        flags: { limit: count, follow: toggle('Go on until the run ends', { short: 'f' }) },
        examples: ['runs tail last', 'runs tail last --follow'],
      },
    ),
    watch: runAction(
      async ({ client, run_id, terminal }) => {
        const view = new LiveView(terminal);
        for (let after = 0; ; ) {
          const { value } = await client.call('tail_run', { run_id, after, limit: 1000, deltas: true });
          view.show(value.events);
          if (value.status !== 'running' && value.next === after) return view.end(value.status);
          if (value.next === after) await pause(watchIntervalMs);
          after = value.next;
        }
      },
      { summary: 'Watch a run while it works, word by word', examples: ['runs watch last', 'runs list'] },
    ),
    steer: runAction(
      async ({ client, run_id, message, terminal }) =>
        report(await client.call('steer_run', { run_id, message }), terminal),
      {
        summary: 'Send a message to the agent of a run',
        args: 'RUN MESSAGE…',
        examples: ['runs steer last "use the other parser"', 'runs steer last stop after the first file'],
      },
    ),
    interrupt: runAction(
      async ({ client, run_id, message, terminal }) =>
        report(
          await client.call('steer_run', { run_id, interrupt: true, ...(message !== '' && { message }) }),
          terminal,
        ),
      {
        summary: 'Interrupt the agent, with a message or without',
        args: 'RUN [MESSAGE…]',
        examples: ['runs interrupt last', 'runs interrupt last "read the README first"'],
      },
    ),
    fork: runAction(
      async ({ client, run_id, message, flags, terminal }) => {
        const given = toolArguments(flags, forkFlags);
        const answer = await client.call('fork_run', { run_id, task: message, ...given });
        terminal.answer(answer.value, answer.text);
        return answer.value.status === 'completed' ? 0 : 1;
      },
      {
        summary: 'Start another run from a point of this one',
        args: 'RUN TASK…',
        flags: forkFlags,
        examples: ['runs fork last "do it without new packages"', 'runs fork last "try again" --turn 2'],
      },
    ),
    compare,
    approve: runAction((use) => decide(use, use.flags['for-run'] === true ? 'allow_run' : 'allow_once'), {
      summary: 'Allow what an agent asks for',
      args: 'RUN [REQUEST]',
      flags: { 'for-run': toggle('Also allow the same for the rest of the run') },
      examples: ['runs approve last', 'runs approve last --for-run'],
    }),
    refuse: runAction((use) => decide(use, 'refuse'), {
      summary: 'Refuse what an agent asks for',
      args: 'RUN [REQUEST]',
      flags: { reason: text('TEXT', 'Reason, for the agent') },
      examples: ['runs refuse last', 'runs refuse last --reason "not on this machine"'],
    }),
    cancel: runAction(
      async ({ client, run_id, terminal }) =>
        print(await client.call('cancel_run', { run_id, reason: 'cancelled by hand' }), terminal),
      { summary: 'Cancel a run', examples: ['runs cancel last', 'runs list'] },
    ),
    diff: runAction(
      async ({ client, run_id, paths, terminal }) =>
        print(await client.call('diff_run', { run_id, ...paths, full: true }), terminal),
      {
        summary: 'Show what a run changed',
        args: 'RUN [FILE…]',
        examples: ['runs diff last', 'runs diff last src/parser.ts'],
      },
    ),
    apply: runAction(
      async ({ client, run_id, paths, flags, terminal }) =>
        printChanges(
          await client.call('apply_run', { run_id, ...paths, ...toolArguments(flags, applyFlags) }),
          terminal,
        ),
      {
        summary: 'Put the changes of a run into your folder',
        args: 'RUN [FILE…]',
        flags: applyFlags,
        examples: [
          'runs apply last',
          'runs apply last src/parser.ts --take run',
          'runs apply last --commits',
        ],
      },
    ),
    undo: runAction(
      async ({ client, run_id, paths, terminal }) =>
        printChanges(await client.call('undo_run', { run_id, ...paths }), terminal),
      {
        summary: 'Take back the changes of a run',
        args: 'RUN [FILE…]',
        examples: ['runs undo last', 'runs undo last src/parser.ts'],
      },
    ),
    clean: listAction(
      async (client, { flags, terminal }) => {
        const [older_than_days, keep] = [numberFlag(flags, 'older-than-days'), numberFlag(flags, 'keep')];
        const dry_run = flags['dry-run'] === true;
        const which =
          older_than_days === undefined
            ? 'that the settings do not keep'
            : `older than ${older_than_days} days`;
        if (!dry_run && !(await terminal.confirm(`Delete all runs ${which}?`, { inScripts: true }))) return 1;
        const args = {
          ...(older_than_days !== undefined && { older_than_days }),
          ...(keep !== undefined && { keep }),
          dry_run,
        };
        return print(await client.call('clean_runs', args), terminal);
      },
      {
        summary: 'Delete old runs with their files',
        flags: {
          'older-than-days': number('DAYS', 'Minimum age; delegate.keep_days and keep_mb, unless given'),
          keep: number('COUNT', 'Keep so many of the newest runs'),
          'dry-run': toggle('Only list them'),
          yes: toggle('Do not ask', { short: 'y' }),
        },
        examples: ['runs clean --dry-run', 'runs clean --older-than-days 7 --keep 10'],
      },
    ),
    stats: listAction(
      async (client, { flags, terminal }) => {
        const days = numberFlag(flags, 'days');
        return print(await client.call('run_statistics', days === undefined ? {} : { days }), terminal);
      },
      {
        summary: 'Show runs, tokens, cost and time by day, agent and folder',
        flags: { days: number('DAYS', 'Number of days; 30, unless given') },
        examples: ['runs stats', 'runs stats --days 7'],
      },
    ),
  },
};

/** Answers a request. Its id can be left out if the run has only one. */
async function decide(
  { client, run_id, message, flags, terminal }: RunUse,
  decision: 'allow_once' | 'allow_run' | 'refuse',
): Promise<number> {
  const { value } = await client.call('list_approvals', {});
  const asked =
    message === ''
      ? onlyRequest(value.approvals, run_id)
      : value.approvals.find((one) => one.run_id === run_id && one.id === message);
  if (asked !== undefined && decision !== 'refuse') {
    const question = `${wholeRequest(asked)}\nAllow it?`;
    if (!(await terminal.confirm(question, { inScripts: true, declined: 'Nothing was allowed.' }))) return 1;
  }
  const request = { run_id: asked?.run_id ?? run_id, approval_id: asked?.id ?? message };
  const reason = flags['reason'] === undefined ? {} : { reason: String(flags['reason']) };
  return report(await client.call('answer_approval', { ...request, decision, ...reason }), terminal);
}

type Request = ToolAnswer<'list_approvals'>['approvals'][number];

/** Everything that a person decides on. */
function wholeRequest(request: Request): string {
  const { command, diff, host, tool, arguments: args, cwd, reason } = request;
  return [
    ...[command, diff, host, tool, args].filter((part) => part !== undefined),
    ...(cwd === undefined ? [] : [`Folder: ${cwd}`]),
    ...(reason === undefined ? [] : [`Reason of the agent: ${reason}`]),
  ].join('\n');
}

function onlyRequest(approvals: readonly Request[], run_id: string): Request {
  // The jobs of an autopilot ask under ids of their own.
  const own = approvals.filter((request) => `${request.run_id}/`.startsWith(`${run_id}/`));
  const [first, ...others] = own;
  if (first !== undefined && others.length === 0) return first;
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

async function runId(client: LocalClient, id: string): Promise<string> {
  // A job of an autopilot is `RUN_ID/JOB`.
  const [run, ...job] = id.split('/');
  if (run !== 'last') return id;
  const { value } = await client.call('list_runs', { limit: 1 });
  const [newest] = value.runs;
  if (newest === undefined)
    throw new UsageError('there are no runs yet\n  Start one: adjutant delegate "explain this project"');
  return [newest.run_id, ...job].join('/');
}

/** The exit code is 1 if some files stay as they are or contain conflict markers. */
function printChanges(answer: Answer<'apply_run' | 'undo_run'>, terminal: Terminal): number {
  print(answer, terminal);
  const { conflicts, marked = [] } = answer.value;
  return conflicts.length + marked.length === 0 ? 0 : 1;
}

function print({ text, value }: Answer, terminal: Terminal): number {
  terminal.answer(value, text);
  return 0;
}
