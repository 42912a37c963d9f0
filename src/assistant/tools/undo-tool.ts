import { type Context, identityOf } from '../../context.ts';
import type { JsonObject } from '../../json.ts';
import { defineTool, hints, type Tool } from '../../tool.ts';
import type { MeOptions } from '../editing/me.ts';
import type { TouchedRows } from '../editing/undo.ts';
import type { AssistantData, Reader } from '../entities/entity-access.ts';

/** In the `_meta` of a request, asks for a way to undo it; in the `_meta` of the result, the argument of undo_change. */
const metaKey = 'adjutant/undo';
/** A plan covers what starts from now on, and changes to what started recently. */
const recentMs = 7 * 86_400_000;

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

/** Offers to undo changes, for clients that ask for it. */
export function createUndo(data: AssistantData, me: MeOptions) {
  return {
    /** Adds the way to undo a call to its result, if the request asks for it. */
    undoable<One extends Tool>(tool: One): One {
      const read = Object.hasOwn(scopes, tool.name) ? scopes[tool.name]! : undefined;
      if (read === undefined) return tool;
      const call = async (args: never, context: Context) => {
        if (context.meta[metaKey] !== true) return tool.call(args, context);
        const { differenceOf } = await import('../editing/undo.ts');
        const { keepChange } = await import('../editing/kept-changes.ts');
        const nowMs = data.clock();
        const before = await data.store.read((db) => read(db, args, undefined, nowMs));
        const result = await tool.call(args, context);
        if (before === undefined) return result;
        const after = await data.store.read((db) => read(db, args, result.structured as JsonObject, nowMs));
        const difference = after && differenceOf(before, after);
        if (difference === undefined) return result;
        const undo = await keepChange(data, identityOf(context.actor), difference);
        return { ...result, meta: { ...result.meta, [metaKey]: undo } };
      };
      return { ...tool, call };
    },
    tool: defineTool({
      name: 'undo_change',
      toolsets: ['calendar'],
      scope: 'calendar:USER',
      audience: 'views',
      title: 'Undo Change',
      description:
        'Undoes a change of a calendar, a person or reminders, for up to an hour. Sent messages stay: returns how many.',
      phrases:
        'undo revert take back last change mistake oops restore previous earlier state calendar person settings plan import series',
      inputSchema: {
        type: 'object',
        properties: { undo: { type: 'string', description: `From _meta["${metaKey}"] of the change` } },
        required: ['undo'],
        additionalProperties: false,
      },
      outputSchema: {
        type: 'object',
        properties: { already_sent: { type: 'integer', minimum: 0 } },
        required: ['already_sent'],
      },
      annotations: hints.replaces,
      async call({ undo }, { actor }) {
        const { findChange } = await import('../editing/kept-changes.ts');
        const { undoChange } = await import('../editing/undo.ts');
        const found = await findChange(data, identityOf(actor), undo);
        const { watchOwnChange } = await import('./own-change.ts');
        const settles: (() => Promise<void>)[] = [];
        for (const { before, after } of found.difference.events) {
          const settle = await watchOwnChange(data, me, actor, (after ?? before)!);
          settles.push(() => settle(before));
        }
        const already_sent = await undoChange(data, found);
        for (const settle of settles) await settle();
        return { structured: { already_sent } };
      },
    }),
  };
}
