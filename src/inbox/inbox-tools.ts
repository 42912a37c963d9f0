import type { Actor, Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { type InboxItem, type InboxSource, inboxItemSchema, inboxKinds } from '../inbox.ts';
import { messageOf } from '../json.ts';
import { log } from '../log.ts';
import { nextPage, pageArguments, pageOf } from '../paging.ts';
import type { Records } from '../store/records.ts';
import { defineTool, hints } from '../tool.ts';
import type { Dismissals } from './dismissals.ts';

export interface InboxOptions {
  readonly sources: readonly InboxSource[];
  /** Where dismissals are stored. The inbox closes it. */
  readonly records: Records;
  /** Whose inbox it is: the same text on every machine and with every token of a person. */
  ownerOf(actor: Actor): Promise<string>;
  /** True if the actor may call a tool that reads or changes something. */
  mayCall(tool: string, context: Context, reads: boolean): boolean;
}

/** What waits for the actor of a call, whether it is dismissed or not. */
interface Collected {
  readonly items: readonly InboxItem[];
  /** Why something may be missing. */
  readonly problems: string[];
}

async function collect({ sources, mayCall }: InboxOptions, context: Context): Promise<Collected> {
  const allowed = sources.filter(({ tool }) => mayCall(tool, context, true));
  const lists = await Promise.allSettled(allowed.map((source) => source.list(context)));
  const problems = lists.flatMap((one, index) => {
    if (one.status === 'fulfilled') return [];
    log('warning', `the inbox is incomplete without ${allowed[index]!.tool}`, one.reason);
    return [
      one.reason instanceof Failure ? one.reason.message : 'Unexpected error; see the log for details.',
    ];
  });
  const items = lists
    .flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
    .map((item) => ({ ...item, actions: item.actions.filter(({ tool }) => mayCall(tool, context, false)) }));
  return { items: items.toSorted(compareItems), problems };
}

/** What needs the actor soon. A source that fails is left out: its problem is reported with its items. */
async function upcomingFor({ sources, mayCall }: InboxOptions, context: Context): Promise<string> {
  const allowed = sources.filter(({ tool }) => mayCall(tool, context, true));
  const told = await Promise.allSettled(allowed.map(async (source) => source.upcoming?.(context)));
  return told.flatMap((one) => (one.status === 'fulfilled' && one.value ? [one.value] : [])).join(' ');
}

/** The most urgent kind first; within a kind, what expires first, and then the newest. */
function compareItems(one: InboxItem, other: InboxItem): number {
  const byKind = inboxKinds.indexOf(one.kind) - inboxKinds.indexOf(other.kind);
  if (byKind !== 0) return byKind;
  if (one.expires_at !== undefined && other.expires_at !== undefined)
    return one.expires_at < other.expires_at ? -1 : 1;
  return one.since > other.since ? -1 : 1;
}

const kind = { enum: inboxKinds, description: 'Only this kind' } as const;

export function inboxTools(options: InboxOptions, dismissals: Dismissals) {
  return [listInbox(options, dismissals), dismissInbox(options, dismissals)] as const;
}

function listInbox(options: InboxOptions, dismissals: Dismissals) {
  // Without items, the database of a new machine is not opened, because that creates it.
  const undismissed = async (items: readonly InboxItem[], actor: Actor) =>
    items.length === 0 ? items : dismissals.open(await options.ownerOf(actor), items);
  return defineTool({
    name: 'list_inbox',
    toolsets: ['inbox'],
    scope: 'any',
    core: 'always',
    inViews: true,
    title: 'List Inbox',
    description:
      'Lists what waits for the user: permission requests and questions of agents, changes to apply, invitations, conflicts, overdue tasks, failed messages. Do what `actions` says only if the user decides so.',
    searchHint: 'waiting approvals pending todo attention needs me',
    phrases:
      'inbox what waits waiting for me needs me my attention pending open todo decide decisions approvals questions invitations conflicts overdue what should I do now next important news anything new summary catch up missed left to answer',
    inputSchema: { type: 'object', properties: { kind, ...pageArguments } },
    outputSchema: {
      type: 'object',
      required: ['items', 'count'],
      properties: {
        items: { type: 'array', items: inboxItemSchema },
        count: { type: 'integer', description: 'On all pages' },
        problems: {
          type: 'array',
          items: { type: 'string' },
          description: 'Why something may be missing',
        },
        upcoming: { type: 'string', description: 'Without items: what is due soon' },
        ...nextPage,
      },
    },
    annotations: hints.reads,
    async call({ kind: wanted, ...page }, context) {
      const { items, problems } = await collect(options, context);
      // What needs a person is shown even if the database of the dismissals cannot be read.
      const open = await undismissed(items, context.actor).catch((error: unknown) => {
        problems.push(`What you dismissed is listed again: ${messageOf(error)}`);
        return items;
      });
      const found = open.filter((item) => wanted === undefined || item.kind === wanted);
      const { items: shown, next } = pageOf(found, (item) => item, page);
      const lines = [...shown.map(itemLine), ...problems];
      const upcoming = open.length === 0 && wanted === undefined ? await upcomingFor(options, context) : '';
      return {
        structured: {
          items: shown,
          count: found.length,
          ...(problems.length > 0 && { problems }),
          ...(upcoming !== '' && { upcoming }),
          ...next,
        },
        content: [{ type: 'text', text: lines.join('\n') || `Nothing waits for you. ${upcoming}`.trim() }],
      };
    },
  });
}

function itemLine({ id, kind: of, title, detail, request, actions }: InboxItem): string {
  const subject = request?.command ?? request?.host ?? request?.tool ?? request?.diff;
  const facts = [
    title,
    ...(subject === undefined ? [] : [subject]),
    ...(detail === undefined ? [] : [detail]),
  ];
  const ways = actions.map(({ label }) => label).join(', ');
  return `${of}: ${facts.join(' · ')}${ways && ` [${ways}]`} (${id})`;
}

function dismissInbox(options: InboxOptions, dismissals: Dismissals) {
  return defineTool({
    name: 'dismiss_inbox',
    toolsets: ['inbox'],
    scope: 'any',
    inViews: true,
    title: 'Dismiss Inbox',
    description:
      'Removes things from the inbox until they change, one, several or all of a kind. Nothing else changes: a permission request still waits for its answer. With restore, they come back.',
    searchHint: 'clear hide archive done inbox',
    phrases:
      'dismiss clear hide archive remove from inbox mark as read seen done all of them everything ignore not now leave it restore bring back undo dismissed',
    inputSchema: {
      type: 'object',
      properties: {
        ids: {
          type: 'array',
          minItems: 1,
          maxItems: 500,
          items: { type: 'string', minLength: 1, maxLength: 1000 },
          description: 'From list_inbox',
        },
        kind: { enum: inboxKinds, description: 'All of this kind' },
        restore: { type: 'boolean', default: false, description: 'Bring back what was dismissed' },
      },
    },
    outputSchema: {
      type: 'object',
      required: ['ids'],
      properties: {
        ids: { type: 'array', items: { type: 'string' }, description: 'Dismissed or restored' },
        gone: {
          type: 'array',
          items: { type: 'string' },
          description: 'Ids of things that wait no longer',
        },
      },
    },
    annotations: hints.sets,
    changes: 'database',
    async call({ ids, kind: wanted, restore = false }, context) {
      if (ids === undefined && wanted === undefined)
        throw new Failure('invalid-params', 'dismiss_inbox needs ids from list_inbox, or a kind.');
      const { items } = await collect(options, context);
      const chosen = items.filter(
        (item) => (ids?.includes(item.id) ?? true) && (wanted === undefined || item.kind === wanted),
      );
      const gone = (ids ?? []).filter((id) => !chosen.some((item) => item.id === id));
      const person = await options.ownerOf(context.actor);
      if (chosen.length > 0) await dismissals[restore ? 'restore' : 'dismiss'](person, chosen);
      const done = chosen.map(({ id }) => id);
      const text = [
        `${restore ? 'Restored' : 'Dismissed'}: ${done.length}.`,
        ...(gone.length === 0 ? [] : [`Not in the inbox (any more): ${gone.join(', ')}.`]),
      ];
      return {
        structured: { ids: done, ...(gone.length > 0 && { gone }) },
        content: [{ type: 'text', text: text.join(' ') }],
      };
    },
  });
}
