import { setTimeout as pause } from 'node:timers/promises';
import type { ToolAnswer } from '../api.ts';
import { eventsText, overviewLine } from '../delegate/run/run-report.ts';
import { inCommandWords } from './client/command-words.ts';
import { runId, toolAction } from './client/tool-command.ts';
import { compare } from './compare.ts';
import { follow, LiveView } from './run-view.ts';
import {
  type Action,
  type Command,
  type LocalClient,
  number,
  numberFlag,
  path,
  sandboxes,
  text,
  toggle,
  UsageError,
  type Use,
} from './terminal/command.ts';

const watchIntervalMs = 150;

const count = number('COUNT', 'Most lines', { short: 'n' });

/** What all actions on one run have in common. */
const ofRun = {
  args: 'RUN',
  words: ['run_id'],
  notes: { RUN: 'the id of a run, RUN/JOB for a job of an autopilot, or last' },
} as const;
const ofFiles = { ...ofRun, args: 'RUN [FILE…]', words: ['run_id', 'paths[]'] } as const;

/** How an action on a run was called that is more than the call of a tool. */
interface RunUse extends Use {
  readonly client: LocalClient;
  readonly run_id: string;
}

function runAction({ run, ...action }: Omit<Action, 'run'> & { run(use: RunUse): Promise<number> }): Action {
  const { words: _, ...common } = ofRun;
  return {
    ...common,
    ...action,
    async run(use) {
      const client = await use.connect();
      return await run({ ...use, client, run_id: await runId(client, use.words[0]!) });
    },
  };
}

/** The exit code is 1 if some files stay as they are or contain conflict markers. */
const conflictCode = ({ conflicts, marked = [] }: ToolAnswer<'apply_run' | 'undo_run'>) =>
  conflicts.length + marked.length === 0 ? 0 : 1;

export const runs: Command = {
  name: 'runs',
  summary: 'Watch, steer, review and undo what agents do',
  actions: {
    list: toolAction({
      tool: 'list_runs',
      defaults: { limit: 20 },
      summary: 'List runs, the newest first',
      flags: {
        limit: count,
        status: text('STATUS', 'Only runs with this status, such as failed'),
        folder: path('FOLDER', 'Only runs in this folder or below it'),
        agent: text('AGENT', 'Only runs of this agent'),
        text: text('TEXT', 'Only runs with this text in task, summary or error'),
        since: text('TIME', 'Only runs from this date or time on'),
        until: text('TIME', 'Only runs up to this date or time'),
      },
      examples: ['runs list', 'runs list -n 5', 'runs list --status failed --folder .'],
      show({ runs }, _, { args: { limit, ...filter } }) {
        const none = Object.keys(filter).length > 0 ? 'No run matches.' : 'There are no runs yet.';
        return runs.map(overviewLine).join('\n') || none;
      },
    }),
    show: toolAction({
      ...ofRun,
      tool: 'show_run',
      defaults: { full: true },
      summary: 'Show the result of a run',
      examples: ['runs show last', 'runs show last --json'],
      // Until it ends, the report of a run contains no words of its agent, only of the server.
      show: ({ status }, _, { text }) =>
        /^(?:running|interrupted)$/.test(status) ? inCommandWords(text) : text,
    }),
    tail: runAction({
      summary: 'Show the last events of a run',
      flags: { limit: count, follow: toggle('Go on until the run ends', { short: 'f' }) },
      examples: ['runs tail last', 'runs tail last --follow'],
      async run({ client, run_id, flags, terminal }) {
        const limit = numberFlag(flags, 'limit') ?? 50;
        if (flags['follow'] === true)
          return terminal.progress.during('following', (show) =>
            follow(client, run_id, limit, { terminal, show }),
          );
        const { value } = await client.call('tail_run', { run_id, limit });
        terminal.answer(value, eventsText(value.events));
        return 0;
      },
    }),
    watch: runAction({
      summary: 'Watch a run while it works, word by word',
      examples: ['runs watch last', 'runs list'],
      async run({ client, run_id, terminal }) {
        const view = new LiveView(terminal);
        for (let after = 0; ; ) {
          const { value } = await client.call('tail_run', { run_id, after, limit: 1000, deltas: true });
          view.show(value.events);
          if (value.status !== 'running' && value.next === after) return view.end(value.status);
          if (value.next === after) await pause(watchIntervalMs);
          after = value.next;
        }
      },
    }),
    steer: toolAction({
      ...ofRun,
      tool: 'steer_run',
      summary: 'Send a message to the agent of a run',
      args: 'RUN MESSAGE…',
      words: ['run_id', 'message…'],
      changes: true,
      examples: ['runs steer last "use the other parser"', 'runs steer last stop after the first file'],
    }),
    interrupt: toolAction({
      ...ofRun,
      tool: 'steer_run',
      defaults: { interrupt: true },
      summary: 'Interrupt the agent, with a message or without',
      args: 'RUN [MESSAGE…]',
      words: ['run_id', 'message…'],
      changes: true,
      examples: ['runs interrupt last', 'runs interrupt last "read the README first"'],
    }),
    fork: toolAction({
      ...ofRun,
      tool: 'fork_run',
      summary: 'Start another run from a point of this one',
      args: 'RUN TASK…',
      words: ['run_id', 'task…'],
      flags: {
        turn: number('NUMBER', 'Last turn of the run to keep; all, unless given'),
        sandbox: text('MODE', 'What the agent may change; read-only, unless given', {
          short: 's',
          values: sandboxes,
        }),
      },
      examples: ['runs fork last "do it without new packages"', 'runs fork last "try again" --turn 2'],
      code: ({ status }) => (status === 'completed' ? 0 : 1),
    }),
    compare,
    approve: runAction({
      summary: 'Allow what an agent asks for',
      args: 'RUN [REQUEST]',
      flags: { 'for-run': toggle('Also allow the same for the rest of the run') },
      examples: ['runs approve last', 'runs approve last --for-run'],
      run: (use) => decide(use, use.flags['for-run'] === true ? 'allow_run' : 'allow_once'),
    }),
    refuse: runAction({
      summary: 'Refuse what an agent asks for',
      args: 'RUN [REQUEST]',
      flags: { reason: text('TEXT', 'Reason, for the agent') },
      examples: ['runs refuse last', 'runs refuse last --reason "not on this machine"'],
      run: (use) => decide(use, 'refuse'),
    }),
    cancel: toolAction({
      ...ofRun,
      tool: 'cancel_run',
      defaults: { reason: 'cancelled by hand' },
      summary: 'Cancel a run',
      examples: ['runs cancel last', 'runs list'],
    }),
    diff: toolAction({
      ...ofFiles,
      tool: 'diff_run',
      defaults: { full: true },
      summary: 'Show what a run changed',
      examples: ['runs diff last', 'runs diff last src/parser.ts'],
    }),
    apply: toolAction({
      ...ofFiles,
      tool: 'apply_run',
      summary: 'Put the changes of a run into your folder',
      flags: {
        take: text('VERSION', 'Version to use in conflicts; both with conflict markers, unless given', {
          values: ['run', 'folder'],
        }),
        commits: toggle("Only make a branch of the agent's commits"),
      },
      examples: ['runs apply last', 'runs apply last src/parser.ts --take run', 'runs apply last --commits'],
      code: conflictCode,
    }),
    undo: toolAction({
      ...ofFiles,
      tool: 'undo_run',
      summary: 'Take back the changes of a run',
      examples: ['runs undo last', 'runs undo last src/parser.ts'],
      code: conflictCode,
    }),
    clean: toolAction({
      tool: 'clean_runs',
      summary: 'Delete old runs with their files',
      flags: {
        'older-than-days': number('DAYS', 'Minimum age; delegate.keep_days and keep_mb, unless given'),
        keep: number('COUNT', 'Keep so many of the newest runs'),
        'dry-run': toggle('Only list them'),
        yes: toggle('Do not ask', { short: 'y' }),
      },
      examples: ['runs clean --dry-run', 'runs clean --older-than-days 7 --keep 10'],
      async confirm(_, { older_than_days: days, dry_run }, terminal) {
        const which = days === undefined ? 'that the settings do not keep' : `older than ${days} days`;
        return dry_run === true || terminal.confirm(`Delete all runs ${which}?`, { inScripts: true });
      },
    }),
    stats: toolAction({
      tool: 'run_statistics',
      summary: 'Show runs, tokens, cost and time by day, agent and folder',
      flags: { days: number('DAYS', 'Number of days; 30, unless given') },
      examples: ['runs stats', 'runs stats --days 7'],
    }),
  },
};

/** Answers a request. Its id can be left out if the run has only one. */
async function decide(
  { client, run_id, words: [, ...rest], flags, terminal }: RunUse,
  decision: 'allow_once' | 'allow_run' | 'refuse',
): Promise<number> {
  const message = rest.join(' ');
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
  const answer = await client.call('answer_approval', { ...request, decision, ...reason });
  terminal.report(answer.value, answer.text);
  return 0;
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
