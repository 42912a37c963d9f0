import type { ToolAnswer } from '../api.ts';
import type { JsonObject } from '../json.ts';
import { wholeList } from '../paging.ts';
import { inCommandWords } from './client/command-words.ts';
import { showTime, toolAction } from './client/tool-command.ts';
import {
  type Command,
  type Flags,
  number,
  path,
  sandboxes,
  text,
  toggle,
  UsageError,
} from './terminal/command.ts';
import { tableText } from './terminal/terminal.ts';

type Changed = ToolAnswer<'create_routine'>;
type Routine = Changed['routine'];

const fields: Flags = {
  task: text('TEXT', 'What the agent is to do, or :PROMPT with its arguments', { short: 't' }),
  cwd: path('FOLDER', 'Folder to work in; the current one, unless given'),
  when: text('WHEN', 'A time, "every weekday at 07:00", RRULE:…, cron:… or webhook'),
  before: text('TIME', 'So long before each event that matches, such as "30 minutes"'),
  after: text('TIME', 'So long after each event that matches'),
  calendar: text('NAME', 'Match: calendar of the event'),
  kind: text('KIND', 'Match: kind of the event, such as online'),
  text: text('WORDS', 'Match: words in title, place or description'),
  attendee: text('TEXT', 'Match: part of the name or address of an attendee'),
  notify: text('PERSON', 'Who gets the result: me, a person or nobody'),
  agent: text('AGENT', 'Agent to use, such as codex', { short: 'a' }),
  model: text('MODEL', 'Model to use'),
  sandbox: text('MODE', 'What the agent may change; read-only, unless given', {
    short: 's',
    values: sandboxes,
  }),
  apply: text('MODE', 'When its changes reach the folder; ask, unless given', {
    values: ['auto', 'ask', 'branch'],
  }),
  asks: toggle('Let the agent ask you for permission; --no-asks ends that'),
  budget: {
    ...text('JSON', 'Limits, such as {"run": {"minutes": 30}, "day": {"usd": 2}}'),
    format: 'json',
  },
  timezone: text('ZONE', 'Time zone of the times; yours, unless given'),
  missed: text('MODE', 'Whether a missed time is made up for; once, unless given', {
    values: ['once', 'skip'],
  }),
  'catch-up-hours': number('HOURS', 'How late it may start'),
  overlap: text('MODE', 'What happens while the last run is in progress; skip, unless given', {
    values: ['skip', 'queue'],
  }),
};

/** The arguments of the tools that create and change routines: events before or after which it starts are one of them. */
function withEvents(args: JsonObject): JsonObject {
  const { before, after, calendar, kind, text: words, attendee, ...others } = args;
  const match = Object.entries({ calendar, kind, text: words, attendee }).filter(
    ([, one]) => one !== undefined,
  );
  const times = Object.entries({ before, after }).filter(([, one]) => one !== undefined);
  if (times.length === 0 && match.length > 0)
    throw new UsageError('--calendar, --kind, --text and --attendee select events for --before or --after');
  if (times.length > 0 && others['when'] !== undefined)
    throw new UsageError('use either --when, or --before or --after');
  if (times.length === 0) return others;
  return { ...others, when: Object.fromEntries([...times, ['match', Object.fromEntries(match)]]) };
}

function showChange({ routine, webhook, warnings }: Changed): string {
  return [
    `✓ ${routine.name}: ${whenText(routine)} in ${routine.cwd}${routine.status === 'active' ? '' : ` (${routine.status})`}`,
    ...(routine.next_due?.length
      ? [`  Next: ${routine.next_due.map((time) => showTime(time, routine.timezone)).join(', ')}`]
      : []),
    ...(routine.notify === undefined ? [] : [`  Result to: ${routine.notify}`]),
    ...(webhook === undefined
      ? []
      : [`  Webhook: POST ${webhook.url ?? webhook.path}`, `  Secret: ${webhook.secret} (shown only now)`]),
    ...warnings.map((warning) => `! ${inCommandWords(warning)}`),
  ].join('\n');
}

function whenText({ when }: Pick<Routine, 'when'>): string {
  if (typeof when === 'string') return when;
  const { before, after, match = {} } = when;
  const selection = Object.entries(match).map(([name, value]) => `${name} "${value}"`);
  return `${before ?? after} ${before === undefined ? 'after' : 'before'} events with ${selection.join(' and ')}`;
}

function rightsText({ sandbox, apply, asks, agent, model }: Routine): string {
  return [
    sandbox,
    ...(sandbox === 'read-only' ? [] : [`changes: ${apply}`]),
    ...(asks ? ['may ask for permission'] : []),
    ...(agent === undefined ? [] : [`agent ${agent}`]),
    ...(model === undefined ? [] : [`model ${model}`]),
  ].join(', ');
}

function showRoutine({ routines, firings = [] }: ToolAnswer<'list_routines'>): string {
  return routines
    .map((routine) =>
      [
        `${routine.name} (${routine.status})`,
        ...(routine.pause_reason === undefined ? [] : [`  ${routine.pause_reason}`]),
        `  When:    ${whenText(routine)}, ${routine.timezone}`,
        `  Next:    ${routine.next_due?.map((time) => showTime(time, routine.timezone)).join(', ') || '-'}`,
        `  Folder:  ${routine.cwd} on ${routine.host}`,
        `  Rights:  ${rightsText(routine)}`,
        `  Budget:  ${routine.budget === undefined ? '-' : JSON.stringify(routine.budget)}`,
        `  Result:  ${routine.notify ?? 'nobody is told'}`,
        `  Task:    ${routine.task.replaceAll('\n', '\n           ')}`,
        ...firings.map(
          ({ due, status, run_id, reason, result }) =>
            `  ${showTime(due, routine.timezone)}  ${status.padEnd(9)}  ${[run_id, reason ?? result?.split('\n')[0]?.slice(0, 100)].filter(Boolean).join('  ')}`,
        ),
      ].join('\n'),
    )
    .join('\n');
}

const routine = { ROUTINE: 'name or id of a routine' };

/** Tasks for agents that start by themselves. */
export const routines: Command = {
  name: 'routines',
  summary: 'Let agents work at set times, around events or on webhooks',
  actions: {
    list: toolAction({
      tool: 'list_routines',
      summary: 'List routines',
      examples: ['routines list', 'routines list --json'],
      defaults: wholeList,
      show: ({ routines: all }, terminal) =>
        all.length === 0
          ? 'No routines.'
          : tableText(
              terminal,
              ['name', 'status', 'when', 'next', 'last'],
              all.map((one) => [
                one.name,
                one.status,
                whenText(one),
                one.next_due?.[0] === undefined ? '-' : showTime(one.next_due[0], one.timezone),
                one.last === undefined ? '-' : `${one.last.status} ${showTime(one.last.due, one.timezone)}`,
              ]),
            ),
    }),
    create: toolAction({
      tool: 'create_routine',
      words: ['name'],
      summary: 'Create a routine',
      args: 'NAME',
      notes: { NAME: 'a short name, which messages begin with' },
      flags: fields,
      examples: [
        'routines create brief --task ":brief today" --cwd ~/notes --when "every weekday at 07:00" --notify me',
        'routines create prepare --task "Prepare me for the meeting" --before "30 minutes" --attendee @example.com --notify me',
      ],
      prepare(given) {
        const args = withEvents(given);
        if (args['task'] === undefined) throw new UsageError('say what to do with --task');
        if (args['when'] === undefined) throw new UsageError('say when with --when, --before or --after');
        return { cwd: process.cwd(), ...args };
      },
      show: showChange,
    }),
    show: toolAction({
      tool: 'list_routines',
      words: ['routine'],
      args: 'ROUTINE',
      notes: routine,
      summary: 'Show a routine with its history',
      flags: { limit: number('COUNT', 'Most entries of the history', { short: 'n' }) },
      examples: ['routines show brief', 'routines show brief --limit 50'],
      show: showRoutine,
    }),
    run: toolAction({
      tool: 'run_routine',
      words: ['routine'],
      args: 'ROUTINE',
      notes: routine,
      summary: 'Run a routine now',
      flags: { 'dry-run': toggle('Only show what the agent would be sent') },
      examples: ['routines run brief', 'routines run brief --dry-run'],
      show: ({ task, status, run_id, reason }) =>
        task ?? [status, run_id, reason].filter((part) => part !== undefined).join('  '),
      code: ({ status }) => (status === 'failed' ? 1 : 0),
    }),
    update: toolAction({
      tool: 'update_routine',
      words: ['routine'],
      args: 'ROUTINE',
      notes: routine,
      summary: 'Change a routine',
      flags: {
        name: text('NAME', 'Its new name'),
        'new-secret': toggle('Replace the secret of its webhook'),
        ...fields,
      },
      examples: [
        'routines update brief --when "every weekday at 08:00"',
        'routines update brief --notify ada --sandbox read-only',
        'routines update triage --new-secret',
      ],
      needsFlag: true,
      prepare: withEvents,
      show: showChange,
    }),
    pause: toolAction({
      tool: 'update_routine',
      words: ['routine'],
      defaults: { paused: true },
      args: 'ROUTINE',
      notes: routine,
      summary: 'Pause a routine',
      examples: ['routines pause brief', 'routines pause brief --json'],
      show: showChange,
    }),
    resume: {
      summary: 'Resume a routine, or confirm one that a model created',
      args: 'ROUTINE',
      notes: routine,
      examples: ['routines resume brief', 'routines resume brief --json'],
      async run({ connect, words: [name = ''], terminal }) {
        const client = await connect();
        const { value } = await client.call('list_routines', { routine: name, limit: 1 });
        const [found] = value.routines;
        if (found?.status === 'unconfirmed') {
          const question = `${showRoutine({ routines: [found] })}\nLet it run by itself?`;
          const ask = { inScripts: true, declined: 'It still waits.' };
          if (!(await terminal.confirm(question, ask))) return 1;
        }
        // A person confirms what they were shown, and nothing else.
        const as_of = found && { as_of: found.changed };
        const resumed = await client.call('update_routine', { routine: name, paused: false, ...as_of });
        terminal.answer(resumed.value, () => showChange(resumed.value));
        return 0;
      },
    },
    delete: toolAction({
      tool: 'delete_routine',
      words: ['routine'],
      args: 'ROUTINE',
      notes: routine,
      summary: 'Delete a routine with its history',
      flags: { yes: toggle('Do not ask', { short: 'y' }) },
      examples: ['routines delete brief', 'routines delete brief --yes'],
      changes: true,
      async confirm(client, { routine: name }, terminal) {
        const { value } = await client.call('list_routines', { routine: String(name), ...wholeList });
        const count = value.firings?.length ?? 0;
        if (count === 0) return true;
        const history = `a history of ${count} firing${count === 1 ? '' : 's'}`;
        return terminal.confirm(`The routine ${value.routines[0]?.name} has ${history}. Delete all of it?`);
      },
      show: ({ deleted }) => `✓ Deleted ${deleted}`,
    }),
  },
};
