import { type Context, identityOf } from '../../context.ts';
import { Failure } from '../../failure.ts';
import type { JsonObject } from '../../json.ts';
import { defineTool, hints, type Tool } from '../../tool.ts';
import type { Difference } from '../editing/kept-changes.ts';
import type { MeOptions } from '../editing/me.ts';
import type { TouchedRows } from '../editing/undo.ts';
import type { AssistantData, Reader } from '../entities/entity-access.ts';
import type { Planning } from './saved-event.ts';

/** In the `_meta` of a request, asks for a way to undo it; in the `_meta` of the result, the argument of undo_change. */
const metaKey = 'adjutant/undo';
/** A plan covers what starts from now on, and changes to what started recently. */
const recentMs = 7 * 86_400_000;
const undoTool = 'undo_change';
const [lastMs, maxLast] = [60 * 60_000, 50];
/** The answer names at most this many of the changed things. */
const maxNamed = 5;

/** The last change of a client in this process. */
interface LastChange {
  readonly tool: string;
  /** Absent if the change cannot be undone here. It is remembered all the same, so that none before it is undone. */
  readonly difference: Difference | undefined;
  /** Names the change, if its request asked for that. */
  readonly undo: string | undefined;
  readonly untilMs: number;
}

/** Reads the rows that a call may change; undefined if it cannot be undone. `result` is absent before the call. */
type ReadRows = (
  db: Reader,
  args: Readonly<Record<string, string>>,
  result: JsonObject | undefined,
  nowMs: number,
) => Promise<TouchedRows | undefined>;

/** The changes that no other tool can reverse. */
const scopes: Readonly<Record<string, ReadRows>> = {
  async update_user(db, { user_id = '' }) {
    return { users: await db.selectFrom('users').selectAll().where('id', '=', user_id).execute() };
  },
  /** A change of later occurrences ends a series and begins another. Servers of calendars keep their own copy. */
  async update_event(db, { event_id = '' }, result) {
    const ids = [event_id, ...(result === undefined ? [] : [String(result['id'])])];
    const events = await db
      .selectFrom('events')
      .selectAll()
      .where('id', 'in', ids)
      .where('provider', '=', 'local')
      .execute();
    return { events };
  },
  /** The server of a calendar deletes its own copy, which nothing here can bring back. */
  async delete_event(db, { event_id = '' }, result) {
    const events = await db.selectFrom('events').selectAll().where('id', '=', event_id).execute();
    if (result === undefined && events[0]?.provider !== 'local') return undefined;
    const notifications = db.selectFrom('notifications').selectAll().where('event_id', '=', event_id);
    const plans = db.selectFrom('plans').selectAll().where('event_id', '=', event_id);
    return { events, notifications: await notifications.execute(), plans: await plans.execute() };
  },
  async cancel_notification(db, { notification_id = '' }) {
    const notifications = await db
      .selectFrom('notifications')
      .selectAll()
      .where('id', '=', notification_id)
      .execute();
    const people = notifications.map(({ user_id }) => user_id);
    if (people.length === 0) return undefined;
    // "Less like this" also sets a rule.
    const rules = await db.selectFrom('rules').selectAll().where('user_id', 'in', people).execute();
    return { notifications, rules };
  },
  async import_calendar(db, { user_id = '', name = 'Imported text' }) {
    const events = await db
      .selectFrom('events')
      .selectAll('events')
      .innerJoin('calendars', 'calendars.id', 'events.calendar_id')
      .where('calendars.user_id', '=', user_id)
      .where('calendars.location', '=', `text:${name}`)
      .execute();
    return { events };
  },
  async plan_notifications(db, { user_id = '' }, _, nowMs) {
    const rows = db.selectFrom('notifications').selectAll().where('user_id', '=', user_id);
    return { notifications: await rows.where('event_start_ms', '>=', nowMs - recentMs).execute() };
  },
  async acknowledge_notification(db, { notification_id = '' }) {
    const rows = db.selectFrom('notifications').selectAll();
    const one = await rows.where('id', '=', notification_id).executeTakeFirst();
    if (one === undefined || one.event_id === '') return { notifications: one ? [one] : [] };
    const notifications = await rows
      .where('user_id', '=', one.user_id)
      .where('event_id', '=', one.event_id)
      .where('occurrence', '=', one.occurrence)
      .execute();
    return { notifications };
  },
};

/** Offers to undo changes, for clients that ask for it. Where writes are planned at once, so is what is restored. */
export function createUndo(data: AssistantData, me: MeOptions, planning?: Planning) {
  const last = new Map<string, LastChange>();
  const clientOf = ({ actor, client }: Context) => JSON.stringify([identityOf(actor), client.name]);

  function remember(context: Context, tool: string, difference: Difference | undefined, undo?: string): void {
    const client = clientOf(context);
    last.delete(client);
    last.set(client, { tool, difference, undo, untilMs: data.clock() + lastMs });
    if (last.size > maxLast) last.delete(last.keys().next().value!);
  }

  /** The id of the last change of this client. */
  async function lastChange(context: Context): Promise<string> {
    const { keepChange } = await import('../editing/kept-changes.ts');
    const found = last.get(clientOf(context));
    if (found === undefined || found.untilMs < data.clock())
      throw new Failure('resource-not-found', 'There is no change of the last hour that can be undone.');
    const { tool, difference, undo } = found;
    if (difference === undefined)
      throw new Failure(
        'refused',
        `The last change was made with ${tool} and cannot be undone here.${tool === 'create_event' || tool === 'remind' ? ' Use delete_event.' : ''}`,
      );
    last.delete(clientOf(context));
    return undo ?? keepChange(data, identityOf(context.actor), difference);
  }

  return {
    /** Remembers what a call changes, and adds the way to undo it to its result if the request asks for it. */
    undoable<One extends Tool>(tool: One): One {
      if (tool.annotations?.readOnlyHint !== false || tool.name === undoTool) return tool;
      const read = Object.hasOwn(scopes, tool.name) ? scopes[tool.name]! : undefined;
      const call = async (args: never, context: Context) => {
        const { differenceOf } = await import('../editing/undo.ts');
        const nowMs = data.clock();
        const before = read && (await data.store.read((db) => read(db, args, undefined, nowMs)));
        const result = await tool.call(args, context);
        if (result.failed) return result;
        const structured = result.structured as JsonObject;
        const after = before && (await data.store.read((db) => read!(db, args, structured, nowMs)));
        const difference = after && differenceOf(before!, after);
        // Nothing was changed.
        if (after !== undefined && difference === undefined) return result;
        if (difference === undefined || context.meta[metaKey] !== true) {
          remember(context, tool.name, difference);
          return result;
        }
        const { keepChange } = await import('../editing/kept-changes.ts');
        const undo = await keepChange(data, identityOf(context.actor), difference);
        remember(context, tool.name, difference, undo);
        return { ...result, meta: { ...result.meta, [metaKey]: undo } };
      };
      return { ...tool, call };
    },
    tool: defineTool({
      name: undoTool,
      toolsets: ['calendar'],
      scope: 'calendar:USER',
      audience: 'views',
      title: 'Undo Change',
      description:
        'Undoes your last change of a calendar, a person or reminders, for up to an hour. Returns what was undone. Sent messages stay: returns how many.',
      phrases:
        'undo revert take back last change mistake oops restore previous earlier state calendar person settings plan import series',
      inputSchema: {
        type: 'object',
        properties: { undo: { type: 'string', description: `Another change, from its _meta["${metaKey}"]` } },
        additionalProperties: false,
      },
      outputSchema: {
        type: 'object',
        properties: {
          undone: { type: 'array', items: { type: 'string' }, description: 'Names of what was changed' },
          already_sent: { type: 'integer', minimum: 0 },
        },
        required: ['undone', 'already_sent'],
      },
      annotations: hints.replaces,
      async call({ undo }, context) {
        const { actor } = context;
        const { findChange } = await import('../editing/kept-changes.ts');
        const { undoChange } = await import('../editing/undo.ts');
        const found = await findChange(data, identityOf(actor), undo ?? (await lastChange(context)));
        const { watchOwnChange } = await import('./own-change.ts');
        const settles: (() => Promise<void>)[] = [];
        for (const { before, after } of found.difference.events) {
          const settle = await watchOwnChange(data, me, actor, (after ?? before)!);
          settles.push(() => settle(before));
        }
        const already_sent = await undoChange(data, found);
        for (const settle of settles) await settle();
        if (planning !== undefined) {
          const { planRestored } = await import('./saved-event.ts');
          const restored = found.difference.events.flatMap(({ before }) => before ?? []);
          await planRestored(planning, restored, context);
        }
        const { events, users } = found.difference;
        const undone = [
          ...events.map(({ before, after }) => (before ?? after)!.title),
          ...users.map(({ before, after }) => (before ?? after)!.name),
        ].slice(0, maxNamed);
        return { structured: { undone, already_sent } };
      },
    }),
  };
}
