import type { ToolAnswer } from '../../api.ts';
import { wholeList } from '../../paging.ts';
import { inCommandWords } from '../client/command-words.ts';
import { showTime, toolAction } from '../client/tool-command.ts';
import { type Command, type LocalClient, text, toggle, UsageError } from '../terminal/command.ts';
import { type Terminal, tableText } from '../terminal/terminal.ts';

type Inbox = ToolAnswer<'list_inbox'>;
type Item = Inbox['items'][number];

const kind = text(
  'KIND',
  'Only approval, question, changes, routine, invitation, conflict, task, delivery or calendar',
);

export const inbox: Command = {
  name: 'inbox',
  summary: 'Everything that waits for you',
  actions: {
    list: toolAction({
      tool: 'list_inbox',
      defaults: wholeList,
      summary: 'List what waits for you',
      flags: { kind },
      examples: ['inbox', 'inbox list --kind approval'],
      show: inboxText,
    }),
    dismiss: toolAction({
      tool: 'dismiss_inbox',
      words: ['ids[]'],
      summary: 'Remove things from the inbox until they change',
      args: '[ID…]',
      notes: { ID: 'the id of a thing, as the list shows it' },
      flags: {
        kind: { ...kind, description: 'All of this kind' },
        restore: toggle('Bring back what was dismissed'),
      },
      examples: ['inbox dismiss --kind conflict', 'inbox dismiss --kind conflict --restore'],
      changes: true,
      prepare(args) {
        if (args['ids'] === undefined && args['kind'] === undefined)
          throw new UsageError('say what to dismiss: ids from "adjutant inbox", or --kind KIND');
        return args;
      },
      code: ({ ids }, { ids: asked }) => (ids.length === 0 && asked !== undefined ? 1 : 0),
    }),
  },
};

/** What waits for the person of the command line. */
export async function readInbox(client: LocalClient): Promise<Inbox> {
  return (await client.call('list_inbox', wholeList)).value;
}

export function inboxText({ items, problems = [], upcoming }: Inbox, terminal: Terminal): string {
  const soon = upcoming === undefined ? [] : [inCommandWords(upcoming)];
  if (items.length + problems.length === 0) return ['Nothing waits for you.', ...soon].join(' ');
  return [...items.map((item) => itemText(item, terminal)), ...problems, ...soon].join('\n');
}

/** The item in one line, then its request or questions in full, and the commands that answer it. */
function itemText(item: Item, terminal: Terminal): string {
  const until = item.expires_at === undefined ? [] : [`until ${showTime(item.expires_at).slice(-5)}`];
  const [first = '', ...rest] = item.detail?.split('\n') ?? [];
  const head = tableText(terminal, undefined, [
    [item.kind, [item.title, ...until].join(', ')],
    ['', first],
    ['', item.id],
  ]);
  const { command, diff, gains } = item.request ?? {};
  const details = [
    rest.join('\n') || undefined,
    command,
    diff,
    gains,
    ...(item.questions?.slice(1) ?? []),
    ...waysText(item),
  ];
  return [head, ...details.flatMap((one) => one?.split('\n').map((line) => `    ${line}`) ?? [])].join('\n');
}

/** How the command line answers an item. */
function waysText({ actions, request }: Item): readonly string[] {
  if (request !== undefined)
    return [`adjutant runs approve ${request.run_id} ${request.approval_id}  (or refuse)`];
  return actions.flatMap(({ tool, arguments: given }) => {
    const args = given as Readonly<Record<string, string>>;
    switch (tool) {
      case 'apply_run':
        return [`adjutant runs diff ${args['run_id']}`, `adjutant runs apply ${args['run_id']}`];
      case 'delegate_resume':
        return [`adjutant delegate --resume ${args['thread_id']} --cwd ${args['cwd']} "YOUR ANSWER"`];
      case 'update_event':
        return [
          `adjutant events update ${args['event_id']}${args['occurrence'] === undefined ? '' : ` --occurrence ${args['occurrence']}`} --task done`,
        ];
      case 'answer_invitation':
        return [`adjutant events answer ${args['event_id']} ${args['answer']}`];
      case 'sync_calendar':
        return [`adjutant calendars sync ${args['calendar_id']}`];
      case 'update_routine':
        return [`adjutant routines resume ${args['routine']}`];
      case 'delete_routine':
      case 'run_routine':
        return [`adjutant routines ${tool === 'run_routine' ? 'run' : 'delete'} ${args['routine']}`];
      case 'acknowledge_notification':
        return [`adjutant notifications acknowledge ${args['notification_id']}`];
      default:
        return [];
    }
  });
}
